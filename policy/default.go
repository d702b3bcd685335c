package policy

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// This file translates rules about fields that have a default.

// valueOrDefault is value for a field with a default, which exists if its parent does.
func (t *translator) valueOrDefault(d *jsonpath.Implied, base string, at, rest jp.Expr, absent string) string {
	of := sortAt(slices.Concat(at, rest))
	if t.byDefault(d, of) == absent { // then an absent parent gives the same result as an absent field
		return t.withDefault(d, of, chain(base, at, rest), rest)
	}
	parent, leaf := rest[:len(rest)-1], rest[len(rest)-1]
	field := member(nameIn(leaf), "?")
	if len(parent) == 0 {
		return unlessNull(base, absent, t.withDefault(d, of, base+field, rest))
	}
	name := nameOf(parent)
	read := read(name, parent)
	holds := unlessNull(read, absent, t.withDefault(d, of, read+field, rest))
	return chain(base, at, parent) + ".optMap(" + name + ", " + holds + ").orValue(" + absent + ")"
}

// withDefault returns the condition that an optional with the value of a field, or the default of the
// field, satisfies the rule. For some fields, 0 counts as the default.
func (t *translator) withDefault(d *jsonpath.Implied, of vmapi.Sort, optional string, steps jp.Expr) string {
	v, unset := nameOf(steps), t.byDefault(d, of)
	if d.ZeroIsUnset() && (unset != holdsNever || t.holds(0) != holdsNever) {
		optional = "optional.ofNonZeroValue(" + optional + ".orValue(0))"
	}
	return optional + ".optMap(" + v + ", " + t.constrained(v, of) + ").orValue(" + unset + ")"
}

// byDefault returns the condition that a field's default satisfies the rule.
func (t *translator) byDefault(d *jsonpath.Implied, of vmapi.Sort) string {
	if verdict := t.holds(d.Default()); verdict != "" {
		return verdict
	}
	literal := fmt.Sprint(d.Default())
	if text, ok := d.Default().(string); ok {
		literal = strconv.Quote(text)
	}
	return t.constrained(literal, of)
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
