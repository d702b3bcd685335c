package linting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// MissingText returns a message about a required parameter without a value.
func MissingText(name string) string {
	name = output.OneLine(name)
	return fmt.Sprintf("parameter %s is required and has no value: set it with -p %s=…", name, name)
}

// MissingIn returns the parameters to which a text refers, of those without a value.
func MissingIn(text string, missing []string) []string {
	return slices.DeleteFunc(slices.Clone(missing), func(name string) bool {
		return !strings.Contains(text, "{"+name+"}")
	})
}
