// Package vmtarget finds the VMs in an object: the object itself, the template from which it
// creates VMs, or the VMs in a list or a template. It recognizes them by their kinds and API
// groups or, if an object has none, by its shape.
//
// [Append] returns a [Target] for each VM. If there is none, it returns a Target that says
// why. [AppendForm] does the same for a form that is not complete, and [AppendObjects] for
// whole objects of any kind. All of them pay for each object in a list before they look at
// it, and terminate on an object that contains itself.
package vmtarget

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A Target is a VM in an object, or an object of another kind that is validated as a whole.
type Target struct {
	Name string            // the name of the place: "", or "objects[0]" inside a template or list
	At   jsonpath.Location // the location of Root
	Root any               // the spec.template of a VM, or the whole object
	VMAt jsonpath.Location // the location of VM
	VM   any               // the VM with its metadata; or the whole object

	Nothing string // why there is no Root; "" if there is one
	Cause   Cause  // the same, for programs
	HasNoVM bool   // the object is a list or template without a VM, so nothing can be filled in
	IsOther bool   // the object is of a kind without VMs

	Full    *Target           // the same with the VM expanded; nil until that is needed
	Refusal error             // why KubeVirt would refuse the VM; nil if it would not
	Origins map[string]string // which object set a field of an expanded VM, by the field's JSON Pointer in the VM
	WhyOpen string            // why the Open are not known, for messages; "" if that is obvious

	IsWhole       bool             // Root is a whole object, which need not be a VM
	Open          jsonpath.Setters // who may set fields that the VM does not set
	Holder        any              // the object that the VM is a part of, apart from lists; nil if there is none
	Template      any              // the template around the VM, or nil
	HasParameters bool             // strings may contain parameters of a template
}

// A Cause is why a target has no Root.
type Cause uint8

// The causes.
const (
	Empty    Cause = iota // there is nothing to validate
	Beyond                // a bound was reached, or a value is not readable
	Unfilled              // a parameter of a template is not filled in
)

// IsItem reports whether the target is an item of a list or template. Another version of the
// object may have a different target in its place.
func (t *Target) IsItem() bool { return slices.ContainsFunc(t.At, jsonpath.Element.IsItem) }

// IsPlain reports whether the Root is there, and says everything: nobody else sets fields, and no
// parameter is left.
func (t *Target) IsPlain() bool {
	return t.Nothing == "" && t.Refusal == nil && t.Open == 0 && !t.HasParameters && t.Origins == nil
}

// OriginDefault is the origin of a default. Package vmrules exports the same.
const OriginDefault = "default"

// OriginOf returns the origin of a value that is at a location, or that stands in there: which object
// set it when the VM was expanded; "" if the VM has the value itself.
func (t *Target) OriginOf(at jsonpath.Location, why jsonpath.StandIn) string {
	switch {
	case why != jsonpath.Written:
		return OriginDefault
	case t.Origins == nil || len(at) < len(t.VMAt):
		return ""
	}
	for pointer := at[len(t.VMAt):].Pointer(); pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
		if from := t.Origins[pointer]; from != "" {
			return from
		}
	}
	return ""
}

// Expanded returns the target with its VM as KubeVirt expands it, so that nobody else sets
// fields of it.
func (t Target) Expanded(vm map[string]any, origins map[string]string) Target {
	t.VM, t.Origins, t.Open = vm, origins, 0
	t.Root = jsonpath.Lookup(vm, t.At[len(t.VMAt):])
	return t
}

func other(v any) Target { return Target{Root: v, VM: v, IsOther: true} }

// nothing returns a target that says why a list or template has none.
func nothing(why string) Target { return Target{Nothing: why, HasNoVM: true} }

// beyond returns what nothing returns, because a bound was reached.
func beyond(why string) Target { return Target{Nothing: why, HasNoVM: true, Cause: Beyond} }

// rootedAt returns the target with its Root at a location, or with why there is none.
func (t Target) rootedAt(root any, at jsonpath.Location) Target {
	t.At, t.Root = at, root
	switch {
	case !value.IsReadable(root):
		t.unreadable(at)
	case value.ShapeOf(root) != value.Object:
		t.Nothing = "the object has no " + at.String()
	}
	return t
}

// unreadable makes t say that a part of the object that decides everything is not readable.
func (t *Target) unreadable(at jsonpath.Location) {
	t.Nothing, t.HasNoVM, t.Cause = at.String()+" cannot be read", true, Beyond
}

// inside returns the target of an item with its place in the list around it.
func (t Target) inside(list string, i int) Target {
	at := jsonpath.Location{jsonpath.Member(list), jsonpath.Item(i)}
	t.At, t.VMAt = at.Join(t.At), at.Join(t.VMAt)
	t.Name = strings.TrimSuffix(at.String()+"."+t.Name, ".")
	return t
}
