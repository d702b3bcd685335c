package constraint

import (
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Constraint is an argument with its literals. It is immutable and safe for
// concurrent use.
type Constraint interface {
	// Key returns the key of the argument.
	Key() string
	// Holds reports whether a value satisfies the constraint. An error says why
	// that cannot be decided.
	Holds(v *value.Scalar, b *meter.Budget) (bool, error)
	// Breach says what is wrong with a value that does not satisfy it.
	Breach(v *value.Scalar) Breach
	// String returns the literals as a message shows them.
	String() string

	// with returns one constraint that demands as much as this one and another with the
	// same key. That is one of the two if it is at least as strict as the other, and this
	// one if they are equally strict. If there is no such constraint, with returns nil;
	// then neither of the two excludes any other constraint.
	with(other Constraint, b *meter.Budget) Constraint
	// excludes reports whether no value satisfies both. It may return false although none
	// does.
	excludes(other Constraint) bool
}

// A Breach says what is wrong with a value.
type Breach struct {
	Fault  Fault
	Limit  any    // the argument's literal: a string, a json.Number or a []string
	Detail string // such as "12 is more than max 8"
}

// usualDetail is a size in bytes that is enough for most details.
const usualDetail = 128
