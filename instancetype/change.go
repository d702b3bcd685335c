package instancetype

import (
	"fmt"
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A change is a new value at a place of the VM.
type change struct {
	at    jsonpath.Location
	value any
}

// change makes a change, and records where it comes from.
func (e *expansion) change(from *object, f vmfields.Field, c change) error {
	v, err := value.Copy(c.value, len(c.at), e.meter)
	if err != nil {
		return from.errorf("spec.%s cannot be copied to the VM: %w", f.From, err)
	}
	origin := Origin{Field: c.at.String(), Pointer: c.at.Pointer(), From: from.name}
	if isLeftOut(f, v) {
		if !remove(e.vm, c.at) {
			return nil
		}
		origin.Removed = true
	} else {
		write(e.vm, c.at, v)
	}
	e.set = append(e.set, origin)
	return e.spend(0, originSize+len(origin.Field)+len(origin.Pointer))
}

const originSize = 64 // in bytes, without its paths

// isLeftOut reports whether KubeVirt does not write a value, since it cannot distinguish it
// from a missing field.
func isLeftOut(f vmfields.Field, v any) bool {
	switch f.When {
	case jsonpath.IfEmptyText, jsonpath.IfZero, jsonpath.IfFalse, jsonpath.Overwritten:
		return v == "" || v == false || jsonpath.IfZero.Holds(v)
	}
	return f.Is == vmfields.Names && f.How == vmfields.Copied && value.ChildCount(v) == 0
}

// write returns in with a value at a location. It adds the objects that are missing.
func write(in any, at jsonpath.Location, v any) any {
	if len(at) == 0 {
		return v
	}
	if !at[0].IsItem() {
		object, _ := in.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		object[at[0].Name()] = write(object[at[0].Name()], at[1:], v)
		return object
	}
	list, _ := in.([]any)
	i := at[0].Index()
	if i == len(list) {
		list = append(list, nil)
	}
	list[i] = write(list[i], at[1:], v)
	return list
}

// remove removes the member at a location, and reports whether it was there.
func remove(in any, at jsonpath.Location) bool {
	parent, _ := jsonpath.Lookup(in, at[:len(at)-1]).(map[string]any)
	name := at[len(at)-1].Name()
	if parent[name] == nil {
		return false
	}
	delete(parent, name)
	return true
}

// changes returns what changes at a place of the VM, to which KubeVirt may apply the given value of
// a field of an object.
func (e *expansion) changes(from *object, f vmfields.Field, p place, given any) ([]change, error) {
	if f.How == vmfields.NewFeatures && p.parent == nil {
		return nil, from.errorf("spec.%s: KubeVirt crashes because the VM has no spec.template.spec.domain.cpu: "+
			"set it to {}, or add an instance type", f.From)
	}
	if !e.isOpen(f, p) {
		return nil, e.spend(0, 0)
	}
	switch f.How {
	case vmfields.Merged:
		given = given.(map[string]any)[p.name()]
	case vmfields.Created:
		if given == false {
			return nil, nil
		}
		given = map[string]any{}
	case vmfields.NotAllowed:
		return nil, nil
	case vmfields.Canonical:
		a, err := amountOf(given)
		return []change{{p.at, a.String()}}, err
	case vmfields.Topology:
		t, err := topologyOf(given.(int64), e.preference)
		return []change{{p.at, t[p.name()]}}, err
	case vmfields.Overcommitted:
		return overcommitted(from, p, given)
	case vmfields.NewFeatures:
		return newFeatures(from, p, given.([]any))
	case vmfields.PanicDevice:
		given = []any{map[string]any{"model": given}}
	case vmfields.IfVirtio: // the preference may have just set the bus
		if value.StringAt(p.parent, "disk", "bus") != "virtio" {
			return nil, nil
		}
	case vmfields.WithTimezone: // as KubeVirt does, beside the offset from UTC
		if zone, ok := from.text("clock.preferredClockOffset.timezone"); ok {
			beside := p.at[:len(p.at)-1].Join(jsonpath.Members("timezone"))
			return []change{{p.at, given}, {beside, zone}}, nil
		}
	case vmfields.UnlessNewEFI: // KubeVirt does not copy preferredUseSecureBoot if it has just copied preferredEfi
		preferred, _ := from.find("firmware.preferredEfi")
		efi := p.at[:len(p.at)-1].String()
		if preferred != nil && slices.ContainsFunc(e.set, func(o Origin) bool { return o.Field == efi }) {
			return nil, nil
		}
	}
	return []change{{p.at, given}}, nil
}

// overcommitted sets the memory that a VM requests, if that is less than what the guest sees. Like
// KubeVirt, it calculates in single precision.
func overcommitted(from *object, p place, given any) ([]change, error) {
	percent, _ := from.count("memory.overcommitPercent")
	if percent == 0 {
		return nil, nil
	}
	if percent > 100 {
		return nil, from.errorf("spec.memory.overcommitPercent is %d, which is more than 100", percent)
	}
	guest, err := amountOf(given)
	whole, _ := guest.number.RoundUp()
	rest := 1 - float32(percent)/100
	guest.number = quantity.FromInt(int64(float32(whole) * rest))
	return []change{{p.at, guest.String()}}, err
}

// newFeatures appends the preferred CPU features that the VM does not name. If the preference
// names one twice, so does the VM.
func newFeatures(from *object, p place, given []any) ([]change, error) {
	present, ok := p.value().([]any)
	if p.value() != nil && !ok {
		return nil, fmt.Errorf("the VM's %s is %s, not a list", p.at, value.Describe(p.value()))
	}
	named := map[string]bool{}
	for i := range present {
		named[value.StringAt(present[i], "name")] = true
	}
	var changes []change
	for i, feature := range given {
		if _, ok := feature.(map[string]any); !ok {
			return nil, from.errorf("spec.cpu.preferredCPUFeatures[%d] is %s, not an object", i, value.Describe(feature))
		}
		if !named[value.StringAt(feature, "name")] {
			next := p.at.Join(jsonpath.Location{jsonpath.Item(len(present) + len(changes))})
			changes = append(changes, change{next, feature})
		}
	}
	return changes, nil
}
