package policy

import (
	"slices"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules"
)

// This file translates which updates a policy forgives: those of a VM that violated the rule
// before, if they change nothing that the rule reads. Any other update is validated in full.

// wasInScope is the variable of a policy that says whether the VM was in the scope before the
// update. It is false where there is no update.
const wasInScope = "wasInScope"

// forgiving adds to the expression of a rule when an update is forgiven: the VM was in the scope,
// nothing changed on which the verdict depends, and the expression was false. If the expression was
// an error, so is this one. Whether an object that the VM names may set a field depends on other
// fields too, so then the whole template must be the same.
func (t *translator) forgiving(expression string) string {
	old := *t
	old.root = "oldObject"
	before, _ := old.translate() // it was translated already: no error
	conditions := []string{"variables." + wasInScope}
	for _, path := range pathsOf(t.rule) {
		steps, _ := stepsOf("", path)
		same := t.compared(steps) + " == " + old.compared(steps)
		if !slices.Contains(conditions, same) {
			conditions = append(conditions, same)
		}
	}
	if guards := t.references("!has("); guards != nil {
		for _, s := range setters {
			conditions = append(conditions, t.root+".spec.?"+s+" == "+old.root+".spec.?"+s)
		}
		conditions = append(conditions, "("+strings.Join(guards, " && ")+" || "+t.root+".spec.template == "+old.root+".spec.template)")
	}
	conditions = append(conditions, "!("+before+")")
	return grouped(expression, " ? ") + " || " + strings.Join(conditions, " && ")
}

// compared returns an expression that has the same value for two VMs only if steps select the same
// values at the same places in both. It is the first list on the way as a whole, so that it does not
// matter which items are selected, and how vmrules.Ratcheting tells them apart. For a field with a
// default, it is the object around the field, without which there is no default.
func (t *translator) compared(steps jp.Expr) string {
	p := t.at(steps)
	if i := slices.IndexFunc(steps, func(step jp.Frag) bool { return nameIn(step) == "" }); i >= 0 {
		p.steps = steps[:i]
	} else if defaultAt(steps).Default() != nil {
		p = p.parent()
	}
	return p.optional()
}

// pathsOf returns the paths of a rule and of its arguments.
func pathsOf(r vmrules.Rule) []vmrules.Path {
	all := []vmrules.Path{r.Path, r.Valid}
	for _, argument := range r.Arguments() {
		items, _ := argument.List()
		for _, a := range items {
			path, _ := a.Path()
			all = append(all, path)
		}
	}
	return slices.DeleteFunc(all, vmrules.Path.IsZero)
}
