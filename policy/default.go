package policy

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// This file translates rules about fields that have a default.

// valueOrDefault is value for a field with a default, which exists if its parent does.
func (t *translator) valueOrDefault(d form.Place, base string, at, rest []step, absent string) string {
	if flat, ok := t.flat(d, base, at, rest, absent); ok {
		return flat
	}
	parent, leaf := rest[:len(rest)-1], rest[len(rest)-1]
	above := slices.Concat(at, parent)
	if len(parent) == 0 {
		return unlessNull(base, absent, t.defaulted(d, base, above, leaf))
	}
	name := nameOf(parent)
	read := read(name, parent)
	holds := unlessNull(read, absent, t.defaulted(d, read, above, leaf))
	return chain(base, at, parent) + ".optMap(" + name + ", " + holds + ").orValue(" + absent + ")"
}

// flat is valueOrDefault where an absent parent and an absent field give the same result. It
// returns false where they do not.
func (t *translator) flat(d form.Place, base string, at, rest []step, absent string) (string, bool) {
	of, v := typeAt(slices.Concat(at, rest)), nameOf(rest)
	unset := t.byDefault(d, of)
	if unset != absent {
		return "", false
	}
	optional := chain(base, at, rest)
	if t.zeroMatters(d, unset) {
		optional = "optional.ofNonZeroValue(" + optional + ".orValue(0))"
	}
	return optional + ".optMap(" + v + ", " + t.constrained(v, of) + ").orValue(" + absent + ")", true
}

// zeroMatters reports whether the result differs if 0 counts as the default, as it does for some
// fields. The parameter unset is the result of the default.
func (t *translator) zeroMatters(d form.Place, unset string) bool {
	return d.ZeroIsDefault && (unset != holdsNever || t.holds(0) != holdsNever)
}

// defaulted returns the condition that a member of an object, or its default, satisfies the
// rule.
func (t *translator) defaulted(d form.Place, parent string, above []step, leaf step) string {
	of, v := typeAt(append(slices.Clip(above), leaf)), variable(leaf.name)
	holds, absent := t.constrained(v, of), t.byDefault(d, of)
	optional := parent + member(leaf.name, "?")
	if t.zeroMatters(d, absent) {
		optional = "optional.ofNonZeroValue(" + optional + ".orValue(0))"
	}
	return optional + ".optMap(" + v + ", " + holds + ").orValue(" + absent + ")"
}

// byDefault returns the condition that a field's default satisfies the rule.
func (t *translator) byDefault(d form.Place, of fieldType) string {
	if verdict := t.holds(d.Default); verdict != "" {
		return verdict
	}
	literal := fmt.Sprint(d.Default)
	if text, ok := d.Default.(string); ok {
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
