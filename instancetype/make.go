package instancetype

import (
	"slices"

	"github.com/vmrules/vmrules/internal/vmfields"
)

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
