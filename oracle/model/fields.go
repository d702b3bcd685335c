package model

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

// The tables of the fields that always exist (201902-2: valid) and of those that an
// instance type or a preference may set (instancetypes.md). Their heads say how they
// are read.
var (
	//go:embed defaults.txt
	defaultTable string
	//go:embed instancetype.txt
	settableTable string
)

// A field is what a table says of a field, and of those below it: by name, or as
// in the table, each item and each member.
type field struct {
	below  map[string]*field
	flags  string
	unless []string
	value  any // the default
}

const (
	eachItem   = "[*]"
	addedItem  = "[+]"
	eachMember = "[any]"
)

// rows returns the words of each line of a table.
func rows(table string) [][]string {
	var all [][]string
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.Fields(line))
		}
	}
	return all
}

var namePart = regexp.MustCompile(`\[(?:` + quotes + `|[^\]'"])*\]|(?:[^.\[\\]|\\.)+`)

// at returns the field of a path below f.
func (f *field) at(path string) *field {
	for _, part := range namePart.FindAllString(path, -1) {
		name, present := strings.CutSuffix(part, "?")
		if quoted, ok := unquote(strings.Trim(name, "[]")); ok {
			name = quoted
		} else if name == addedItem {
			name, f.flags = eachItem, f.flags+"+"
		} else {
			name = unescape(name)
		}
		if f.below == nil {
			f.below = map[string]*field{}
		}
		if f.below[name] == nil {
			f.below[name] = &field{}
			if present {
				f.below[name].flags = "?"
			}
		}
		f = f.below[name]
	}
	return f
}

// fieldsSetBy returns the fields that the references of a VM may set.
func fieldsSetBy(instancetype, preference bool) *field {
	root := &field{}
	for _, words := range rows(settableTable) {
		flags := words[1]
		if instancetype && strings.Contains(flags, "i") || preference && strings.Contains(flags, "p") {
			f := root.at(words[0])
			f.flags, f.unless = f.flags+flags, words[2:]
		}
	}
	return root
}

// existingFields returns the fields that always exist. With RootObject, those of the
// format do not; those of the options come on top.
func existingFields(opts Options) (*field, error) {
	root := &field{}
	for _, words := range rows(defaultTable) {
		f := root.at(words[0])
		f.flags = words[1]
		if !opts.RootObject {
			f.value, _ = decode([]byte(words[2]))
		}
	}
	for _, d := range opts.Defaults {
		value, err := plainJSON(d.Value)
		if err != nil {
			return nil, err
		}
		root.at(readPath(d.Path).written).value = value
	}
	return root, nil
}

func (f *field) has(flag string) bool { return f != nil && strings.Contains(f.flags, flag) }

func (f *field) member(name string) *field {
	if c := f.child(name); c != nil {
		return c
	}
	return f.child(eachMember)
}

func (f *field) child(name string) *field {
	if f == nil {
		return nil
	}
	return f.below[name]
}

// names returns the names of the fields below.
func (f *field) names() []string {
	var names []string
	if f != nil {
		for name := range f.below {
			if !strings.HasPrefix(name, "[") {
				names = append(names, name)
			}
		}
	}
	return names
}

// countsFor reports whether a default counts for what the object has.
func (f *field) countsFor(n *node) bool {
	if f == nil || f.value == nil {
		return false
	}
	return n == nil || f.has("0") && isZero(n.value)
}

// appears reports whether a field may come into an object that does not have it.
func (f *field) appears(members map[string]any) bool {
	return f != nil && !f.has("?") && !f.exempt(members)
}

// exempt reports whether one of the fields is there without which f may be set.
func (f *field) exempt(members map[string]any) bool {
	return slices.ContainsFunc(f.unless, func(name string) bool { return members[name] != nil })
}

// changes reports whether a value that the VM has may become another: the field
// is set whatever the VM says, or this value counts as not set.
func (f *field) changes(v any, members map[string]any) bool {
	return f.has("!") || f.has("0") && isUnset(v, f.has("*")) && !f.exempt(members)
}

// isUnset reports whether a value is the zero value of a scalar, or of a list.
func isUnset(v any, list bool) bool {
	if items, ok := v.([]any); ok || list {
		return ok && list && len(items) == 0
	}
	return v == "" || v == false || isZero(v)
}
