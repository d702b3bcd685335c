package form

import (
	"encoding/json"
	"errors"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A FieldType is the type of the values that a field may hold. Arrays and objects have
// none of these types. Spec: Validation rules.
type FieldType string

const (
	// TypeScalar is a string, a number or a boolean.
	TypeScalar FieldType = "scalar"
	// TypeString is a string.
	TypeString FieldType = "string"
	// TypeNumber is a number, or a string that is a quantity, such as "500m".
	TypeNumber FieldType = "number"
	// TypeInteger is an integral number, or a string that is an integral quantity, such
	// as "2Gi".
	TypeInteger FieldType = "integer"
	// TypeQuantity is a string that is a quantity.
	TypeQuantity FieldType = "quantity"
	// TypeIntegralQuantity is a string that is an integral quantity.
	TypeIntegralQuantity FieldType = "integralQuantity"
)

// Constraints say what one or more rules together ask of a value. A value satisfies them
// if it has the Type and satisfies every member that is set.
type Constraints struct {
	// Type is "" if no rule is in force.
	Type FieldType `json:"type,omitempty"`
	// Required means that the path must select a value; with wildcards, at least one. It
	// is false if a "valid" exempts the field, if the field has a default at present, or
	// if an instance type or preference may set it.
	Required bool `json:"required,omitempty"`
	// Min is the largest min, and Max the smallest max, of all rules. They are exact
	// numbers in plain decimal notation: "2Gi" is 2147483648. A string that is a quantity
	// is compared by its value.
	Min json.Number `json:"min,omitempty"`
	Max json.Number `json:"max,omitempty"`
	// MinLength and MaxLength count the code points of the rendered value.
	MinLength json.Number `json:"minLength,omitempty"`
	MaxLength json.Number `json:"maxLength,omitempty"`
	// Values lists the allowed values, rendered, in the order of the first rule that
	// lists values. These are the values that every rule allows and that satisfy the
	// members above; they need not match the Patterns. It is nil if no rule lists values.
	Values []string `json:"values,omitzero"`
	// Patterns are regular expressions (PCRE, not anchored). The rendered value must
	// match all of them.
	Patterns []string `json:"patterns,omitempty"`
	// Unsatisfiable means that no value is within the bounds, or that Values is empty.
	// If it is false, there may still be no value that satisfies everything.
	Unsatisfiable bool `json:"unsatisfiable,omitempty"`
	// Rules lists the rules in force, from which the members come.
	Rules []RuleNote `json:"rules,omitempty"`
	// Undecided lists arguments and rules that could not be read, and rules of kinds that
	// the format does not define, each with a Note why. The members above ignore them.
	// No value makes Validate find such a rule Satisfied, with two exceptions: rules of
	// other kinds and, under Partial, arguments that are not filled in yet.
	Undecided []RuleNote `json:"undecided,omitempty"`
}

// A RuleNote names a rule that contributes to a Limit, with a note about it.
type RuleNote struct {
	Rule     string `json:"rule"`
	Message  string `json:"message"`            // the rule's message
	Argument string `json:"argument,omitempty"` // the key that the note is about
	Note     string `json:"note,omitempty"`
}

// A total adds up what several rules ask of one value. If the budget is used up, it is
// incomplete and must not be used.
type total struct {
	*call
	notes      []RuleNote // the rules in force
	undecided  []RuleNote
	isRequired bool

	together constraint.Combination
	parts    []part

	// These are known once it is settled.
	set      constraint.Set // the combined constraints
	others   constraint.Set // those that are neither a list of values nor a pattern
	patterns []*constraint.Pattern
	listed   *constraint.Allowed // nil if no rule lists values
	values   []string            // of these, those that satisfy the rest; nil if no rule lists values
}

// A part is what one rule contributes: a constraint or, if that is nil, its kind.
type part struct {
	rule       *rule
	key        string
	constraint constraint.Constraint
}

var errKindItself = errors.New("only the rule's kind knows which values it allows")

// addRule adds what a rule asks, or why that is not known.
func (t *total) addRule(r *Resolved) {
	switch {
	case r.Outcome == vmrules.OutcomeUndecided:
		t.undecided = append(t.undecided, t.note(r, "", r.Note))
		return
	case !constraint.IsKind(t.rules[r.Index].Kind):
		t.undecided = append(t.undecided, t.note(r, "", errKindItself.Error()))
		return
	case r.Unsearched != "":
		t.undecided = append(t.undecided, t.note(r, "", r.Unsearched))
	}
	t.isRequired = t.isRequired || r.Required
	t.addArguments(r)
}

// addArguments adds the constraints of a rule's arguments, and notes for those that could
// not be read.
func (t *total) addArguments(r *Resolved) {
	rule := &t.rules[r.Index]
	t.notes = append(t.notes, t.note(r, "", ""))
	t.parts = append(t.parts, part{rule: rule})
	for _, u := range r.Unread {
		t.undecided = append(t.undecided, t.note(r, u.Argument, u.Note))
	}
	set := &r.set
	t.together.Add(set, &t.budget)
	for _, c := range set.All() {
		t.parts = append(t.parts, part{rule, c.Key(), c})
	}
}

// settle removes the values that do not satisfy the other constraints. It checks the
// values as strings: if a number or boolean satisfies the constraints, so does the string
// that it is rendered as.
func (t *total) settle() {
	t.set = t.together.Set()
	var others []constraint.Constraint
	for _, c := range t.set.All() {
		switch c := c.(type) {
		case *constraint.Pattern:
			t.patterns = append(t.patterns, c)
		case *constraint.Allowed:
			t.listed = c
		default:
			others = append(others, c)
		}
	}
	t.others = constraint.NewSet(t.set.Type(), others)
	if t.listed == nil {
		return
	}
	t.values = []string{}
	for _, s := range t.listed.List() {
		if t.isSpent() {
			return
		}
		if v := value.FromString(s); t.admits(&v) {
			t.values = append(t.values, s)
		}
	}
}

// admits reports whether a value satisfies everything but values and patterns.
func (t *total) admits(s *value.Scalar) bool {
	if t.budget.Spend(meter.Times(s.Cost(), constraint.ListedWork), 0) != nil {
		return false
	}
	for range t.others.Failures(s, true, &t.budget) {
		return false
	}
	return true
}

// isUnsatisfiable reports whether no value is within the bounds, or in all lists of values.
func (t *total) isUnsatisfiable() bool {
	for range t.together.Conflicts(&constraint.Set{}, &t.budget) {
		return true
	}
	return t.values != nil && len(t.values) == 0
}

// decimal returns the number of a bound in plain decimal notation; "" for no bound.
func (t *total) decimal(key string) json.Number {
	c, ok := t.set.Get(key).(interface{ Number() quantity.Number })
	if !ok {
		return ""
	}
	return json.Number(c.Number().String())
}

// constraints returns the total in the form that a Limit has.
func (t *total) constraints() Constraints {
	t.settle()
	_ = t.budget.Spend(0, 2*t.size())
	all := Constraints{
		Required: t.isRequired, Values: t.values, Unsatisfiable: t.isUnsatisfiable(),
		Min: t.decimal(constraint.Min), Max: t.decimal(constraint.Max),
		MinLength: t.decimal(constraint.MinLength), MaxLength: t.decimal(constraint.MaxLength),
		Rules: t.notes, Undecided: t.undecided,
	}
	if len(t.notes) > 0 {
		all.Type = FieldType(t.set.Type().String())
	}
	for _, p := range t.patterns {
		all.Patterns = append(all.Patterns, p.String())
	}
	return all
}

// size returns roughly how many bytes the total takes in the result, without the notes.
func (t *total) size() int {
	size := 0
	for _, s := range t.values {
		size += 2*len(s) + 16
	}
	for _, p := range t.patterns {
		size += len(p.String()) + 16
	}
	for _, key := range []string{constraint.Min, constraint.Max, constraint.MinLength, constraint.MaxLength} {
		size += len(t.decimal(key))
	}
	return size
}
