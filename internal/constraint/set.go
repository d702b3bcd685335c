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

// Type returns the type of all values that satisfy the set.
func (s *Set) Type() Type {
	t := s.kind
	for _, c := range s.all {
		t |= c.Type()
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

// IsLinear reports whether judging a value takes linear time, so that it needs no time
// limit.
func (s *Set) IsLinear() bool {
	return !slices.ContainsFunc(s.all, func(c Constraint) bool {
		p, isPattern := c.(*Pattern)
		return isPattern && !p.IsLinear()
	})
}

// ReadsNumbers reports whether judging a value reads it as a number.
func (s *Set) ReadsNumbers() bool { return s.Type().Is(Number) }

// Admits reports whether a value certainly satisfies the set. It returns false if that
// cannot be decided.
func (s *Set) Admits(v *value.Scalar, b *meter.Budget) bool {
	if ok, err := s.kind.Admits(v, true); !ok || err != nil {
		return false
	}
	for _, c := range s.all {
		if ok, err := holds(c, v, b); !ok || err != nil {
			return false
		}
	}
	return true
}

// holds calls Holds of a constraint. It names the types of the format's arguments, so that
// the compiler sees that neither v nor b escapes to the heap. Another type gets copies,
// which do.
func holds(c Constraint, v *value.Scalar, b *meter.Budget) (bool, error) {
	switch c := c.(type) {
	case *Bound:
		return c.Holds(v, b)
	case *Length:
		return c.Holds(v, b)
	case *Allowed:
		return c.Holds(v, b)
	case *Pattern:
		return c.Holds(v, b)
	}
	scalar, budget := *v, *b
	ok, err := c.Holds(&scalar, &budget)
	*b = budget
	return ok, err
}

// A Failure is a demand that a value does not satisfy, or may not satisfy.
type Failure struct {
	Key string // the key of the argument; "" for the type
	Breach
	Err error // why it cannot be decided; the Breach is then empty
}

// Failures yields what a resolved value does not satisfy, and what cannot be decided. If
// the type is among that, it yields only the type. The scalar is that of the value, if
// isScalar. What is yielded can be paid for before b pays for the next constraint.
func (s *Set) Failures(v any, scalar *value.Scalar, isScalar bool, b *meter.Budget) iter.Seq[Failure] {
	return func(yield func(Failure) bool) {
		switch ok, err := s.kind.Admits(scalar, isScalar); {
		case err != nil:
			yield(Failure{Err: err})
			return
		case !ok:
			yield(Failure{Breach: Breach{Fault: WrongType, Detail: s.kind.Mismatch(v)}})
			return
		}
		for _, c := range s.all {
			ok, err := c.Holds(scalar, b)
			switch {
			case err != nil:
				ok = yield(Failure{Key: c.Key(), Err: err})
			case !ok:
				ok = yield(Failure{Key: c.Key(), Breach: c.Breach(scalar)})
			}
			if !ok {
				return
			}
		}
	}
}
