package lint

import (
	"maps"
	"slices"

	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

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
		return unionOf(f, step)
	}
	if f.Shape == vmapi.Array {
		return []*field{f.Items}
	}
	return nil
}

func unionOf(f *field, union fieldpath.Union) []*field {
	var all []*field
	for _, key := range union.Keys() {
		all = append(all, stepOf(f, key)...)
	}
	return all
}

// stepAll returns what stepOf returns for several fields, each result once.
func stepAll(fields []*field, step fieldpath.Step) []*field {
	var all []*field
	for _, f := range fields {
		all = append(all, stepOf(f, step)...)
	}
	return unique(all)
}

// belowAll returns the fields and all fields below them, each once.
func belowAll(fields []*field) []*field {
	if len(fields) == 1 {
		return fields[0].Below()
	}
	var all []*field
	for _, f := range fields {
		all = append(all, f.Below()...)
	}
	return unique(all)
}

func unique(fields []*field) []*field {
	if len(fields) < 2 {
		return fields
	}
	seen := make(map[*field]bool, len(fields))
	return slices.DeleteFunc(slices.Clone(fields), func(f *field) bool {
		again := seen[f]
		seen[f] = true
		return again
	})
}

// namesIn returns the sorted names of the members of fields.
func namesIn(fields []*field) []string {
	all := map[string]bool{}
	for _, f := range fields {
		for name := range f.Members {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
