package constraint

import (
	"slices"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// MaxListed is how many values the limit of a Breach lists.
const MaxListed = 100

// maxScanned is the length up to which scanning a list is faster than a set.
const maxScanned = 8

// ListedWork is the cost of an allowed value, in units of work.
const ListedWork = 500

// Allowed is the constraint of the argument values.
type Allowed struct {
	list  []string            // the allowed values as they were given
	limit any                 // the first of them, as reports show them
	set   map[string]struct{} // nil if the list is short
	open  error
}

// NewAllowed returns the constraint that allows a list of values, each rendered.
func NewAllowed(list []string) *Allowed {
	c := &Allowed{list: list, limit: list}
	if len(list) > MaxListed {
		c.limit = slices.Clone(list[:MaxListed]) // so that a Breach keeps only the values that it shows
	}
	if len(list) <= maxScanned {
		return c
	}
	c.set = make(map[string]struct{}, len(list))
	for _, s := range list {
		c.set[s] = struct{}{}
	}
	return c
}

// AllowedOf is NewAllowed for values that are not rendered.
func AllowedOf(literals []value.Scalar) *Allowed {
	list := make([]string, 0, len(literals))
	for _, v := range literals {
		list = append(list, v.String())
	}
	return NewAllowed(list)
}

func newAllowed(_ *Argument, literals []value.Scalar, _ *meter.Budget) (Constraint, error) {
	return AllowedOf(literals), nil
}

// Open returns a constraint that allows the same values, and cannot decide about other
// values. The error says why.
func (c *Allowed) Open(why error) *Allowed {
	open := *c
	open.open = why
	return &open
}

// List returns the allowed values. The caller must not change the slice.
func (c *Allowed) List() []string { return c.list }

// IsOpen returns why other values may be allowed too; nil if they are not.
func (c *Allowed) IsOpen() error { return c.open }

// LimitSize returns how many bytes the limit of a Breach keeps.
func (c *Allowed) LimitSize() int {
	size := 0
	for _, s := range c.limit.([]string) {
		size += len(s) + len("\"\",") + 16
	}
	return size
}

// Key returns Values.
func (c *Allowed) Key() string { return Values }

// Holds reports whether the rendered value is in the list.
func (c *Allowed) Holds(v *value.Scalar, _ *meter.Budget) (bool, error) {
	text := v.Text()
	if v.Shape() == value.Number {
		text = string(v.Number().AppendTo(make([]byte, 0, quantity.UsualSize)))
	}
	if c.has(text) {
		return true, nil
	}
	return false, c.open
}

func (c *Allowed) has(s string) bool {
	if len(c.list) <= maxScanned {
		return slices.Contains(c.list, s)
	}
	_, ok := c.set[s]
	return ok
}

// Breach lists the allowed values.
func (c *Allowed) Breach(v *value.Scalar) Breach {
	if len(c.list) == 0 {
		return Breach{NotListed, c.limit, "no value is allowed"}
	}
	detail := append(v.AppendDescription(make([]byte, 0, usualDetail)), " is not "...)
	if len(c.list) > 1 {
		detail = append(detail, "one of "...)
	}
	return Breach{NotListed, c.limit, string(value.AppendList(detail, c.list))}
}

// String lists the allowed values.
func (c *Allowed) String() string { return string(value.AppendList(nil, c.list)) }

// with returns the values that both allow, in the order of c, each once.
func (c *Allowed) with(other Constraint, b *meter.Budget) Constraint {
	kept := []string{}
	if b.Spend(meter.Times(len(c.list), ListedWork), 0) != nil {
		return NewAllowed(kept)
	}
	seen := make(map[string]bool, len(c.list))
	for _, s := range c.list {
		if !seen[s] && other.(*Allowed).has(s) {
			kept = append(kept, s)
		}
		seen[s] = true
	}
	return NewAllowed(kept)
}

// excludes reports whether c allows no value at all. It does not depend on other constraints.
func (c *Allowed) excludes(other Constraint) bool { return other == Constraint(c) && len(c.list) == 0 }
