package vmrules

import (
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// demands are what several rules ask of one value, all of them together. Where the
// budget did not suffice, they are not all of it, and count for nothing.
type demands struct {
	budget    *budget
	rules     []LimitRule
	undecided []LimitRule
	required  bool

	isString  bool
	isNumber  bool // or a quantity in a string
	isInteger bool // or an integral quantity in a string

	min, max             *bound
	minLength, maxLength *lengthBound
	values               []string // nil: not limited
	patterns             []*pattern
	seen                 map[string]bool // the texts of patterns

	parts []demandPart
}

// A demandPart is what one rule contributes: a constraint or, without, its kind.
type demandPart struct {
	rule       *rule
	key        string
	constraint constraint
}

// addKind adds what the kind itself asks for.
func (d *demands) addKind(k Kind) {
	switch k {
	case KindString:
		d.isString = true
	case KindInteger:
		d.isNumber, d.isInteger = true, true
	}
}

// add adds a constraint.
func (d *demands) add(c constraint) {
	switch c := c.(type) {
	case *bound:
		d.isNumber = true
		if c.beyond < 0 {
			d.min = tighter(d.min, c)
		} else {
			d.max = tighter(d.max, c)
		}
	case *lengthBound:
		if c.beyond < 0 {
			d.minLength = (*lengthBound)(tighter((*bound)(d.minLength), (*bound)(c)))
		} else {
			d.maxLength = (*lengthBound)(tighter((*bound)(d.maxLength), (*bound)(c)))
		}
	case *allowed:
		d.allow(c)
	case *pattern:
		d.match(c)
	}
}

// tighter is the one of two bounds that excludes more; a nil excludes nothing.
func tighter(a, b *bound) *bound {
	if a != nil && a.number.Compare(b.number) != b.beyond {
		return a
	}
	return b
}

// allow keeps the values that c allows too, in the order of the first list.
func (d *demands) allow(c *allowed) {
	before, kept := d.values, []string{}
	if before == nil {
		before = c.list
	}
	if d.budget.Spend(meter.Times(len(before), valueWork), 0) != nil {
		return
	}
	seen := make(map[string]bool, len(before))
	for _, s := range before {
		if !seen[s] && c.has(textScalar(s)) {
			kept = append(kept, s)
		}
		seen[s] = true
	}
	d.values = kept
}

func (d *demands) match(p *pattern) {
	if d.seen[p.text] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[p.text] = true
	d.patterns = append(d.patterns, p)
}

// textScalar returns a string as a value to be judged.
func textScalar(s string) *value.Scalar {
	v := value.FromString(s)
	return &v
}

// settle leaves among the values only those that satisfy the rest. A value may
// come as a number or boolean as well as a string, but what it is rendered as
// then satisfies the rest too.
func (d *demands) settle() {
	if d.values == nil {
		return
	}
	kept := []string{}
	for _, s := range d.values {
		if d.admits(textScalar(s)) {
			kept = append(kept, s)
		}
	}
	d.values = kept
}

// admits tells whether a value satisfies everything but values and patterns.
func (d *demands) admits(s *value.Scalar) bool {
	if d.budget.Spend(valueWork*s.Cost(), 0) != nil || s.Err() != nil || d.isString && s.Shape() != value.String {
		return false
	}
	if d.isNumber {
		n, err := s.Quantity()
		if err != nil || d.isInteger && !n.IsInteger() {
			return false
		}
	}
	for _, c := range d.bounds() {
		if ok, err := c.holds(s, d.budget); !ok || err != nil {
			return false
		}
	}
	return true
}

// bounds lists the bounds that there are.
func (d *demands) bounds() []constraint {
	var all []constraint
	for _, b := range []*bound{d.min, d.max} {
		if b != nil {
			all = append(all, b)
		}
	}
	for _, b := range []*lengthBound{d.minLength, d.maxLength} {
		if b != nil {
			all = append(all, b)
		}
	}
	return all
}

// matches tells whether a value matches all patterns.
func (d *demands) matches(s *value.Scalar) (bool, error) {
	for _, p := range d.patterns {
		if ok, err := p.holds(s, d.budget); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// cross tells whether nothing is between the bounds, or no value is left.
func (d *demands) cross() bool {
	return d.values != nil && len(d.values) == 0 || crosses(d.min, d.max) ||
		crosses((*bound)(d.minLength), (*bound)(d.maxLength))
}

func crosses(least, most *bound) bool {
	return least != nil && most != nil && least.number.Compare(most.number) > 0
}

// fieldType is the type that all rules together ask for.
func (d *demands) fieldType() FieldType {
	switch {
	case len(d.rules) == 0:
		return ""
	case d.isString && d.isInteger:
		return TypeIntegralQuantity
	case d.isString && d.isNumber:
		return TypeQuantity
	case d.isString:
		return TypeString
	case d.isInteger:
		return TypeInteger
	case d.isNumber:
		return TypeNumber
	}
	return TypeScalar
}

// shown are the demands as a Limit has them.
func (d *demands) shown() Demands {
	shown := Demands{
		Type: d.fieldType(), Required: d.required, Values: d.values, Unsatisfiable: d.cross(),
		Min: d.min.decimal(), Max: d.max.decimal(),
		MinLength: (*bound)(d.minLength).decimal(), MaxLength: (*bound)(d.maxLength).decimal(),
		Rules: d.rules, Undecided: d.undecided,
	}
	for _, p := range d.patterns {
		shown.Patterns = append(shown.Patterns, p.text)
	}
	return shown
}
