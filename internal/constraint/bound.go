package constraint

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A bound is a lower or upper limit for a number.
type bound struct {
	key    string
	limit  any    // as reports show it
	shown  string // as details show it
	number quantity.Number
	beyond int // how a number that breaks the bound compares with it: -1 or 1
}

func (a *Argument) bound(literal value.Scalar, n quantity.Number) bound {
	beyond := 1
	if a.Key == Min || a.Key == MinLength {
		beyond = -1
	}
	// A number needs no quotes.
	shown := value.Shortened(cmp.Or(literal.Text(), literal.String()))
	return bound{a.Key, literal.Canonical(), shown, n, beyond}
}

// Key returns the key of the argument.
func (c *bound) Key() string { return c.key }

// String returns the limit as details show it.
func (c *bound) String() string { return c.shown }

// Number returns the limit.
func (c *bound) Number() quantity.Number { return c.number }

// isTighter reports whether c excludes more than another bound with the same key.
func (c *bound) isTighter(other *bound) bool { return other.number.Compare(c.number) == c.beyond }

// crosses reports whether no number satisfies both c and a bound of the opposite kind.
func (c *bound) crosses(other *bound) bool {
	return c.beyond != other.beyond && c.number.Compare(other.number) == other.beyond
}

// A Bound is the constraint of the argument min or max.
type Bound struct{ bound }

func newBound(a *Argument, literals []value.Scalar, _ *meter.Budget) (Constraint, error) {
	return a.NewBound(literals[0])
}

// NewBound is New for a min or a max.
func (a *Argument) NewBound(literal value.Scalar) (Constraint, error) {
	if literal.Shape() == value.Boolean {
		return nil, a.unfit(WrongType, literal)
	}
	n, err := literal.Quantity()
	if err == quantity.ErrNotNumber {
		return nil, a.unfit(Invalid, literal)
	}
	if err != nil {
		return nil, &Error{Invalid, err}
	}
	return &Bound{a.bound(literal, n)}, nil
}

// Holds compares the value as a number. A value that is not a number does not satisfy it.
func (c *Bound) Holds(v *value.Scalar, b *meter.Budget) (bool, error) {
	n, err := v.Quantity()
	if err == quantity.ErrNotNumber {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the value %w", err)
	}
	if work := n.CompareWork(c.number); work > 0 {
		if err := b.Spend(work, 0); err != nil {
			return false, err
		}
	}
	return n.Compare(c.number) != c.beyond, nil
}

// Breach says in words how the value compares with the limit.
func (c *Bound) Breach(v *value.Scalar) Breach {
	detail := v.AppendDescription(make([]byte, 0, usualDetail))
	compared, is := " is more than ", " "
	if _, err := v.Quantity(); err != nil {
		compared, is = " is not a number, and ", " is "
	} else if c.beyond < 0 {
		compared = " is less than "
	}
	detail = append(append(append(detail, compared...), c.key...), is...)
	return Breach{Invalid, c.limit, string(append(detail, c.shown...))}
}

func (c *Bound) with(other Constraint, _ *meter.Budget) Constraint {
	if other.(*Bound).isTighter(&c.bound) {
		return other
	}
	return c
}

func (c *Bound) excludes(other Constraint) bool {
	o, ok := other.(*Bound)
	return ok && c.crosses(&o.bound)
}

// A Length is the constraint of the argument minLength or maxLength.
type Length struct{ bound }

func newLength(a *Argument, literals []value.Scalar, _ *meter.Budget) (Constraint, error) {
	literal := literals[0]
	n, err := literal.Number(), literal.Err()
	if literal.Shape() == value.String {
		n, err = quantity.ParseJSON(literal.Text())
	}
	switch {
	case literal.Shape() == value.Boolean:
		return nil, a.unfit(WrongType, literal)
	case err == quantity.ErrNotNumber || err == nil && (!n.IsInteger() || n.Sign() < 0):
		return nil, a.unfit(Invalid, literal)
	case err != nil:
		return nil, &Error{Invalid, err}
	}
	return &Length{a.bound(literal, n)}, nil
}

// Holds compares the length of the rendered value, in code points.
func (c *Length) Holds(v *value.Scalar, _ *meter.Budget) (bool, error) {
	return quantity.FromInt(int64(v.Length())).Compare(c.number) != c.beyond, nil
}

// Breach says in words how the length compares with the limit.
func (c *Length) Breach(v *value.Scalar) Breach {
	fault, compared := TooLong, ", more than "
	if c.beyond < 0 {
		fault, compared = Invalid, ", fewer than "
	}
	characters := " characters"
	if v.Length() == 1 {
		characters = " character"
	}
	detail := append(v.AppendDescription(make([]byte, 0, usualDetail)), " has "...)
	detail = append(strconv.AppendInt(detail, int64(v.Length()), 10), characters...)
	detail = append(append(append(detail, compared...), c.key...), ' ')
	return Breach{fault, c.limit, string(append(detail, c.shown...))}
}

func (c *Length) with(other Constraint, _ *meter.Budget) Constraint {
	if other.(*Length).isTighter(&c.bound) {
		return other
	}
	return c
}

func (c *Length) excludes(other Constraint) bool {
	o, ok := other.(*Length)
	return ok && c.crosses(&o.bound)
}
