package vmrules

import (
	"encoding/json"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// demands are what several rules ask of one value, all of them together. Where the
// budget did not suffice, they are not all of it, and count for nothing.
type demands struct {
	budget    *budget
	rules     []LimitRule
	undecided []LimitRule
	required  bool

	together constraint.Together
	set      constraint.Set // what they come to, once settled
	values   []string       // nil: not limited
	parts    []demandPart
}

// A demandPart is what one rule contributes: a constraint or, without, its kind.
type demandPart struct {
	rule       *rule
	key        string
	constraint constraint.Constraint
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
	d.set = d.together.Set()
	list, ok := d.set.Get(constraint.Values).(*constraint.Allowed)
	if !ok {
		return
	}
	d.values = []string{}
	for _, s := range list.List() {
		if d.admits(textScalar(s)) {
			d.values = append(d.values, s)
		}
	}
}

// admits reports whether a value satisfies everything but values and patterns.
func (d *demands) admits(s *value.Scalar) bool {
	if d.budget.Spend(constraint.ListedWork*s.Cost(), 0) != nil {
		return false
	}
	if ok, err := d.set.Type().Admits(s, true); !ok || err != nil {
		return false
	}
	for _, c := range d.set.All() {
		switch c.(type) {
		case *constraint.Allowed, *constraint.Pattern:
			continue
		}
		if ok, err := c.Holds(s, d.budget); !ok || err != nil {
			return false
		}
	}
	return true
}

// patterns lists the patterns that all have to match.
func (d *demands) patterns() []*constraint.Pattern {
	var all []*constraint.Pattern
	for _, c := range d.set.All() {
		if p, ok := c.(*constraint.Pattern); ok {
			all = append(all, p)
		}
	}
	return all
}

// matches reports whether a value matches all patterns.
func (d *demands) matches(s *value.Scalar) (bool, error) {
	for _, p := range d.patterns() {
		if ok, err := p.Holds(s, d.budget); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// cross reports whether nothing is between the bounds, or no value is left.
func (d *demands) cross() bool {
	for range d.together.Conflicts(&constraint.Set{}, d.budget) {
		return true
	}
	return d.values != nil && len(d.values) == 0
}

// fieldType is the type that all rules together ask for.
func (d *demands) fieldType() FieldType {
	if len(d.rules) == 0 {
		return ""
	}
	return FieldType(d.set.Type().String())
}

// decimal is the number of a bound in plain decimal notation; "" for no bound.
func (d *demands) decimal(key string) json.Number {
	c, ok := d.set.Get(key).(interface{ Number() quantity.Number })
	if !ok {
		return ""
	}
	return json.Number(c.Number().String())
}

// shown are the demands as a Limit has them.
func (d *demands) shown() Demands {
	shown := Demands{
		Type: d.fieldType(), Required: d.required, Values: d.values, Unsatisfiable: d.cross(),
		Min: d.decimal(constraint.Min), Max: d.decimal(constraint.Max),
		MinLength: d.decimal(constraint.MinLength), MaxLength: d.decimal(constraint.MaxLength),
		Rules: d.rules, Undecided: d.undecided,
	}
	for _, p := range d.patterns() {
		shown.Patterns = append(shown.Patterns, p.String())
	}
	return shown
}
