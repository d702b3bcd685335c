// Package vmtarget finds where VMs stand in an object: the object itself, what it makes
// VMs of, or those inside a list or a template, by their kinds and API groups or, where
// an object has none, by its shape.
//
// [Append] returns a [Target] for each of them, and one that says why where there is
// none. [AppendForm] does so for a form that is not complete, and [AppendObjects] for
// whole objects of any kind. All of them end on an object that holds itself, and pay for
// each object in a list before they look at it.
package vmtarget

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A Target is a VM in an object, or an object of another kind that is taken as a whole.
type Target struct {
	Name string            // of the place: "", or "objects[0]" inside a template or list
	At   jsonpath.Location // of Root
	Root any               // what a VM is made of, its spec.template; or the whole object
	VMAt jsonpath.Location // of VM
	VM   any               // the VM with its metadata; or the whole object

	Nothing   string // why there is no Root; "" where there is
	IsBeyond  bool   // it is because of a bound
	HoldsNone bool   // it is a list or template without a VM: nothing that could be filled in

	IsWhole       bool             // Root is the whole of any object, which need not be a VM
	Others        jsonpath.Setters // what may set fields that the VM leaves out
	Template      any              // the template around the VM; nil for none
	HasParameters bool             // strings may hold parameters of a template
}

// IsItem reports whether the target is one of several: another version of the object
// may have another one in its place.
func (t *Target) IsItem() bool {
	return slices.ContainsFunc(t.At, func(e jsonpath.Element) bool { return e.IsItem() })
}

// TemplateName returns the Name of the place where the template stands: "" for the
// object itself, and for no template.
func (t *Target) TemplateName() string {
	if t.Template == nil || strings.HasPrefix(t.Name, "objects[") {
		return ""
	}
	name, _, _ := strings.Cut(t.Name, ".objects[")
	return name
}

// itself is an object of another kind, or a VirtualMachineInstance.
func itself(v any) Target { return Target{Root: v, VM: v} }

// nothing is the target that says why there is none in a list or template.
func nothing(why string) Target { return Target{Nothing: why, HoldsNone: true} }

// beyond is nothing where that is because of a bound.
func beyond(why string) Target { return Target{Nothing: why, HoldsNone: true, IsBeyond: true} }

// rootedAt returns the target with its Root and where that is, or that it is missing.
func (t Target) rootedAt(root any, at jsonpath.Location) Target {
	if value.ShapeOf(root) != value.Object {
		t.Nothing = "the object has no " + at.String()
	}
	t.At, t.Root = at, root
	return t
}

// inside returns the target of an item at its place in the list around it.
func (t Target) inside(list string, i int) Target {
	at := jsonpath.Location{jsonpath.Member(list), jsonpath.Item(i)}
	t.At, t.VMAt = at.Join(t.At), at.Join(t.VMAt)
	t.Name = strings.TrimSuffix(at.String()+"."+t.Name, ".")
	return t
}
