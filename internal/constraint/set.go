package constraint

import (
	"iter"
	"slices"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Set is what a value has to satisfy: a type, and constraints in the order of
// Arguments. The zero Set admits every scalar. A Set is immutable and safe for
// concurrent use.
type Set struct {
	kind Type
	all  []Constraint
}

// NewSet returns the set of a type and constraints. It sorts and keeps the slice.
func NewSet(kind Type, all []Constraint) Set {
	slices.SortStableFunc(all, func(x, y Constraint) int { return order(x) - order(y) })
	return Set{kind, all}
}

// Type returns the type of all values that satisfy the set. Only bounds demand one: the other constraints
// look at any scalar as it is rendered.
func (s *Set) Type() Type {
	t := s.kind
	for _, c := range s.all {
		if _, isBound := c.(*Bound); isBound {
			t |= Number
		}
	}
	return t
}

// All returns the constraints, in the order of Arguments. The caller must not change
// the slice.
func (s *Set) All() []Constraint { return s.all }

// Get returns the first constraint with a key; nil if there is none.
func (s *Set) Get(key string) Constraint {
	for _, c := range s.all {
		if c.Key() == key {
			return c
		}
	}
	return nil
}

// ReadsNumbers reports whether checking a value reads it as a number.
func (s *Set) ReadsNumbers() bool { return s.Type().Is(Number) }

// holds calls Holds of a constraint. It names the types of the format's arguments, so that
// the compiler sees that neither v nor b escapes to the heap.
func holds(c Constraint, v *value.Scalar, b *meter.Budget) (bool, error) {
	switch c := c.(type) {
	case *Bound:
		return c.Holds(v, b)
	case *Length:
		return c.Holds(v, b)
	case *Allowed:
		return c.Holds(v, b)
	}
	return c.(*Pattern).Holds(v, b)
}

// A Failure is a demand that a value does not satisfy, or may not satisfy.
type Failure struct {
	Demand Constraint // nil: the type
	Err    error      // why it cannot be decided; nil if it is not satisfied
}

// Key returns the key of the argument; "" for the type.
func (f Failure) Key() string {
	if f.Demand == nil {
		return ""
	}
	return f.Demand.Key()
}

// Failures yields what a value does not satisfy, and what cannot be decided. If the type is
// among that, it yields only the type. The scalar is that of the value, if isScalar. What is
// yielded can be paid for before b pays for the next constraint.
func (s *Set) Failures(scalar *value.Scalar, isScalar bool, b *meter.Budget) iter.Seq[Failure] {
	return func(yield func(Failure) bool) {
		if ok, err := s.kind.Admits(scalar, isScalar); !ok || err != nil {
			yield(Failure{Err: err})
			return
		}
		for _, c := range s.all {
			if ok, err := holds(c, scalar, b); (!ok || err != nil) && !yield(Failure{c, err}) {
				return
			}
		}
	}
}

// Breach says what is wrong with a resolved value that does not satisfy a demand of the set.
func (s *Set) Breach(demand Constraint, v any, scalar *value.Scalar) Breach {
	switch c := demand.(type) { // so that the scalar does not escape to the heap
	case nil:
		return Breach{Fault: WrongType, Detail: s.kind.Mismatch(v)}
	case *Bound:
		return c.Breach(scalar)
	case *Length:
		return c.Breach(scalar)
	case *Allowed:
		return c.Breach(scalar)
	}
	return demand.(*Pattern).Breach(scalar)
}

// DetailSize returns about how many bytes the Detail of a Breach has. It does not make the text.
func DetailSize(demand Constraint) int {
	size := usualDetail
	if list, ok := demand.(*Allowed); ok {
		for _, s := range list.list[:min(len(list.list), value.MaxInList)] {
			size += min(len(s), value.MaxShown)
		}
	}
	return size
}
