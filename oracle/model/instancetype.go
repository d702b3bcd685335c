package model

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

// A settable is a field that an instance type or a preference may set when
// KubeVirt starts the VM, or an object with such fields below (instancetypes.md,
// design 4: Instance types and preferences).
type settable struct {
	members map[string]*settable // by name, or as below
	flags   string
	unless  []string
}

const (
	anyItem     = "[*]"   // each item of an array
	addedItem   = "[+]"   // each item, and those that are added
	addedMember = "[any]" // each member, and those that are added
)

// settableFields is the table of these fields; its head says how it is read.
//
//go:embed instancetype.txt
var settableFields string

// fieldsSetBy returns the fields that the references of a VM may set; nil where
// it has none.
func fieldsSetBy(instancetype, preference bool) *settable {
	if !instancetype && !preference {
		return nil
	}
	root := &settable{}
	for line := range strings.Lines(settableFields) {
		words := strings.Fields(line)
		if words[0][0] == '#' {
			continue
		}
		names, flags, unless := words[0], words[1], words[2:]
		if instancetype && strings.Contains(flags, "i") || preference && strings.Contains(flags, "p") {
			f := root.make(strings.Split(strings.ReplaceAll(names, "[", ".["), "."))
			f.flags, f.unless = f.flags+flags, unless
		}
	}
	return root
}

// make returns the field of these names below f.
func (f *settable) make(names []string) *settable {
	for _, name := range names {
		name, present := strings.CutSuffix(name, "?")
		if f.members == nil {
			f.members = map[string]*settable{}
		}
		c := f.members[name]
		if c == nil {
			c = &settable{}
			if present {
				c.flags = "?"
			}
			f.members[name] = c
		}
		f = c
	}
	return f
}

func (f *settable) has(flag string) bool { return f != nil && strings.Contains(f.flags, flag) }

// child returns the field at a name or index. What is set as a whole has nothing
// settable below, where the VM has it.
func (f *settable) child(part any, unknown bool) *settable {
	if f == nil {
		return nil
	}
	if f.has("*") && unknown {
		return f
	}
	name, isName := part.(string)
	if !isName || name == anyItem {
		return cmp.Or(f.members[anyItem], f.members[addedItem])
	}
	return cmp.Or(f.members[name], f.members[addedMember])
}

// appears reports whether a field may come into an object that does not have it.
func (f *settable) appears(members map[string]any) bool {
	return f != nil && !f.has("?") && !f.exempt(members)
}

// exempt reports whether one of the fields is there without which f may be set.
func (f *settable) exempt(members map[string]any) bool {
	return slices.ContainsFunc(f.unless, func(name string) bool { return members[name] != nil })
}

// changes reports whether a value that the VM has may become another: the field
// is set whatever the VM says, or this value counts as not set.
func (f *settable) changes(v any, members map[string]any) bool {
	return f.has("!") || f.has("0") && isUnset(v, f.has("*")) && !f.exempt(members)
}

// isUnset reports whether a value is the zero value of a scalar, or of a list.
func isUnset(v any, list bool) bool {
	if items, ok := v.([]any); ok || list {
		return ok && list && len(items) == 0
	}
	return v == "" || v == false || isZero(v)
}

// unknownBelow returns what may be at a name, or anyItem, of an unknown value.
func (f *settable) unknownBelow(m match, name string) []match {
	if c := f.child(name, true); c != nil && !c.has("?") {
		return []match{{location: m.location.with(name), settable: c, unknown: true}}
	}
	return nil
}

// allUnknownBelow returns all that may be in an unknown value, or be added to the
// object that the VM has.
func (f *settable) allUnknownBelow(m match) []match {
	if f == nil {
		return nil
	}
	if f.has("*") && m.unknown {
		return f.unknownBelow(m, "*")
	}
	var all []match
	for name := range f.members {
		if m.unknown || name != anyItem && name != addedItem {
			all = append(all, f.unknownBelow(m, name)...)
		}
	}
	return all
}
