package jsonpath

import (
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// An Implied field counts even if the object does not contain it, or others may set it.
// Implied fields form a tree. The zero value is a tree without fields; nil is any field that
// is not in the tree.
type Implied struct {
	members     map[string]*Implied
	others      *Implied // members that are not in the tree
	items       *Implied
	value       any  // the default, or nil
	zeroIsUnset bool // 0 means not set

	by   Setters // who may set the field, or create the object for fields in it
	when Condition
	only func(in Around, parent any) bool // nil if always
}

// A StandIn says whether a value is in the object or, if it is not, why it counts.
type StandIn uint8

// With Unset and Zero, it is the default of the field.
const (
	Written StandIn = iota // the value is in the object
	Unset                  // the field is missing
	Zero                   // the field is 0, which counts as missing
)

// SetDefault sets the default of the field of a path, and replaces an earlier one.
func (f *Implied) SetDefault(path *Path, v any) { f.growAll(path).value = value.Resolve(v) }

// SetZeroIsUnset makes a 0 in the field of a path count as missing.
func (f *Implied) SetZeroIsUnset(path *Path) { f.growAll(path).zeroIsUnset = true }

// Default returns the default of the field; nil if there is none.
func (f *Implied) Default() any {
	if f == nil {
		return nil
	}
	return f.value
}

// ZeroIsUnset reports whether a 0 in the field counts as missing.
func (f *Implied) ZeroIsUnset() bool { return f != nil && f.zeroIsUnset }

// Of returns the node of a path whose steps are names or select items; nil for other paths.
func (f *Implied) Of(steps jp.Expr) *Implied {
	for _, step := range steps {
		if _, isUnion := step.(jp.Union); isUnion || selectsMembers(step) {
			return nil
		}
		f = f.After(step)
	}
	return f
}

// Locate returns the node of a location.
func (f *Implied) Locate(at Location) *Implied {
	for _, e := range at {
		f = f.At(e)
	}
	return f
}

// Below returns a tree that has f at a location, and nothing else.
func (f *Implied) Below(at Location) *Implied {
	for _, e := range slices.Backward(at) {
		if e.IsItem() {
			f = &Implied{items: f}
			continue
		}
		f = &Implied{members: map[string]*Implied{e.name: f}}
	}
	return f
}

// growAll returns the node of a path, and adds nodes that are missing.
func (f *Implied) growAll(path *Path) *Implied {
	for _, step := range path.Steps() {
		f = f.grow(step)
	}
	return f
}

// grow returns the node behind a step that is a name, [*] or .*, and adds it if it is missing.
func (f *Implied) grow(step jp.Frag) *Implied {
	if name, ok := step.(jp.Child); ok {
		if f.members == nil {
			f.members = map[string]*Implied{}
		}
		if f.members[string(name)] == nil {
			f.members[string(name)] = &Implied{}
		}
		return f.members[string(name)]
	}
	at := &f.items
	if step == jp.Wildcard('*') {
		at = &f.others
	}
	if *at == nil {
		*at = &Implied{}
	}
	return *at
}

// At returns the node of a member or item.
func (f *Implied) At(e Element) *Implied {
	switch {
	case f == nil:
		return nil
	case e.IsItem():
		return f.items
	}
	if member := f.members[e.name]; member != nil {
		return member
	}
	return f.others
}

// After returns the node behind a step that names a member or selects items.
func (f *Implied) After(step jp.Frag) *Implied {
	if name, ok := step.(jp.Child); ok {
		return f.At(Member(string(name)))
	}
	return f.At(Item(0))
}

// StandIn returns the default that counts for a member of parent, and why. The object has
// next there, which is nil if the member is missing.
func (f *Implied) StandIn(parent, next any) (any, StandIn) {
	switch {
	case f == nil || f.value == nil || value.ShapeOf(parent) != value.Object:
		return nil, Written
	case next == nil:
		return f.value, Unset
	case f.zeroIsUnset && value.IsZero(next):
		return f.value, Zero
	}
	return nil, Written
}
