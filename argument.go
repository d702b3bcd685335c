package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// An Argument is what a rule's constraint compares with: a literal, or a
// JSONPath whose value is read from the object. The zero value means that there is
// no argument.
// An Argument is immutable and safe for concurrent use. Spec: Rule arguments.
type Argument struct {
	path    Path
	literal any // string, bool or json.Number; nil: none
}

// NewArgument returns an argument made from a Path, a string (a JSONPath if it has
// the prefix), a bool, a json.Number or any Go number. Anything else, and a path that cannot be read, is
// an error, which has no type of its own.
func NewArgument(v any) (Argument, error) {
	if path, ok := v.(Path); ok {
		if path.IsZero() {
			return Argument{}, errors.New("the zero Path cannot be an argument")
		}
		return Argument{path: path}, nil
	}
	v = value.Resolve(v)
	s, ok := value.ScalarOf(v)
	switch {
	case !ok:
		return Argument{}, fmt.Errorf("an argument is a string, a number, a boolean or a JSONPath, not %s", value.Describe(v))
	case s.Err() != nil:
		return Argument{}, fmt.Errorf("the argument %w", s.Err())
	case s.Shape() == value.String && strings.HasPrefix(s.Text(), jsonpath.Prefix):
		path, err := ParsePath(s.Text())
		return Argument{path: path}, err
	case s.Shape() == value.Number:
		if written, ok := v.(json.Number); ok && written != "" {
			return Argument{literal: written}, nil
		}
	}
	return Argument{literal: s.Canonical()}, nil
}

// MustNewArgument is NewArgument for arguments that are constants of a program. It
// panics where NewArgument returns an error.
func MustNewArgument(v any) Argument {
	a, err := NewArgument(v)
	if err != nil {
		panic(fmt.Sprintf("vmrules: MustNewArgument(%v): %v", v, err))
	}
	return a
}

// IsZero reports whether the argument is absent.
func (a Argument) IsZero() bool { return a.literal == nil && a.path.IsZero() }

// Path returns the path that the value is read from, and false for a literal.
func (a Argument) Path() (Path, bool) { return a.path, !a.path.IsZero() }

// Literal returns a string, a bool or a json.Number with its digits as they were
// written, and false for a path.
func (a Argument) Literal() (any, bool) { return a.literal, a.literal != nil }

// Number returns a literal as the number that min and max compare with, exactly and in plain decimal
// notation: that of "2Gi" is 2147483648. It returns false for a path, and for a literal that is
// neither a number nor a quantity.
func (a Argument) Number() (json.Number, bool) {
	s, _ := value.ScalarOf(a.literal)
	n, err := s.Quantity()
	if err != nil {
		return "", false
	}
	return json.Number(n.String()), true
}

// Equal reports whether two arguments are the same literal or the same path. Numbers
// are compared by value.
func (a Argument) Equal(b Argument) bool {
	s, ok := value.ScalarOf(a.literal)
	t, alsoOK := value.ScalarOf(b.literal)
	if ok && alsoOK {
		return s.Shape() == t.Shape() && s.String() == t.String()
	}
	return ok == alsoOK && a.path.Equal(b.path)
}

// String returns the argument as an annotation writes it, without quotes.
func (a Argument) String() string {
	if a.literal == nil {
		return a.path.String()
	}
	return fmt.Sprint(a.literal)
}

// MarshalJSON writes the argument as an annotation does, and the zero Argument as null. The error is
// always nil.
func (a Argument) MarshalJSON() ([]byte, error) {
	if !a.path.IsZero() {
		return json.Marshal(a.path)
	}
	return json.Marshal(a.literal)
}
