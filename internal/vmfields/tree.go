// Package vmfields knows what counts in a VM besides what is written there: the fields
// that are always there, the fields in which 0 means not set, and the fields that an
// instance type or a preference may set when KubeVirt starts the VM.
//
// [OfVM] and its like return what it knows as the tree that a search of package
// jsonpath takes. The paths begin at the spec.template of a VirtualMachine.
package vmfields

import (
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
)

// OfObject returns the tree of the fields that have a default in an object of any kind.
// Of two defaults of one field the later counts.
func OfObject(defaults []Default) *jsonpath.Implied {
	root := &jsonpath.Implied{}
	for _, d := range defaults {
		root.SetDefault(d.Field, d.Value)
	}
	for _, f := range zeroIsUnset {
		root.SetZeroIsUnset(f)
	}
	return root
}

// OfVM returns the tree of the fields that are always there, and over them more
// defaults.
func OfVM(more []Default) *jsonpath.Implied {
	return OfObject(slices.Concat(AlwaysThere, more))
}

// OfOpenVM returns the tree of OfVM for a VM that leaves fields to others.
func OfOpenVM(more []Default) *jsonpath.Implied {
	root := OfVM(more)
	root.AddSettable(Settable)
	return root
}
