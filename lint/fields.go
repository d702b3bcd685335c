package lint

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/vmrules/vmrules"
)

//go:embed fields.txt
var fieldTable string

// vmFields returns the tree of fields that a VM may have, starting at the rules' $.
var vmFields = sync.OnceValue(func() *field {
	return readFields(fieldTable)["VirtualMachineInstanceTemplateSpec"]
})

// A field is a field that a VM may have. Fields of the same type share the fields below
// them.
type field struct {
	shape   fieldShape
	scalar  scalar            // only for a scalar
	members map[string]*field // of an object
	items   *field            // the items of an array, or the values of a map
	below   func() []*field   // the field itself and all fields below it, each once
}

type fieldShape int

const (
	objectField fieldShape = iota
	scalarField
	arrayField
	mapField // an object with any names
	anyField
)

func newField(s fieldShape, items *field) *field {
	f := &field{shape: s, items: items}
	f.below = sync.OnceValue(func() []*field { return f.collect(nil, map[*field]bool{}) })
	return f
}

// readFields reads a table of fields, and returns its types by name. fields.txt describes
// the notation.
func readFields(table string) map[string]*field {
	t := fieldTypes{}
	var current *field
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] != '\t':
			current = t.named(words[0])
		default:
			for _, word := range words {
				t.add(current, word)
			}
		}
	}
	return t
}

// fieldTypes has types by their names, and fields of other types by how the table writes
// these.
type fieldTypes map[string]*field

func (t fieldTypes) named(name string) *field {
	if t[name] == nil {
		t[name] = newField(objectField, nil)
		t[name].members = map[string]*field{}
	}
	return t[name]
}

// add adds a field to an object, or a value to a string.
func (t fieldTypes) add(to *field, word string) {
	if value, ok := strings.CutPrefix(word, "="); ok {
		to.shape, to.scalar.sort = scalarField, textScalar
		to.scalar.values = append(to.scalar.values, value)
		return
	}
	name, written, _ := strings.Cut(word, ":")
	to.members[name] = t.of(written)
}

// of returns a field of a type.
func (t fieldTypes) of(written string) *field {
	if t[written] == nil {
		t[written] = t.read(written)
	}
	return t[written]
}

func (t fieldTypes) read(written string) *field {
	if item, ok := strings.CutPrefix(written, "[]"); ok {
		return newField(arrayField, t.of(item))
	}
	if item, ok := strings.CutPrefix(written, "{}"); ok {
		return newField(mapField, t.of(item))
	}
	if written == "any" {
		return newField(anyField, nil)
	}
	pointee, isPointer := strings.CutPrefix(written, "*")
	sort, isScalar := scalarSorts[pointee]
	if !isPointer && !isScalar {
		return t.named(written)
	}
	f := newField(scalarField, nil)
	f.scalar.sort = sort
	if isPointer {
		f.scalar.pointee = t.of(pointee)
	}
	return f
}

func (f *field) collect(found []*field, seen map[*field]bool) []*field {
	if seen[f] {
		return found
	}
	seen[f] = true
	found = append(found, f)
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		found = f.members[name].collect(found, seen)
	}
	if f.items != nil {
		found = f.items.collect(found, seen)
	}
	return found
}

// step returns what a step of a path may select in a field: the items of an array, by any
// index, slice, filter or [*], or the members of an object. It returns nothing if no VM has such a value.
func (f *field) step(step vmrules.Step) []*field {
	if f.shape == anyField {
		return []*field{f}
	}
	switch step := step.(type) {
	case vmrules.NameStep:
		return f.member(string(step))
	case vmrules.WildcardStep:
		return f.children()
	case vmrules.UnionStep:
		return f.union(step)
	}
	if f.shape == arrayField {
		return []*field{f.items}
	}
	return nil
}

func (f *field) member(name string) []*field {
	if f.shape == mapField {
		return []*field{f.items}
	}
	if found := f.members[name]; found != nil {
		return []*field{found}
	}
	return nil
}

func (f *field) children() []*field {
	var all []*field
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		all = append(all, f.members[name])
	}
	if f.items != nil {
		all = append(all, f.items)
	}
	return all
}

func (f *field) union(union vmrules.UnionStep) []*field {
	var all []*field
	for _, key := range union.Keys() {
		if name, ok := key.(vmrules.NameStep); ok {
			all = append(all, f.member(string(name))...)
		} else if f.shape == arrayField {
			all = append(all, f.items)
		}
	}
	return all
}

// stepAll returns what step returns for several fields, each result once.
func stepAll(fields []*field, step vmrules.Step) []*field {
	if len(fields) == 1 {
		return unique(fields[0].step(step))
	}
	var all []*field
	for _, f := range fields {
		all = append(all, f.step(step)...)
	}
	return unique(all)
}

// belowAll returns the fields and all fields below them, each once.
func belowAll(fields []*field) []*field {
	if len(fields) == 1 {
		return fields[0].below()
	}
	var all []*field
	for _, f := range fields {
		all = append(all, f.below()...)
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
		for name := range f.members {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
