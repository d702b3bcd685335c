package model

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
)

// quantity is the form of Kubernetes' quantities, which include plain numbers.
var quantity = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+|)$`)

// exponents has the exponents of the suffixes of quantities. A p marks a power of two.
var exponents = map[string]string{
	"n": "e-9", "u": "e-6", "m": "e-3", "k": "e3", "M": "e6", "G": "e9", "T": "e12", "P": "e15", "E": "e18",
	"Ki": "p10", "Mi": "p20", "Gi": "p30", "Ti": "p40", "Pi": "p50", "Ei": "p60",
}

// number returns the exact value of a JSON number, or of a string that is a quantity, and
// nil for any other value (vmrules: Arguments, min and max).
func number(v any) *big.Rat {
	literal, _ := v.(json.Number)
	digits := string(literal)
	if parts := quantity.FindStringSubmatch(text(v)); parts != nil {
		exponent, isSuffix := exponents[parts[2]]
		if !isSuffix {
			exponent = parts[2]
		}
		digits = parts[1] + exponent
	}
	n, _ := new(big.Rat).SetString(digits)
	return n
}

func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

func isZero(v any) bool { return isNumber(v) && number(v).Sign() == 0 }

func isScalar(v any) bool {
	_, ok := render(v)
	return ok
}

// render returns a scalar as a string, and false for an array or an object. Numbers are in
// plain decimal notation without an exponent (vmrules: Kinds).
func render(v any) (string, bool) {
	switch v := v.(type) {
	case string, bool:
		return fmt.Sprint(v), true
	case json.Number:
		n := number(v)
		digits, _ := n.FloatPrec()
		return n.FloatString(digits), true
	}
	return "", false
}
