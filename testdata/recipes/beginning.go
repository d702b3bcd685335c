package constraint

import (
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Beginning is the constraint of the argument prefix.
type Beginning struct{ text string }

func newBeginning(a *Argument, literals []value.Scalar, _ *meter.Budget) (Constraint, error) {
	literal := literals[0]
	if literal.Shape() != value.String {
		return nil, a.unfit(WrongType, literal)
	}
	return &Beginning{literal.Text()}, nil
}

// Key returns Prefix.
func (c *Beginning) Key() string { return Prefix }

// String returns the prefix as it was written.
func (c *Beginning) String() string { return c.text }

// Type returns Scalar: any scalar is compared as it is rendered.
func (c *Beginning) Type() Type { return Scalar }

// Holds reports whether the rendered value begins with the prefix.
func (c *Beginning) Holds(v *value.Scalar, _ *meter.Budget) (bool, error) {
	return strings.HasPrefix(v.String(), c.text), nil
}

// Breach shows the value and the prefix.
func (c *Beginning) Breach(v *value.Scalar) Breach {
	detail := append(v.AppendDescription(make([]byte, 0, usualDetail)), " does not begin with "...)
	return Breach{Invalid, c.text, string(value.AppendQuoted(detail, c.text))}
}

func (c *Beginning) with(other Constraint, _ *meter.Budget) Constraint {
	o := other.(*Beginning)
	switch {
	case strings.HasPrefix(c.text, o.text):
		return c
	case strings.HasPrefix(o.text, c.text):
		return o
	}
	return nil
}

func (c *Beginning) excludes(Constraint) bool { return false }
