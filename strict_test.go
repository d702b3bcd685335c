package vmrules_test

import (
	"slices"
	"testing"

	"github.com/vmrules/vmrules"
)

// TestStrictIsFound: a package can search options for Strict, whatever else they contain.
func TestStrictIsFound(t *testing.T) {
	others := []vmrules.ParseOption{
		vmrules.WithVersion(vmrules.V201901), vmrules.WithBudget(vmrules.Budget{}), vmrules.WithKind("k", nil),
	}
	if slices.Contains(others, vmrules.Strict()) {
		t.Error("Strict is found among options without it")
	}
	if !slices.Contains(append(others, vmrules.Strict()), vmrules.Strict()) {
		t.Error("Strict is not found")
	}
}
