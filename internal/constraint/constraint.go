package constraint

import (
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/value"
)

// A Constraint is an argument with its literals. It is immutable and safe for
// concurrent use.
type Constraint interface {
	// Key returns the key of the argument.
	Key() string
	// Holds reports whether a value satisfies the constraint. An error says why
	// that cannot be decided.
	Holds(v *value.Scalar, b *pcre.Budget) (bool, error)
	// Breach says what is wrong with a value that does not satisfy it.
	Breach(v *value.Scalar) Breach
	// Type returns the type that every value has which satisfies it.
	Type() Type
	// String returns the literals as a message shows them.
	String() string

	// with returns one constraint that demands what this and another with the same
	// key demand: one of the two where that alone does, this one if either does. It
	// returns nil where it takes both, and then the two exclude no other constraint.
	with(other Constraint, b *pcre.Budget) Constraint
	// excludes reports whether no value satisfies both. It may miss that.
	excludes(other Constraint) bool
}

// A Breach is what is wrong with a value.
type Breach struct {
	Fault  Fault
	Limit  any    // the argument's literal: a string, a json.Number or a []string
	Detail string // such as "12 is more than max 8"
}

// usualDetail is how many bytes most details have at most.
const usualDetail = 128
