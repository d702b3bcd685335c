package constraint

import (
	"fmt"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/value"
)

// A Pattern is the constraint of the argument regex.
type Pattern struct {
	limit any // as reports show it
	text  string
	regex *pcre.Regex
}

func newPattern(a *Argument, literals []value.Scalar, b *meter.Budget) (Constraint, error) {
	literal := literals[0]
	text := literal.Text()
	if literal.Shape() != value.String {
		return nil, a.unfit(WrongType, literal)
	}
	if len(text) > pcre.MaxBytes {
		return nil, &Error{TooLong, fmt.Errorf("has %d bytes; a regular expression may have %d", len(text), pcre.MaxBytes)}
	}
	compiled, err := pcre.Compile(text, b)
	if err != nil {
		return nil, &Error{Invalid, fmt.Errorf("cannot be used: %w", err)}
	}
	return &Pattern{text, text, compiled}, nil
}

// String returns the pattern as it was written.
func (c *Pattern) String() string { return c.text }

// Key returns Regex.
func (c *Pattern) Key() string { return Regex }

// Holds reports whether the regex matches anywhere in the rendered value.
func (c *Pattern) Holds(v *value.Scalar, b *meter.Budget) (bool, error) {
	return c.regex.Match(v.String(), b)
}

// Breach shows the value and the pattern.
func (c *Pattern) Breach(v *value.Scalar) Breach {
	detail := append(v.AppendDescription(make([]byte, 0, usualDetail)), " does not match "...)
	return Breach{Invalid, c.limit, string(value.AppendQuoted(detail, c.text))}
}

func (c *Pattern) with(other Constraint, _ *meter.Budget) Constraint {
	if other.(*Pattern).text == c.text {
		return c
	}
	return nil
}

func (c *Pattern) excludes(Constraint) bool { return false }
