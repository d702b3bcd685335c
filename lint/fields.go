package lint

import (
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// A KnownField is a field that KubeVirt's API gives a VM.
type KnownField struct {
	Name string `json:"name"`
	// Shape is "object", "array", "map" (an object with any names), "scalar" or "any".
	Shape string `json:"shape"`
	// Values are the values that KubeVirt lists for the field, if it lists any.
	Values []string `json:"values,omitempty"`
}

// KnownFields returns the fields that a VM may have in the objects that a path selects, sorted
// by name, for instance for an editor that completes paths. For the zero Path it returns those
// of the VM's spec.template. Of a newer KubeVirt, a VM may have other fields, too.
func KnownFields(path vmrules.Path) []KnownField {
	at := []*field{vmapi.OfVM()}
	for _, step := range fieldpath.Steps(path) {
		if descent, ok := step.(fieldpath.Descent); ok {
			at, step = belowAll(at), descent.Step()
		}
		at = stepAll(at, step)
	}
	members := membersOf(at)
	known := make([]KnownField, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		f := members[name]
		known = append(known, KnownField{name, string(f.Shape), slices.Clone(f.Type.Value().Values)})
	}
	return known
}

type field = vmapi.Field

// stepOf returns what a step of a path may select in a field: the items of an array, by any
// index, slice, filter or [*], or the members of an object. It returns nothing if no VM has such a value.
func stepOf(f *field, step fieldpath.Step) []*field {
	if f.Shape == vmapi.Any {
		return []*field{f}
	}
	switch step := step.(type) {
	case fieldpath.Name:
		return f.Member(string(step))
	case fieldpath.Wildcard:
		return f.Children()
	case fieldpath.Union:
		var all []*field
		for _, key := range step.Keys() {
			all = append(all, stepOf(f, key)...)
		}
		return all
	}
	if f.Shape == vmapi.Array {
		return []*field{f.Items}
	}
	return nil
}

func stepAll(fields []*field, step fieldpath.Step) []*field {
	return ofAll(fields, func(f *field) []*field { return stepOf(f, step) })
}

func belowAll(fields []*field) []*field { return ofAll(fields, (*field).Below) }

// ofAll returns what a function returns for several fields, each result once.
func ofAll(fields []*field, of func(*field) []*field) []*field {
	var all []*field
	seen := map[*field]bool{}
	for _, f := range fields {
		for _, found := range of(f) {
			if !seen[found] {
				all = append(all, found)
			}
			seen[found] = true
		}
	}
	return all
}

// membersOf returns the members of fields by their names.
func membersOf(fields []*field) map[string]*field {
	members := map[string]*field{}
	for _, f := range fields {
		maps.Copy(members, f.Members)
	}
	return members
}
