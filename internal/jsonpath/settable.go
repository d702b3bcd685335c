package jsonpath

import (
	"strings"

	"github.com/vmrules/vmrules/internal/value"
)

// Setters are a set of those who may set fields besides the author of an object, a
// bit for each.
type Setters uint8

// A Condition says when others set a field.
type Condition int

const (
	// IfMissing: the field is not there. Members of an object that is written are
	// missing each for itself.
	IfMissing Condition = iota
	// IfZero: the field is not there, or is "", 0 or false.
	IfZero
	// WholeIfMissing: the field is not there; an object is then copied with all
	// that is in it.
	WholeIfMissing
	// WholeIfEmpty: the list is not there or has no items; it is then copied.
	WholeIfEmpty
	// Appended: always, behind the items that are written.
	Appended
	// Overwritten: always.
	Overwritten
)

// A Settable field is one that others may set. The objects around it are made where
// they are missing, but not items of lists.
type Settable struct {
	By Setters
	// Path has names, [*] for the items of a list, and * for members of any name.
	Path string
	When Condition
	// Only reports whether the rest of the object, which is searched, allows it;
	// parent is the object around the field. A nil function allows it always.
	Only func(s *Search, parent any) bool
	// Inside means that the parent is not made where it is missing.
	Inside bool
}

// AddSettable adds fields that others may set to the tree.
func (f *Implied) AddSettable(fields []Settable) {
	for _, s := range fields {
		at := f
		steps := strings.Split(strings.ReplaceAll(s.Path, "[*]", ".[*]"), ".")
		made := strings.Count(s.Path, "[*]") == 0
		for i, step := range steps {
			at = at.growStep(step)
			if step == "[*]" {
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

func (f *Implied) growStep(step string) *Implied {
	switch step {
	case "[*]":
		return f.growItems()
	case "*":
		f.others = &Implied{}
		return f.others
	}
	return f.growMember(step)
}

// MaySet returns those of by who may set what a path of names and items selects, in
// some object.
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

// isUnset reports whether a value is what Go's types cannot tell from a field
// that is not there.
func isUnset(v any) bool { return v == nil || v == "" || v == false || isZero(v) }

// Holds reports whether others set a field under the condition, where the object
// has next there.
func (c Condition) Holds(next any) bool {
	switch c {
	case IfZero:
		return isUnset(next)
	case WholeIfEmpty:
		return next == nil || value.ShapeOf(next) == value.Array && value.Len(next) == 0
	case IfMissing, WholeIfMissing, Appended:
		return next == nil
	}
	return true
}

// isWhole reports whether what is set may hold anything.
func (c Condition) isWhole() bool {
	return c == WholeIfMissing || c == WholeIfEmpty || c == Appended || c == Overwritten
}
