package model

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// fieldTable lists the fields that always exist (201902-2: valid), and those that an
// instance type or a preference may set (instancetypes.md). Its head describes its form.
//
//go:embed fields.txt
var fieldTable string

// A row is a line of the table.
type row struct {
	parts  []string // of the path
	flags  string
	value  any // the field's default
	unless []string
}

var table = readTable()

func readTable() []row {
	var rows []row
	for line := range strings.Lines(fieldTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		flags, literal, isDefault := strings.Cut(words[1], "=")
		r := row{parts: partsOf(words[0]), flags: flags, unless: words[2:]}
		if isDefault {
			r.value, _ = decode(literal)
		}
		rows = append(rows, r)
	}
	return rows
}

var partForm = regexp.MustCompile(`\[(?:` + quotes + `|[^\]'"])*\]|(?:[^.\[\\]|\\.)+`)

func partsOf(path string) []string { return partForm.FindAllString(path, -1) }

// A field has the table's row for a field, and the fields below it: by name, and as [*],
// [+] and [any].
type field struct {
	row
	set     bool // the VM's instance type or preference may set it
	appears bool // it may set this field, or one below, even if the VM does not have it
	below   map[string]*field
}

// fieldsOf returns the fields that exist, or may be set, in a target.
func fieldsOf(t target) (*field, error) {
	root := &field{}
	for _, r := range table {
		set := t.instancetype && strings.Contains(r.flags, "i") || t.preference && strings.Contains(r.flags, "p")
		f := root.at(r.parts, set)
		f.row, f.set = r, set
		if t.options.RootObject {
			f.value = nil
		}
	}
	for _, d := range t.options.Defaults {
		value, err := plainJSON(d.Value)
		if err != nil {
			return nil, err
		}
		root.at(partsOf(readPath(d.Path).written), false).value = value
	}
	return root, nil
}

// at returns the field of a path below f. If it may be set, the fields around it may appear.
func (f *field) at(parts []string, set bool) *field {
	for _, part := range parts {
		name, present := strings.CutSuffix(part, "?")
		if inner := strings.Trim(name, "[]"); isQuoted(inner) {
			name = inner
		}
		if f.below == nil {
			f.below = map[string]*field{}
		}
		c := f.child(readName(name))
		f.below[readName(name)] = c
		c.appears = c.appears || set && !present
		f = c
	}
	return f
}

// child returns the first of these fields that the table has.
func (f *field) child(names ...string) *field {
	for _, name := range names {
		if c := f.below[name]; c != nil {
			return c
		}
	}
	return &field{}
}

// names returns the names of the fields below.
func (f *field) names() []string {
	inBrackets := func(name string) bool { return strings.HasPrefix(name, "[") }
	return slices.DeleteFunc(slices.Collect(maps.Keys(f.below)), inBrackets)
}

func (f *field) has(flag string) bool { return strings.Contains(f.flags, flag) }

// exempt reports whether the object around f has a field that keeps f from being set.
func (f *field) exempt(around map[string]any) bool {
	return slices.ContainsFunc(f.unless, func(name string) bool { return around[name] != nil })
}

// changes reports whether a value in the VM may be replaced: the field is always set, or
// this value counts as not set.
func (f *field) changes(v any) bool {
	if !f.set || !f.has("0") {
		return f.set && f.has("!")
	}
	if items, isList := v.([]any); isList || f.has("*") {
		return isList && f.has("*") && len(items) == 0
	}
	switch {
	case f.has("z"):
		return isZero(v)
	case f.has("b"):
		return v == false
	}
	return v == ""
}
