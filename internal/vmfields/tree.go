// Package vmfields lists the fields of a VM that count even if the VM does not set them: the
// fields that are always there, the fields in which 0 means not set, and the fields that an
// instance type or a preference may set when KubeVirt starts the VM. The last come from the
// tables [Instancetype] and [Preference], from which package instancetype expands a VM.
//
// [OfVM], [OfOpenVM] and [OfObject] return these fields as a tree for a search of package
// jsonpath. The paths start at the spec.template of a VirtualMachine.
package vmfields

import (
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
)

// OfObject returns the tree of the fields with defaults in an object of any kind. If a field
// has two defaults, the later one counts.
func OfObject(defaults []Default) *jsonpath.Implied {
	root := &jsonpath.Implied{}
	for _, d := range defaults {
		root.SetDefault(d.Field, d.Value)
	}
	for _, d := range zeroIsUnset {
		root.SetZeroIsUnset(d.Field)
	}
	return root
}

// OfVM returns the tree of the fields that are always there, with more defaults, which
// override them.
func OfVM(more []Default) *jsonpath.Implied {
	return OfObject(slices.Concat(AlwaysThere, more))
}

// OfOpenVM returns the tree of OfVM, with the fields that others may set.
func OfOpenVM(more []Default) *jsonpath.Implied {
	root := OfVM(more)
	root.AddSettable(Settable)
	return root
}

// OpenVM is the tree of OfOpenVM without more defaults.
var OpenVM = OfOpenVM(nil)
