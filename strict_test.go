package vmrules_test

import (
	"slices"
	"testing"

	"github.com/vmrules/vmrules"
)

// TestStrictIsFound: options can be searched for Strict, whatever else is among them.
func TestStrictIsFound(t *testing.T) {
	others := []vmrules.ParseOption{
		vmrules.WithVersion(vmrules.V201901), vmrules.WithBudget(vmrules.Budget{}), vmrules.WithKind("k", nil),
	}
	if slices.Contains(others, vmrules.Strict()) {
		t.Error("it is found where it is not")
	}
	if !slices.Contains(append(others, vmrules.Strict()), vmrules.Strict()) {
		t.Error("it is not found")
	}
}
