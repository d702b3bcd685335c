package ssp

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed types.txt
var table string

// templateType is the type of a VM's spec.template.
var templateType = sync.OnceValue(func() *goType { return readTypes(table)["VirtualMachineInstanceTemplateSpec"] })

// A shape is what a type is made of. A value of any other shape than pointer, array, mapping and
// structure is a scalar.
type shape string

const (
	pointer   shape = "*"
	array     shape = "[]"
	mapping   shape = "{}"
	structure shape = "struct"
	boolean   shape = "bool"
	text      shape = "string"
	byteShape shape = "uint8"
	float     shape = "float64"
	quantum   shape = "quantity"
	instant   shape = "time"
	either    shape = "int-or-string"
	anything  shape = "any"
)

type goType struct {
	name   string // as reflect.Type prints it
	shape  shape
	of     *goType // of a pointer, array or mapping
	fields []goField
}

// A goField is a field of a structure. An embedded one has no name.
type goField struct {
	name string
	typ  *goType
}

func (t *goType) isInteger() bool {
	return strings.HasPrefix(string(t.shape), "int") && t.shape != either || t.isUnsigned()
}

func (t *goType) isUnsigned() bool { return strings.HasPrefix(string(t.shape), "uint") }

// field returns a field by its name in JSON. Of several embedded structs, the JSONPath package
// searches only the last.
func (t *goType) field(name string) *goType {
	var embedded *goType
	for _, f := range t.fields {
		if f.name == name {
			return f.typ
		}
		if f.name == "" {
			embedded = f.typ
		}
	}
	if embedded == nil {
		return nil
	}
	return embedded.field(name)
}

// types has types by how the table writes them.
type types map[string]*goType

func readTypes(table string) types {
	t := types{}
	for line := range strings.Lines(strings.ReplaceAll(table, "\n\t", " ")) { // each with a whole type
		words := strings.Fields(line)
		if len(words) == 0 || line[0] == '#' {
			continue
		}
		current := t.of(words[0])
		current.shape = structure
		for _, word := range words[1:] {
			t.add(current, word)
		}
	}
	return t
}

// add adds a field to a structure, or says what a type of another name is.
func (t types) add(to *goType, word string) {
	if underlying, ok := strings.CutPrefix(word, "="); ok {
		same := t.of(underlying)
		to.shape, to.of = same.shape, same.of
		return
	}
	name, written, isOther := strings.Cut(word, ":")
	if !isOther {
		written = string(text)
	}
	to.fields = append(to.fields, goField{name, t.of(written)})
}

// of returns the type of a notation.
func (t types) of(written string) *goType {
	if t[written] != nil {
		return t[written]
	}
	found := &goType{name: written, shape: shape(written)}
	t[written] = found
	for _, s := range []shape{pointer, array, mapping} {
		if element, ok := strings.CutPrefix(written, string(s)); ok {
			found.shape, found.of = s, t.of(element)
			found.name = strings.Replace(string(s), "{}", "map[string]", 1) + found.of.name
			return found
		}
	}
	found.name = printedName(written)
	return found
}

// printedName returns the name of a type with that of its package, unless it is built into Go.
func printedName(written string) string {
	path, name, ok := strings.Cut(written, ".")
	switch {
	case !ok && unicode.IsUpper(rune(written[0])):
		return "v1." + written
	case path == "core" || path == "meta":
		return "v1." + name
	}
	return written
}
