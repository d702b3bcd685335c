package vmtarget

import (
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// Looking at an object in a list costs this much, in units of work and in bytes.
const (
	Work = 1000
	Size = 600
)

// Several functions use these reasons why there is no target.
const (
	noObject = "there is no object"
	tooDeep  = "lists are nested too deep"
)

// maxLists is how deeply lists may be nested. People do not nest lists, but an object built
// in Go may contain itself.
const maxLists = 4

// Append appends the VMs in an object, or the object itself if it is of a kind without VMs.
func Append(targets []Target, v any, m *meter.Meter) []Target {
	f := finder{m}
	found, ok := f.find(targets, v, kindOther, 0)
	if !ok {
		found = append(targets, itself(v))
	}
	return f.complete(found)
}

// AppendForm appends what Append appends, for a form that is not complete: an object whose
// content is still unknown counts as a VirtualMachine.
func AppendForm(targets []Target, v any, m *meter.Meter) []Target {
	if isBegun(v) {
		return append(targets, virtualMachine(v, nil, specTemplate))
	}
	return Append(targets, v, m)
}

// AppendObjects appends the objects of any kind in a list or template, or the object itself.
func AppendObjects(targets []Target, v any, m *meter.Meter) []Target {
	f := finder{m}
	return f.complete(append(targets, f.whole(v, kindOther, 0)...))
}

// A finder pays for what it finds. If the meter refuses, it stops, and what it has found must
// be ignored.
type finder struct{ meter *meter.Meter }

// pays pays for looking at n objects, each of which may be a target.
func (f finder) pays(n int) bool {
	return f.meter.Spend(meter.Times(n, Work), meter.Times(n, Size)) == nil
}

// complete returns the targets that were found, or a single one that says that there are too
// many.
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
// any form and contains none. The object is inside a number of lists. The innermost list says
// what an item without a kind is.
func (f finder) find(targets []Target, v any, inList holder, lists int) ([]Target, bool) {
	if v == nil {
		return append(targets, Target{Nothing: noObject}), true
	}
	switch kindIn(v, inList) {
	case kindVirtualMachine:
		return append(targets, virtualMachine(v, nil, specTemplate)), true
	case kindInstance:
		return append(targets, itself(v)), true
	case kindReplicaSet:
		template := value.At(v, "spec", "template")
		return append(targets, Target{VM: template, VMAt: specTemplate}.rootedAt(template, specTemplate)), true
	case kindPool:
		at := jsonpath.Members("spec", "virtualMachineTemplate")
		return append(targets, virtualMachine(v, at, at.Join(specTemplate))), true
	case kindKubeVirtTemplate:
		at := jsonpath.Members("spec", "virtualMachine")
		t := virtualMachine(v, at, at.Join(specTemplate))
		t.Template, t.HasParameters = v, true
		return append(targets, t), true
	case kindOpenShiftTemplate:
		return append(targets, f.inTemplate(v)...), true
	case kindList:
		return append(targets, f.inList(v, lists+1)...), true
	}
	return targets, false
}

// specTemplate is the location in a VirtualMachine of the template for its VM.
var specTemplate = jsonpath.Members("spec", "template")

// virtualMachine returns the target for the VirtualMachine at a location in an object, with
// the Root at another location.
func virtualMachine(v any, at, root jsonpath.Location) Target {
	vm := jsonpath.Lookup(v, at)
	spec, _ := value.Member(vm, "spec")
	template, _ := value.Member(spec, "template")
	t := Target{VM: vm, VMAt: at, Others: vmfields.SettersOf(spec)}
	return t.rootedAt(template, root)
}

// inTemplate returns the VMs among the objects of an OpenShift template.
func (f finder) inTemplate(v any) []Target {
	var targets []Target
	list, _ := value.Member(v, "objects")
	for i := range value.Len(list) {
		if !f.pays(1) {
			break
		}
		vm, _ := value.Item(list, i)
		if kindIn(vm, kindOther) != kindVirtualMachine {
			continue
		}
		t := virtualMachine(vm, nil, specTemplate).inside("objects", i)
		t.Template, t.HasParameters = v, true
		targets = append(targets, t)
	}
	if targets == nil {
		t := nothing("the template holds no VirtualMachine")
		t.Template = v
		return []Target{t}
	}
	return targets
}

// inList returns the VMs in the items of a list. It skips items that are not objects or are
// of another kind, such as a Service beside the VM.
func (f finder) inList(v any, lists int) []Target {
	if lists > maxLists {
		return []Target{beyond(tooDeep)}
	}
	var targets []Target
	list, _ := value.Member(v, "items")
	for i := range value.Len(list) {
		if !f.pays(1) {
			break
		}
		next, _ := value.Item(list, i)
		found, ok := f.find(nil, next, itemKind(v), lists)
		switch {
		case value.ShapeOf(next) != value.Object, !ok && value.StringAt(next, "kind") != "":
			continue
		case !ok:
			found = []Target{itself(next)}
		}
		if lists > 1 && !f.pays(len(found)) { // each list around the targets moves them again
			break
		}
		for _, t := range found {
			targets = append(targets, t.inside("items", i))
		}
	}
	if targets == nil {
		return []Target{nothing("the list holds no VirtualMachine")}
	}
	return targets
}
