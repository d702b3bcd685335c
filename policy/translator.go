package policy

import (
	"slices"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/internal/vmfields"
)

type translator struct {
	root         string // the variable that holds the VM
	rule         vmrules.Rule
	skipsSetters bool  // Scope.SkipInstancetypes
	refusal      error // the first condition that cannot be expressed
}

// Expressions that are always true or never.
const (
	holdsAlways = "true"
	holdsNever  = "false"
)

// translate returns the expression for the rule. The expression is never true if there is
// nothing to validate: without spec.template.spec, it is false or an error. It is also never
// true for a VM that names an object that may set a field of the rule, unless skipsSetters: then
// it always is.
func (t *translator) translate() (string, error) {
	expression, err := t.ofWritten()
	if err != nil {
		return "", err
	}
	guards := t.references("!has(") // KubeVirt's CRD denies null there
	switch {
	case guards == nil:
		return expression, nil
	case t.skipsSetters:
		return strings.Join(append(t.references("has("), grouped(expression, " ? ")), " || "), nil
	}
	return strings.Join(append(guards, grouped(expression, " || ", " ? ")), " && "), nil
}

// setters holds the fields of a VM's spec that name objects from which KubeVirt sets other
// fields when it starts the VM. The VM alone does not show the values of those fields.
var setters = []string{"instancetype", "preference"}

// maySet reports whether the object that a setter names may set a field that one of the rule's
// paths selects.
func maySet(setter string, r vmrules.Rule) bool {
	by := vmfields.SettersOf(map[string]any{setter: "any"})
	return slices.ContainsFunc(pathsOf(r), func(path vmrules.Path) bool {
		return vmfields.OpenVM.MaySet(inside.Vmrules.Parsed(path), by) != 0
	})
}

// references returns a call for each of the VM's references to an instance type or a preference that may
// set a field of the rule.
func (t *translator) references(call string) []string {
	var all []string
	for _, s := range setters {
		if maySet(s, t.rule) {
			all = append(all, call+t.root+".spec."+s+")")
		}
	}
	return all
}

// ofWritten is translate without guards: it uses the fields that the VM has.
func (t *translator) ofWritten() (string, error) {
	if err := t.enforced(); err != nil {
		return "", err
	}
	path, err := scalar("path", t.rule.Path)
	if err != nil {
		return "", err
	}
	if t.rule.Valid.IsZero() {
		return t.required(t.at(path)), t.refusal
	}
	valid, err := stepsOf("valid", t.rule.Valid)
	if err != nil {
		return "", err
	}
	expression := t.where(valid, path)
	if nameIn(valid[0]) != "spec" {
		expression = "has(" + t.root + ".spec.template.spec) && (" + expression + ")"
	}
	return expression, t.refusal
}

// enforced returns an error for a rule that vmrules ignores, or that enforces more than
// constrained translates.
func (t *translator) enforced() error {
	hasArguments := false
	for key := range t.rule.Arguments() {
		if !slices.Contains(translated, key) {
			return refuse(key, "this version of the translation does not know the argument")
		}
		hasArguments = true
	}
	switch t.rule.Kind {
	case vmrules.KindInteger, vmrules.KindString:
	case vmrules.KindEnum, vmrules.KindRegex:
		if !hasArguments {
			return refuse("rule", "a rule of kind %s without arguments is ignored", t.rule.Kind)
		}
	default:
		return refuse("rule", "only rules of the kinds integer, string, enum and regex are translated, not those of kind %q", t.rule.Kind)
	}
	return nil
}

// scalar is stepsOf for a path that must not select an object or array.
func scalar(key string, path vmrules.Path) (jp.Expr, error) {
	steps, err := stepsOf(key, path)
	switch {
	case err != nil:
		return nil, err
	case hasShape(steps, vmapi.Object), hasShape(steps, vmapi.Map):
		return nil, refuse(key, "%s selects an object, which satisfies no rule", path)
	case hasShape(steps, vmapi.Array):
		return nil, refuse(key, "%s selects an array, which satisfies no rule", path)
	}
	return steps, nil
}

// where translates a rule with valid: it holds if valid selects nothing.
func (t *translator) where(valid, path jp.Expr) string {
	if selectTogether(valid, path) {
		return t.all(t.at(path))
	}
	return t.at(valid).exists() + " ? " + grouped(t.required(t.at(path)), " ? ") + " : " + holdsAlways
}

// selectTogether reports whether path selects something whenever valid does: they are the same,
// or path selects a field with a default in the object that valid selects.
func selectTogether(valid, path jp.Expr) bool {
	return slices.Equal(valid, path) || slices.Equal(valid, path[:len(path)-1]) && defaultAt(path).Default() != nil
}

// at returns the place that steps select in the VM. The type of its base is dynamic where KubeVirt's
// CRD does not declare what follows, as in the metadata, so that Kubernetes' type checker accepts the
// expression.
func (t *translator) at(steps jp.Expr) place {
	base := t.root + ".spec.template"
	if !inSpec(steps) {
		base = "dyn(" + base + ")"
	}
	return place{base, nil, steps}
}

// inSpec reports whether steps begin with spec, and have only names that an expression can read
// from an object with a declared type.
func inSpec(steps jp.Expr) bool {
	for i, s := range steps {
		if hasShape(steps[:i], vmapi.Map) {
			break
		}
		if name := nameIn(s); name != "" && !isIdentifier(name) {
			return false
		}
	}
	return len(steps) > 0 && nameIn(steps[0]) == "spec"
}

// required translates a rule without valid: the path must select something.
func (t *translator) required(p place) string {
	list, item, ok := p.items()
	if !ok {
		return t.value(p, holdsNever)
	}
	name, _ := list.variable()
	if name == item.base {
		name = "list"
	}
	both := name + ".all(" + item.base + ", " + t.all(item) + ") && " + item.existsIn(name)
	return list.optional() + ".optMap(" + name + ", " + both + ").orValue(false)"
}

// all returns the condition that all values at a place satisfy the rule.
func (t *translator) all(p place) string {
	list, item, ok := p.items()
	if !ok {
		return t.value(p, holdsAlways)
	}
	return list.optional() + ".orValue([]).all(" + item.base + ", " + t.all(item) + ")"
}

// value returns the condition that the value that names and indexes select satisfies the rule. It is
// absent if they select nothing.
func (t *translator) value(p place, absent string) string {
	if len(p.steps) == 0 {
		return t.constrained(p.base, sortAt(p.path()))
	}
	if defaultAt(p.path()).Default() != nil {
		return t.valueOrDefault(p, absent)
	}
	name, read := p.variable()
	return p.optional() + ".optMap(" + name + ", " + t.constrained(read, sortAt(p.path())) + ").orValue(" + absent + ")"
}
