// Package seeds says from which number tests generate their cases.
package seeds

import (
	"os"
	"strconv"
)

// Variable is the environment variable with the number from which all tests generate other cases.
const Variable = "VMRULES_SEED"

// Of returns the seed of a test that has another if the Variable is not set.
func Of(otherwise uint64) uint64 {
	text := os.Getenv(Variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(Variable + " is not a number: " + err.Error())
	}
	return n
}
