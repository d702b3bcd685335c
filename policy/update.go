package policy

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
)

// This file translates which updates a policy forgives: those of a VM that violated the rule
// before, if they change nothing that the rule reads. Any other update is judged in full.

// wasInScope is the variable of a policy that says whether the VM was in the scope before the
// update. It is false where there is no update.
const wasInScope = "wasInScope"

// forgiving adds to the expression of a rule when an update is forgiven: the VM was in the scope,
// the rule's paths select the same values at the same places, and the expression was false. If the
// expression was an error, so is this one.
func (t *translator) forgiving(expression string) string {
	old := *t
	old.root = "oldObject"
	before, _ := old.translate() // it was translated already: no error
	conditions := []string{"variables." + wasInScope}
	for _, path := range pathsOf(t.rule) {
		steps, _ := stepsOf("", path)
		same := t.selected(t.base(steps), nil, steps) + " == " + old.selected(old.base(steps), nil, steps)
		if !slices.Contains(conditions, same) {
			conditions = append(conditions, same)
		}
	}
	if t.references("") != nil {
		for _, s := range setters {
			conditions = append(conditions, t.root+".spec.?"+s+" == "+old.root+".spec.?"+s)
		}
	}
	conditions = append(conditions, "!("+before+")")
	return grouped(expression, " ? ") + " || " + strings.Join(conditions, " && ")
}

// namedItems has the lists whose items are told apart by their names, as by vmrules.Ratcheting.
var namedItems = []string{"disks", "volumes", "interfaces", "networks"}

// selected returns an expression for the values that steps select from base and for their places,
// of which two can be compared. Items of namedItems without such a value are left out, so that
// they may be added and removed, unless the VM names an object that may set the value.
func (t *translator) selected(base string, at, rest []step) string {
	i := slices.IndexFunc(rest, func(s step) bool { return s.each || s.named })
	if i < 0 {
		return t.selectedValue(base, at, rest)
	}
	inside, below := slices.Concat(at, rest[:i+1]), rest[i+1:]
	item := itemInside(base, rest[:i])
	found := func(item string) string {
		value := t.selected(item, inside, below)
		if rest[i].named {
			value = "[dyn(" + item + ".name), dyn(" + value + ")]"
		}
		return value
	}
	if !rest[i].each {
		return chain(base, at, rest[:i+1]) + ".optMap(" + item + ", " + found(read(item, rest[:i+1])) + ")"
	}
	if i > 0 {
		base = chain(base, at, rest[:i]) + ".orValue([])"
	}
	if exists := t.exists(item, inside, below); rest[i].named && exists != holdsAlways {
		return base + ".map(" + item + ", " + strings.Join(append([]string{exists}, t.references("has(")...), " || ") + ", " + found(item) + ")"
	}
	return base + ".map(" + item + ", " + found(item) + ")"
}

// selectedValue is selected for steps that are names.
func (t *translator) selectedValue(base string, at, rest []step) string {
	if len(rest) == 0 {
		return base
	}
	d := defaultAt(slices.Concat(at, rest))
	if d.Default == nil {
		return chain(base, at, rest)
	}
	parent, leaf := rest[:len(rest)-1], rest[len(rest)-1]
	value := member(leaf.name, "?") + ".orValue(" + literal(d.Default) + ")"
	if len(parent) == 0 {
		return base + value
	}
	name := nameOf(parent)
	return chain(base, at, parent) + ".optMap(" + name + ", " + read(name, parent) + value + ")"
}

// pathsOf returns the paths of a rule and of its arguments.
func pathsOf(r vmrules.Rule) []vmrules.Path {
	all := []vmrules.Path{r.Path, r.Valid}
	for _, arguments := range r.Arguments() {
		for _, a := range arguments {
			path, _ := a.Path()
			all = append(all, path)
		}
	}
	return slices.DeleteFunc(all, vmrules.Path.IsZero)
}
