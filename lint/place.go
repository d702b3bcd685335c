package lint

import (
	"maps"
	"slices"
	"sync"

	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// A place is where, below some field, the fields of a name are.
type place struct {
	steps  string // to the object that has such a field, such as .domain.devices
	depth  int    // the number of names in steps
	around *field // that object
}

// maxDepth is how far down placesIn looks: there are no other fields further down.
const maxDepth = 8

// placesIn returns the places of fields in a field and below it, by their names, the nearest ones
// first. The caller must not change them.
func placesIn(f *field) map[string][]place {
	if known, ok := knownPlaces.Load(f); ok {
		return known.(map[string][]place)
	}
	found := map[string][]place{}
	for next := []place{{around: f}}; len(next) > 0; next = next[1:] {
		at := next[0]
		for _, name := range slices.Sorted(maps.Keys(at.around.Members)) {
			found[name] = append(found[name], at)
			if at.depth < maxDepth {
				next = append(next, at.inside(name))
			}
		}
	}
	knownPlaces.Store(f, found)
	return found
}

var knownPlaces sync.Map // by *field

// inside returns the place in a field of the object, or in its items.
func (p place) inside(name string) place {
	p.steps += fieldpath.Name(name).String()
	p.depth++
	p.around = p.around.Members[name]
	for p.around.Shape == vmapi.Array {
		p.steps += "[*]"
		p.around = p.around.Items
	}
	return p
}

// has reports whether a VM may have what some steps select in the object.
func (p place) has(steps []fieldpath.Step) bool {
	fields := []*field{p.around}
	for _, step := range steps {
		if _, isDescent := step.(fieldpath.Descent); isDescent {
			return false
		}
		if fields = stepAll(fields, step); len(fields) == 0 {
			return false
		}
	}
	return true
}

// nearest returns the places that have what some steps select, of those only the nearest.
func nearest(places []place, steps []fieldpath.Step) []place {
	var found []place
	for _, p := range places {
		if p.has(steps) && (found == nil || p.depth == found[0].depth) {
			found = append(found, p)
		}
	}
	return found
}
