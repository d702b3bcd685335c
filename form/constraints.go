package form

import (
	"encoding/json"
	"errors"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A FieldType is the type of value that a field may hold. A value of any other
// JSON type, an array or an object, is none of them. Spec: Validation rules.
type FieldType string

const (
	// TypeScalar: a string, a number or a boolean.
	TypeScalar FieldType = "scalar"
	// TypeString: a string.
	TypeString FieldType = "string"
	// TypeNumber: a number, or a string that is a quantity, such as "500m".
	TypeNumber FieldType = "number"
	// TypeInteger: an integral number, or a string that is an integral
	// quantity, such as "2Gi".
	TypeInteger FieldType = "integer"
	// TypeQuantity: a string that is a quantity.
	TypeQuantity FieldType = "quantity"
	// TypeIntegralQuantity: a string that is an integral quantity.
	TypeIntegralQuantity FieldType = "integralQuantity"
)

// Constraints are what one or more rules ask of a value, all together. A value satisfies
// them if it has the Type and satisfies every member that is there.
type Constraints struct {
	// Type is "" where no rule is in force.
	Type FieldType `json:"type,omitempty"`
	// Required means that a value has to be there, and with wildcards at least one: no
	// "valid" exempts the field, it has no default now, and no instance type or
	// preference may set it.
	Required bool `json:"required,omitempty"`
	// Min and Max are the largest min and the smallest max, as exact numbers
	// in plain decimal notation: "2Gi" is 2147483648. A quantity in a string
	// is compared by its value.
	Min json.Number `json:"min,omitempty"`
	Max json.Number `json:"max,omitempty"`
	// MinLength and MaxLength count the code points of the value, rendered.
	MinLength json.Number `json:"minLength,omitempty"`
	MaxLength json.Number `json:"maxLength,omitempty"`
	// Values are what the value may be, rendered, in the order of the first
	// rule that has values; nil: not limited. They are those that every rule
	// allows and that satisfy the members above, but for the patterns.
	Values []string `json:"values,omitzero"`
	// Patterns are regular expressions (PCRE, not anchored), all of which match
	// the value, rendered.
	Patterns []string `json:"patterns,omitempty"`
	// Unsatisfiable means that bounds cross, or that no value is left. That it is
	// false does not promise a value that satisfies everything.
	Unsatisfiable bool `json:"unsatisfiable,omitempty"`
	// Rules are the rules in force that the members come from.
	Rules []RuleNote `json:"rules,omitempty"`
	// Undecided lists what could not be read, with a Note why, and the rules
	// of kinds that are not the format's. The members above are without it.
	// But for those, and unless it is only not filled in yet, under Partial,
	// no value makes Validate find the rule Satisfied.
	Undecided []RuleNote `json:"undecided,omitempty"`
}

// A RuleNote is a rule with a part in a Limit, and what is to be said about it.
type RuleNote struct {
	Rule     string `json:"rule"`
	Message  string `json:"message"`            // the rule's own
	Argument string `json:"argument,omitempty"` // the key that the note is about
	Note     string `json:"note,omitempty"`
}

// A total is what several rules ask of one value, all of them together. Where the budget
// does not suffice, it is not complete, and counts for nothing.
type total struct {
	*call
	notes      []RuleNote // the rules in force
	undecided  []RuleNote
	isRequired bool

	together constraint.Together
	set      constraint.Set // what they come to, once settled
	values   []string       // nil: not limited
	parts    []part
}

// A part is what one rule contributes: a constraint or, without, its kind.
type part struct {
	rule       *rule
	key        string
	constraint constraint.Constraint
}

var errKindItself = errors.New("what the rule allows is known only to its kind")

// addRule adds what a rule asks, or why that is not known.
func (t *total) addRule(r *vmrules.Resolved) {
	switch {
	case r.Outcome == vmrules.Undecided:
		t.undecided = append(t.undecided, t.note(r, "", r.Note))
		return
	case !t.rules[r.Index].Kind.IsOfFormat():
		t.undecided = append(t.undecided, t.note(r, "", errKindItself.Error()))
		return
	case r.Unsearched != "":
		t.undecided = append(t.undecided, t.note(r, "", r.Unsearched))
	}
	t.isRequired = t.isRequired || r.Required
	t.addArguments(r)
}

// addArguments adds what the arguments of a rule ask, and which of them could not be read.
func (t *total) addArguments(r *vmrules.Resolved) {
	rule := &t.rules[r.Index]
	t.notes = append(t.notes, t.note(r, "", ""))
	t.parts = append(t.parts, part{rule: rule})
	for _, u := range r.Unread {
		t.undecided = append(t.undecided, t.note(r, u.Argument, u.Note))
	}
	set := r.Constraints()
	t.together.Add(set, &t.budget)
	for _, c := range set.All() {
		t.parts = append(t.parts, part{rule, c.Key(), c})
	}
}

// settle leaves among the values only those that satisfy the rest. A value may
// come as a number or boolean as well as a string, but what it is rendered as
// then satisfies the rest too.
func (t *total) settle() {
	t.set = t.together.Set()
	list, ok := t.set.Get(constraint.Values).(*constraint.Allowed)
	if !ok {
		return
	}
	t.values = []string{}
	for _, s := range list.List() {
		if v := value.FromString(s); t.admits(&v) {
			t.values = append(t.values, s)
		}
	}
}

// admits reports whether a value satisfies everything but values and patterns.
func (t *total) admits(s *value.Scalar) bool {
	if t.budget.Spend(constraint.ListedWork*s.Cost(), 0) != nil {
		return false
	}
	if ok, err := t.set.Type().Admits(s, true); !ok || err != nil {
		return false
	}
	for _, c := range t.set.All() {
		switch c.(type) {
		case *constraint.Allowed, *constraint.Pattern:
			continue
		}
		if ok, err := c.Holds(s, &t.budget); !ok || err != nil {
			return false
		}
	}
	return true
}

// patterns returns the patterns that all have to match.
func (t *total) patterns() []*constraint.Pattern {
	var all []*constraint.Pattern
	for _, c := range t.set.All() {
		if p, ok := c.(*constraint.Pattern); ok {
			all = append(all, p)
		}
	}
	return all
}

// matches reports whether a value matches all patterns.
func (t *total) matches(s *value.Scalar) (bool, error) {
	for _, p := range t.patterns() {
		if ok, err := p.Holds(s, &t.budget); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// isUnsatisfiable reports whether nothing is between the bounds, or no value is left.
func (t *total) isUnsatisfiable() bool {
	for range t.together.Conflicts(&constraint.Set{}, &t.budget) {
		return true
	}
	return t.values != nil && len(t.values) == 0
}

// fieldType returns the type that all rules together ask for.
func (t *total) fieldType() FieldType {
	if len(t.notes) == 0 {
		return ""
	}
	return FieldType(t.set.Type().String())
}

// decimal returns the number of a bound in plain decimal notation; "" for no bound.
func (t *total) decimal(key string) json.Number {
	c, ok := t.set.Get(key).(interface{ Number() quantity.Number })
	if !ok {
		return ""
	}
	return json.Number(c.Number().String())
}

// constraints returns the total as a Limit has it.
func (t *total) constraints() Constraints {
	t.settle()
	_ = t.budget.Spend(0, 2*t.size())
	all := Constraints{
		Type: t.fieldType(), Required: t.isRequired, Values: t.values, Unsatisfiable: t.isUnsatisfiable(),
		Min: t.decimal(constraint.Min), Max: t.decimal(constraint.Max),
		MinLength: t.decimal(constraint.MinLength), MaxLength: t.decimal(constraint.MaxLength),
		Rules: t.notes, Undecided: t.undecided,
	}
	for _, p := range t.patterns() {
		all.Patterns = append(all.Patterns, p.String())
	}
	return all
}

// size returns about how many bytes it takes to say the total, apart from the notes.
func (t *total) size() int {
	size := 0
	for _, s := range t.values {
		size += 2*len(s) + 16
	}
	for _, p := range t.patterns() {
		size += len(p.String()) + 16
	}
	for _, key := range []string{constraint.Min, constraint.Max, constraint.MinLength, constraint.MaxLength} {
		size += len(t.decimal(key))
	}
	return size
}
