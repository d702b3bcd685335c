package policy

import (
	"slices"

	"github.com/ohler55/ojg/jp"
)

// A place is what steps of a path select below a value of the VM.
type place struct {
	base  string  // the expression for the value
	above jp.Expr // the steps from spec.template to the value
	steps jp.Expr
}

// path returns all steps, from spec.template.
func (p place) path() jp.Expr { return slices.Concat(p.above, p.steps) }

// parent returns the place that all steps but the last select.
func (p place) parent() place { return place{p.base, p.above, p.steps[:len(p.steps)-1]} }

// last returns the name in the last step; "" for items.
func (p place) last() string { return nameIn(p.steps[len(p.steps)-1]) }

// items returns the first list of which the steps select all items, and the place in each of them; false if there
// is none.
func (p place) items() (list, item place, ok bool) {
	i := firstEach(p.steps)
	if i < 0 {
		return place{}, place{}, false
	}
	list = place{p.base, p.above, p.steps[:i]}
	variable := itemOf(list.last())
	if variable == p.base {
		variable = "item" + variable
	}
	return list, place{variable, slices.Concat(p.above, p.steps[:i+1]), p.steps[i+1:]}, true
}

// optional returns an expression for what names and indexes select. Each step may be absent, so the
// result is an optional.
func (p place) optional() string { return p.read("?") }

// plain returns an expression for what names and indexes select. It is an error if a step is absent.
func (p place) plain() string { return p.read("") }

func (p place) read(mark string) string {
	all := p.base
	for i, s := range p.steps {
		if i == 0 && p.above == nil && nameIn(s) == "spec" && len(p.steps) > 1 {
			all += member(s, "") // without spec.template.spec, the expression is an error
			continue
		}
		all += member(s, mark)
	}
	return all
}

// variable returns the variable for what names and indexes select, and an expression that reads it. CEL's
// checker knows that what a name selects is dyn. For what an index selects, it would infer the
// type from the first use, so that is converted to dyn.
func (p place) variable() (name, read string) {
	last := p.last()
	name = variable(last)
	if last == "" {
		name = "item"
	}
	if isIdentifier(last) {
		return name, name
	}
	return name, "dyn(" + name + ")"
}

// exists returns the condition that the steps select something. A field with a default exists if its parent
// does.
func (p place) exists() string {
	list, item, ok := p.items()
	switch {
	case ok:
		return item.existsIn(list.optional() + ".orValue([])")
	case len(p.steps) == 0:
		return holdsAlways
	case defaultAt(p.path()).Default() == nil:
		return p.optional() + ".hasValue()"
	case len(p.steps) == 1:
		return p.base + " != null"
	}
	return p.parent().optional() + ".orValue(null) != null"
}

// existsIn returns the condition that the steps select something from an item of a list.
func (p place) existsIn(list string) string {
	exists := p.exists()
	if exists == holdsAlways {
		return "size(" + list + ") > 0"
	}
	return list + ".exists(" + p.base + ", " + exists + ")"
}
