package vmtarget

import (
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// Looking at an object in a list costs this much, in units of work and in bytes.
const (
	Work = 1000
	Size = 600
)

// maxLists is how deeply lists may be nested: people do not, but an object built in Go may contain itself.
const maxLists = 4

const tooDeep = "lists are nested too deep"

// Append appends the VMs in an object, or the object itself if it is of a kind without VMs.
func Append(targets []Target, v any, m *meter.Meter) []Target {
	f := finder{meter: m}
	found, ok := f.find(targets, v, kindOther, 0)
	if !ok {
		found = append(targets, other(v))
	}
	return f.complete(found)
}

// AppendForm appends what Append appends, for a form that is not complete: an object whose
// content is still unknown counts as a VirtualMachine.
func AppendForm(targets []Target, v any, m *meter.Meter) []Target {
	kind := value.At(v, "kind")
	if (kind == nil || kind == "") && kindByShape(v) == kindOther {
		return append(targets, virtualMachine(v, nil))
	}
	return Append(targets, v, m)
}

// AppendObjects appends the objects of any kind in a list or template, or the object itself.
func AppendObjects(targets []Target, v any, m *meter.Meter) []Target {
	f := finder{meter: m, isWhole: true}
	found, _ := f.find(targets, v, kindOther, 0)
	return f.complete(found)
}

// A finder pays for what it finds. If the meter refuses, what it has found must be ignored.
type finder struct {
	meter      *meter.Meter
	inTemplate bool // strings may contain parameters
	isWhole    bool // objects of any kind are wanted, not only VMs
}

// pays pays for looking at n objects, each of which may be a target.
func (f finder) pays(n int) bool {
	return f.meter.Spend(meter.Times(n, Work), meter.Times(n, Size)) == nil
}

// complete returns the targets that were found, or one that says that there are too many.
func (f finder) complete(targets []Target) []Target {
	if f.meter.Err() == nil {
		return targets
	}
	return []Target{beyond(TooMany(f.meter.Err()))}
}

// TooMany returns a message that there are too many VMs, with the error of the meter.
func TooMany(refusal error) string {
	return "there are more VMs in the object than can be looked at: " + refusal.Error()
}

// find appends the targets in an object, and returns false for an object that is not a VM in
// any form and contains none. The object is inside a number of lists and templates. The
// innermost list says what an item without a kind is.
func (f finder) find(targets []Target, v any, inList holder, lists int) ([]Target, bool) {
	if v == nil {
		return append(targets, Target{Nothing: "there is no object"}), true
	}
	kind := f.kindIn(v, inList)
	if f.isWhole && kind != kindUnknown {
		return append(targets, f.whole(v, kind, lists)...), true
	}
	at := holders[kind].at
	switch kind {
	case kindUnknown:
		return append(targets, f.unknown(v, value.At(v, "kind"), value.At(v, "apiVersion"))), true
	case kindVirtualMachine, kindPool, kindKubeVirtTemplate:
		t := virtualMachine(v, at)
		if kind != kindVirtualMachine {
			t.Holder = v
		}
		if kind == kindKubeVirtTemplate {
			t.Template, t.HasParameters = v, true
		}
		return append(targets, t), true
	case kindInstance:
		return append(targets, Target{Root: v, VM: v}), true
	case kindReplicaSet:
		template := jsonpath.Lookup(v, at)
		return append(targets, Target{VM: template, VMAt: at, Holder: v}.rootedAt(template, at)), true
	case kindOpenShiftTemplate:
		return append(targets, f.templates(v, lists+1)...), true
	case kindList:
		return append(targets, f.list(v, lists+1)...), true
	}
	return targets, false
}

// whole returns the objects in an object of a kind: those that it contains, or the object itself.
func (f finder) whole(v any, kind holder, lists int) []Target {
	switch {
	case strings.HasSuffix(value.StringAt(v, "kind"), "List") && value.ShapeOf(value.At(v, "items")) == value.Array:
		return f.list(v, lists+1)
	case kind == kindOpenShiftTemplate:
		return f.templates(v, lists+1)
	case kind == kindKubeVirtTemplate:
		at := holders[kind].at
		vm := jsonpath.Lookup(v, at)
		return []Target{Target{VM: vm, VMAt: at, IsWhole: true, HasParameters: true}.rootedAt(vm, at)}
	}
	return []Target{{Root: v, VM: v, IsWhole: true}}
}

// virtualMachine returns the target for the VirtualMachine at a location in an object.
func virtualMachine(v any, at jsonpath.Location) Target {
	vm := jsonpath.Lookup(v, at)
	spec := value.At(vm, "spec")
	t := Target{VM: vm, VMAt: at, Open: vmfields.SettersOf(spec)}.rootedAt(value.At(spec, "template"), at.Join(specTemplate))
	for _, named := range []string{"instancetype", "preference"} {
		if !value.IsReadable(value.At(spec, named)) {
			t.unreadable(at.Join(jsonpath.Members("spec", named)))
		}
	}
	return t
}

// templates returns the VMs among the objects of an OpenShift template.
func (f finder) templates(v any, lists int) []Target {
	if lists > maxLists+1 {
		return []Target{beyond(tooDeep)}
	}
	f.inTemplate = !f.isWhole
	targets := f.each(v, "objects", kindOther, lists)
	for i := range targets {
		t := &targets[i]
		t.HasParameters = true
		if t.Template == nil && !f.isWhole {
			t.Template = v
		}
	}
	return targets
}

func (f finder) list(v any, lists int) []Target {
	if lists > maxLists {
		return []Target{beyond(tooDeep)}
	}
	itemKind := strings.TrimSuffix(value.StringAt(v, "kind"), "List")
	return f.each(v, "items", f.holderNamed(v, itemKind), lists)
}

// each returns the VMs in the objects of a list, which is a member of v, or a target that says that
// there are none.
func (f finder) each(v any, member string, inList holder, lists int) []Target {
	list := value.At(v, member)
	if f.isUnknown(list) {
		return []Target{f.unknown(v, list)}
	}
	var targets []Target
	for i := range value.Len(list) {
		if !f.pays(1) {
			break
		}
		next, _ := value.Item(list, i)
		found := f.item(next, inList, lists)
		if lists > 1 && !f.pays(len(found)) { // each list around the targets moves them again
			break
		}
		for _, t := range found {
			targets = append(targets, t.inside(member, i))
		}
	}
	switch {
	case targets != nil:
		return targets
	case f.isWhole:
		return []Target{nothing("there are no objects in " + member)}
	case member == "objects":
		return []Target{nothing("the template holds no VirtualMachine")}
	}
	return []Target{nothing("the list holds no VirtualMachine")}
}

// item returns the VMs in an item of a list. There are none in an item that is not an object,
// or that is of another kind, such as a Service beside the VM.
func (f finder) item(v any, inList holder, lists int) []Target {
	if f.isUnknown(v) {
		return []Target{f.unknown(v)}
	}
	if value.ShapeOf(v) != value.Object {
		return nil
	}
	found, ok := f.find(nil, v, inList, lists)
	if !ok && value.StringAt(v, "kind") == "" {
		return []Target{other(v)}
	}
	return found
}

// isUnknown reports whether a value may be any other: it is not readable, or a parameter of a template.
func (f finder) isUnknown(v any) bool {
	s, _ := v.(string)
	return !value.IsReadable(v) || f.inTemplate && parameter.OfAnyType(s) != ""
}

// unknown returns a target that says which of some values leaves open whether there is a VM.
func (f finder) unknown(values ...any) Target {
	for _, v := range values {
		text, _ := v.(string)
		if p := parameter.First(text); f.inTemplate && p != "" {
			return Target{Nothing: "the template's parameter " + p + " is not filled in", HasNoVM: true, Cause: Unfilled}
		}
	}
	return beyond("the object cannot be read")
}
