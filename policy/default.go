package policy

import (
	"fmt"
	"strconv"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// This file translates rules about fields that have a default.

// valueOrDefault is value for a field with a default, which exists if its parent does.
func (t *translator) valueOrDefault(p place, absent string) string {
	if t.byDefault(p) == absent { // then an absent parent gives the same result as an absent field
		return t.withDefault(p, p.optional())
	}
	parent, field := p.parent(), member(p.steps[len(p.steps)-1], "?")
	if len(parent.steps) == 0 {
		return unlessNull(p.base, absent, t.withDefault(p, p.base+field))
	}
	name, read := parent.variable()
	holds := unlessNull(read, absent, t.withDefault(p, read+field))
	return parent.optional() + ".optMap(" + name + ", " + holds + ").orValue(" + absent + ")"
}

// unlessNull returns a condition on an object that is also false for null, below which a field
// would be absent and have its default. It returns holds alone if absence is not refused.
func unlessNull(object, absent, holds string) string {
	if absent != holdsNever {
		return holds
	}
	return object + " != null && " + holds
}

// withDefault returns the condition that an optional with the value of a field, or the default of the
// field, satisfies the rule. For some fields, 0 counts as the default.
func (t *translator) withDefault(p place, optional string) string {
	v, _ := p.variable()
	unset := t.byDefault(p)
	if defaultAt(p.path()).ZeroIsUnset() && (unset != holdsNever || t.holds(0) != holdsNever) {
		optional = "optional.ofNonZeroValue(" + optional + ".orValue(0))"
	}
	return optional + ".optMap(" + v + ", " + t.constrained(v, sortAt(p.path())) + ").orValue(" + unset + ")"
}

// byDefault returns the condition that a field's default satisfies the rule.
func (t *translator) byDefault(p place) string {
	value := defaultAt(p.path()).Default()
	if verdict := t.holds(value); verdict != "" {
		return verdict
	}
	literal := fmt.Sprint(value)
	if text, ok := value.(string); ok {
		literal = strconv.Quote(text)
	}
	return t.constrained(literal, sortAt(p.path()))
}

var withoutDefault = vmrules.MustParsePath("jsonpath::.value")

// holds returns whether the rule finds a value to be valid, as an expression. No default counts in
// its place. It returns "" if that depends on what the path of an argument selects.
func (t *translator) holds(value any) string {
	rule := t.rule
	rule.Path, rule.Valid = withoutDefault, vmrules.Path{}
	checker, err := form.NewValueChecker(rule)
	switch {
	case err != nil:
		return ""
	case checker.Check(value) == nil:
		return holdsAlways
	}
	return holdsNever
}
