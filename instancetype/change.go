package instancetype

import (
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
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

// A maker returns what changes at a place of the VM, to which KubeVirt applies the given
// value of a field of an object.
type maker func(e *expansion, from *object, p place, given any) ([]change, error)

var makers = map[vmfields.How]maker{
	vmfields.Copied:        copied,
	vmfields.Merged:        merged,
	vmfields.Created:       created,
	vmfields.CreatedIfTrue: createdIfTrue,
	vmfields.NotAllowed:    nothing,
	vmfields.Canonical:     canonical,
	vmfields.Topology:      partOfTopology,
	vmfields.Overcommitted: overcommitted,
	vmfields.NewFeatures:   newFeatures,
	vmfields.PanicDevice:   panicDevice,
	vmfields.IfVirtio:      ifVirtio,
	vmfields.WithTimezone:  withTimezone,
	vmfields.UnlessNewEFI:  unlessNewEFI,
}

func one(p place, v any) []change { return []change{{p.at, v}} }

func nothing(*expansion, *object, place, any) ([]change, error) { return nil, nil }

func copied(_ *expansion, _ *object, p place, given any) ([]change, error) {
	return one(p, given), nil
}

func merged(_ *expansion, _ *object, p place, given any) ([]change, error) {
	return one(p, given.(map[string]any)[p.name()]), nil
}

func created(_ *expansion, _ *object, p place, _ any) ([]change, error) {
	return one(p, map[string]any{}), nil
}

func createdIfTrue(_ *expansion, _ *object, p place, given any) ([]change, error) {
	if given == false {
		return nil, nil
	}
	return one(p, map[string]any{}), nil
}

// withTimezone copies an offset from UTC and, as KubeVirt does, a time zone beside it.
func withTimezone(_ *expansion, from *object, p place, given any) ([]change, error) {
	changes := one(p, given)
	if zone, ok := from.text("clock.preferredClockOffset.timezone"); ok {
		changes = append(changes, change{p.sibling("timezone"), zone})
	}
	return changes, nil
}

// unlessNewEFI copies preferredUseSecureBoot, which KubeVirt does not do if it has just
// copied preferredEfi.
func unlessNewEFI(e *expansion, from *object, p place, given any) ([]change, error) {
	preferred, _ := from.find("firmware.preferredEfi")
	efi := p.at[:len(p.at)-1].String()
	isNew := slices.ContainsFunc(e.set, func(o Origin) bool { return o.Field == efi })
	if preferred != nil && isNew {
		return nil, nil
	}
	return one(p, given), nil
}
