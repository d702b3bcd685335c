// Package vmapi knows the fields that KubeVirt's API gives a VM, and their types. Its table,
// fields.txt, is generated from KubeVirt's Go types; objects.txt, by hand, has what is around VMs.
package vmapi

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ohler55/ojg/jp"
)

//go:embed fields.txt
var table string

//go:embed objects.txt
var objects string

var all = sync.OnceValue(func() map[string]*Field { return read(table + objects) })

// Versions are the versions of KubeVirt that fields.txt tells apart, the oldest first.
var Versions = []string{"1.8", "1.9"}

// OfVM returns the tree of fields that a VM may have, starting at the rules' $.
func OfVM() *Field { return all()["VirtualMachineInstanceTemplateSpec"] }

// OfKind returns the tree of fields of the objects of a kind that holds VMs.
func OfKind(kind string) *Field { return all()[kind] }

// A Field is a field that a VM may have. Fields of the same type share the fields below
// them. A Field must not be changed.
type Field struct {
	Shape   Shape
	Type    Type              // only of a Scalar
	Members map[string]*Field // of an Object
	Items   *Field            // the items of an Array, or the values of a Map
	Since   string            // the version of KubeVirt that brought it, or "embedded", as fields.txt says

	below func() []*Field
}

// A Shape is the JSON type of a field.
type Shape string

// The shapes.
const (
	Object Shape = "object"
	Scalar Shape = "scalar"
	Array  Shape = "array"
	Map    Shape = "map" // an object with any names
	Any    Shape = "any"
)

// A Type describes a scalar field: its values in JSON, and its type in Go.
type Type struct {
	Sort    Sort
	Values  []string // the values that KubeVirt lists; nil if it lists none
	Pointee *Field   // not nil if the type in Go is a pointer to this one
}

// A Sort says what the values of a scalar field are.
type Sort int

// The sorts.
const (
	Text Sort = iota
	Integer
	Boolean
	Quantity      // a number, or a string that is one
	Time          // a string
	IntegerOrText // a struct in Go
)

// sorts has the sorts by their names in fields.txt.
var sorts = map[string]Sort{
	"": Text, "string": Text, "int": Integer, "bool": Boolean,
	"quantity": Quantity, "time": Time, "int-or-string": IntegerOrText,
}

// Value returns the type itself, or that to which it points.
func (t Type) Value() Type {
	if t.Pointee != nil {
		return t.Pointee.Type
	}
	return t
}

func newField(s Shape, items *Field) *Field {
	f := &Field{Shape: s, Items: items}
	f.below = sync.OnceValue(func() []*Field { return f.collect(nil, map[*Field]bool{}) })
	return f
}

// read reads a table of fields, and returns its types by name. fields.txt describes
// the notation.
func read(table string) map[string]*Field {
	t := types{}
	for line := range strings.Lines(strings.ReplaceAll(table, "\n\t", " ")) { // each with a whole type
		words := strings.Fields(line)
		if len(words) == 0 || line[0] == '#' {
			continue
		}
		for _, word := range words[1:] {
			t.add(t.of(words[0]), word)
		}
	}
	return t
}

// types has types by their names, and fields of other types by how the table writes
// these.
type types map[string]*Field

// add adds a field to an object, or a value to a string.
func (t types) add(to *Field, word string) {
	if value, ok := strings.CutPrefix(word, "="); ok {
		to.Shape, to.Type.Sort = Scalar, Text
		to.Type.Values = append(to.Type.Values, value)
		return
	}
	name, written, _ := strings.Cut(word, ":")
	to.Members[name] = t.of(written)
}

// of returns a field of a type.
func (t types) of(written string) *Field {
	if t[written] == nil {
		t[written] = t.read(written)
	}
	return t[written]
}

func (t types) read(written string) *Field {
	if written, since, ok := strings.Cut(written, "@"); ok {
		newer := *t.of(written)
		newer.Since = since
		return &newer
	}
	if item, ok := strings.CutPrefix(written, "[]"); ok {
		return newField(Array, t.of(item))
	}
	if item, ok := strings.CutPrefix(written, "{}"); ok {
		return newField(Map, t.of(item))
	}
	if written == "any" {
		return newField(Any, nil)
	}
	pointee, isPointer := strings.CutPrefix(written, "*")
	sort, isScalar := sorts[pointee]
	if !isPointer && !isScalar {
		object := newField(Object, nil)
		object.Members = map[string]*Field{}
		return object
	}
	f := newField(Scalar, nil)
	f.Type.Sort = sort
	if isPointer {
		f.Type.Pointee = t.of(pointee)
	}
	return f
}

// At returns the field that the steps of a path lead to; nil if that is not known.
func (f *Field) At(steps jp.Expr) *Field {
	for _, step := range steps {
		var next []*Field
		if name, isName := step.(jp.Child); isName {
			next = f.Member(string(name))
		} else if f.Shape == Array {
			next = []*Field{f.Items}
		}
		if len(next) != 1 {
			return nil
		}
		f = next[0]
	}
	return f
}

// Below returns the field itself and all fields below it, each once.
func (f *Field) Below() []*Field { return f.below() }

func (f *Field) collect(found []*Field, seen map[*Field]bool) []*Field {
	if seen[f] {
		return found
	}
	seen[f] = true
	found = append(found, f)
	for _, next := range f.Children() {
		found = next.collect(found, seen)
	}
	return found
}

// Member returns the field of a name, if the field may have it.
func (f *Field) Member(name string) []*Field {
	if f.Shape == Map {
		return []*Field{f.Items}
	}
	if found := f.Members[name]; found != nil {
		return []*Field{found}
	}
	return nil
}

// Children returns the fields that are members, sorted by name, or the items.
func (f *Field) Children() []*Field {
	var all []*Field
	for _, name := range slices.Sorted(maps.Keys(f.Members)) {
		all = append(all, f.Members[name])
	}
	if f.Items != nil {
		all = append(all, f.Items)
	}
	return all
}
