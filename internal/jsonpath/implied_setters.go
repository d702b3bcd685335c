package jsonpath

import (
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// Setters is a bit set of who may set fields besides the author of an object.
type Setters uint8

// A Condition says when others set a field.
type Condition int

// The conditions. A field that is empty, 0 or false may look missing to others: Go's type for it cannot
// distinguish that.
const (
	IfMissing      Condition = iota // if it is missing; of an object, each member separately
	IfEmptyText                     // if it is missing, or ""
	IfZero                          // if it is missing, or 0
	IfFalse                         // if it is missing, or false
	WholeIfMissing                  // if it is missing; they copy an object with everything in it
	WholeIfEmpty                    // if it is missing, or an empty list; they copy the whole list
	Appended                        // always; they append items to the list
	Overwritten                     // always
)

// A Settable is a field that others may set. They also create missing objects around it, but
// no items of lists.
type Settable struct {
	By     Setters
	Path   string // of names, [*] for the items of a list, and .* for members of any name
	When   Condition
	Inside bool // others do not create a missing parent

	// Only reports whether others may set the field, given the rest of the object. The
	// parent is the object around the field. If Only is nil, they may always set it.
	Only func(in Around, parent any) bool
}

// Around is the object around a field. A [Search] is one.
type Around interface {
	Object() any
	// Look returns the value at a path of members of v; nil if there is none.
	Look(v any, names ...string) any
	// Spend pays for looking at values, and reports whether to go on.
	Spend(values int) bool
}

// AddSettable adds fields that others may set to the tree.
func (f *Implied) AddSettable(fields []Settable) {
	for _, s := range fields {
		path, err := Parse(s.Path)
		if err != nil {
			panic(s.Path + ": " + err.Error()) // of a table
		}
		at, steps := f, path.Steps()
		made := !slices.Contains(steps, jp.Frag(jp.Wildcard('#')))
		for i, step := range steps {
			at = at.grow(step)
			if step == jp.Wildcard('#') {
				made = true
				continue
			}
			if i == len(steps)-1 || made && !s.Inside {
				at.by |= s.By
			}
		}
		at.when, at.only = s.When, s.Only
	}
}

// MaySet returns who of by may set what a path of names and items selects, in any object.
func (f *Implied) MaySet(p *Path, by Setters) Setters {
	for _, step := range p.Steps() {
		if f == nil || f.when.isWhole() && f.by&by != 0 {
			break
		}
		f = f.After(step)
	}
	if f == nil {
		return 0
	}
	return f.by & by
}

// Holds reports whether others set a field with the value next under the condition.
func (c Condition) Holds(next any) bool {
	if next == nil {
		return true
	}
	switch c {
	case IfEmptyText:
		return next == ""
	case IfZero:
		return value.IsZero(next)
	case IfFalse:
		return next == false
	case WholeIfEmpty:
		return value.ShapeOf(next) == value.Array && value.Len(next) == 0
	}
	return c == Overwritten
}

// isWhole reports whether the field that others set may contain any value.
func (c Condition) isWhole() bool {
	return c == WholeIfMissing || c == WholeIfEmpty || c == Appended || c == Overwritten
}
