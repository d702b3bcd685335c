package constraint

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// The keys of the arguments.
const (
	Min       = "min"
	Max       = "max"
	MinLength = "minLength"
	MaxLength = "maxLength"
	Values    = "values"
	Regex     = "regex"
)

// An Argument describes an argument of the format. Spec: Rule arguments.
type Argument struct {
	Key     string
	OldName string // its key in version 201901-1; "" if that is the same
	Kind    string // the kind that the specification lists it for
	Wanted  string // what it may be, for messages
	// IsList means that it is a list of literals and paths, or a path that selects the list.
	IsList bool
	// IsUnquoted means that the annotation must not put a literal in quotes.
	IsUnquoted bool

	build func(a *Argument, literals []value.Scalar, b *meter.Budget) (Constraint, error)
}

// Arguments lists all arguments, in the order in which a value is checked by them.
var Arguments = [...]Argument{
	{Key: Min, Kind: "integer", Wanted: wantedNumber, build: newBound},
	{Key: Max, Kind: "integer", Wanted: wantedNumber, build: newBound},
	{Key: MinLength, Kind: "string", Wanted: wantedLength, IsUnquoted: true, build: newLength},
	{Key: MaxLength, Kind: "string", Wanted: wantedLength, IsUnquoted: true, build: newLength},
	{Key: Values, OldName: "included", Kind: "enum", Wanted: "an array of values, or a JSONPath that yields one", IsList: true, build: newAllowed},
	{Key: Regex, Kind: "regex", Wanted: "a regular expression in a string, or a JSONPath", build: newPattern},
}

const (
	wantedNumber = `a number, a quantity such as "2Gi", or a JSONPath`
	wantedLength = "a whole number that is not negative, or a JSONPath"
)

// Named returns the argument with a key; nil if there is none.
func Named(key string) *Argument {
	for i := range Arguments {
		if Arguments[i].Key == key {
			return &Arguments[i]
		}
	}
	return nil
}

// New returns the constraint of the argument with these literals; there is one unless
// IsList. It pays for patterns from b. An error is an [*Error], whose text continues a
// sentence that begins with the key.
func (a *Argument) New(literals []value.Scalar, b *meter.Budget) (Constraint, error) {
	return a.build(a, literals, b)
}

// unfit returns the error for a literal that the argument does not accept.
func (a *Argument) unfit(f Fault, literal value.Scalar) error {
	hint := jsonpath.PrefixHint(literal.Text())
	if meant := quantity.Meant(literal.Text()); a.Wanted == wantedNumber && meant != nil {
		hint += `: did you mean "` + strings.Join(meant, `" or "`) + `"?`
	}
	return &Error{f, fmt.Errorf("must be %s, not %s%s", a.Wanted, literal.Describe(), hint)}
}

// Meant returns what a literal that the argument does not accept probably means; "" if that is not known.
func (a *Argument) Meant(literal string) string {
	if a == nil || a.Wanted != wantedNumber {
		return ""
	}
	if meant := quantity.Meant(literal); meant != nil {
		return meant[0]
	}
	return ""
}

// An Error says why a literal cannot be an argument.
type Error struct {
	Fault Fault
	error
}

func (e *Error) Unwrap() error { return e.error }

// A Fault says what sort of thing is wrong with a value or a literal.
type Fault int

// The faults.
const (
	Invalid   Fault = iota
	WrongType       // it has another type
	NotListed       // it is not one of the allowed values
	TooLong         // it is longer than allowed
)
