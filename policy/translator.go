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

// A translator translates one rule.
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
		return t.required(path), t.refusal
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
		return t.all(t.base(path), nil, path)
	}
	return t.exists(t.base(valid), nil, valid) + " ? " + grouped(t.required(path), " ? ") + " : " + holdsAlways
}

// selectTogether reports whether path selects something whenever valid does: they are the same,
// or path selects a field with a default in the object that valid selects.
func selectTogether(valid, path jp.Expr) bool {
	return slices.Equal(valid, path) || slices.Equal(valid, path[:len(path)-1]) && defaultAt(path).Default() != nil
}

// base returns the expression for the VM's spec.template, from which the steps are read. Its
// type is dynamic where KubeVirt's CRD does not declare what follows, as in the metadata, so that
// Kubernetes' type checker accepts the expression.
func (t *translator) base(steps jp.Expr) string {
	base := t.root + ".spec.template"
	if !inSpec(steps) {
		return "dyn(" + base + ")"
	}
	return base
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
func (t *translator) required(path jp.Expr) string {
	i := firstEach(path)
	if i < 0 {
		return t.value(t.base(path), nil, path, holdsNever)
	}
	name, item := namesFor(path[:i])
	all := t.all(item, path[:i+1], path[i+1:])
	exists := t.exists(item, path[:i+1], path[i+1:])
	some := name + ".exists(" + item + ", " + exists + ")"
	if exists == holdsAlways {
		some = "size(" + name + ") > 0"
	}
	both := name + ".all(" + item + ", " + all + ") && " + some
	return chain(t.base(path), nil, path[:i]) + ".optMap(" + name + ", " + both + ").orValue(false)"
}

// namesFor returns the variables for a list and its items.
func namesFor(list jp.Expr) (name, item string) {
	last := nameIn(list[len(list)-1])
	name, item = variable(last), itemOf(last)
	if name == item {
		name = "list"
	}
	return name, item
}

// itemInside returns the variable for the items of a list below the variable base.
func itemInside(base string, list jp.Expr) string {
	if _, item := namesFor(list); item != base {
		return item
	}
	return "item" + base
}

// unlessNull returns a condition on an object that is also false for null, below which a field
// would be absent and have its default. It returns holds alone if absence is not refused.
func unlessNull(object, absent, holds string) string {
	if absent != holdsNever {
		return holds
	}
	return object + " != null && " + holds
}

// all returns the condition that all values that the steps select from base satisfy the rule.
func (t *translator) all(base string, at, rest jp.Expr) string {
	i := firstEach(rest)
	if i < 0 {
		return t.value(base, at, rest, holdsAlways)
	}
	item := itemInside(base, rest[:i])
	each := t.all(item, slices.Concat(at, rest[:i+1]), rest[i+1:])
	return chain(base, at, rest[:i]) + ".orValue([]).all(" + item + ", " + each + ")"
}

// exists returns the condition that the steps select something from base.
func (t *translator) exists(base string, at, rest jp.Expr) string {
	i := firstEach(rest)
	if i < 0 {
		return t.present(base, at, rest)
	}
	item := itemInside(base, rest[:i])
	some := t.exists(item, slices.Concat(at, rest[:i+1]), rest[i+1:])
	list := chain(base, at, rest[:i]) + ".orValue([])"
	if some == holdsAlways {
		return "size(" + list + ") > 0"
	}
	return list + ".exists(" + item + ", " + some + ")"
}

// present returns the condition that steps of names and indexes select something. A field with a
// default exists if its parent does.
func (t *translator) present(base string, at, rest jp.Expr) string {
	switch {
	case len(rest) == 0:
		return holdsAlways
	case defaultAt(slices.Concat(at, rest)).Default() == nil:
		return chain(base, at, rest) + ".hasValue()"
	case len(rest) == 1:
		return base + " != null"
	}
	return chain(base, at, rest[:len(rest)-1]) + ".orValue(null) != null"
}

// value returns the condition that the value that steps of names and indexes select satisfies
// the rule. It is absent if they select nothing.
func (t *translator) value(base string, at, rest jp.Expr, absent string) string {
	full := slices.Concat(at, rest)
	of := sortAt(full)
	if len(rest) == 0 {
		return t.constrained(base, of)
	}
	if d := defaultAt(full); d.Default() != nil {
		return t.valueOrDefault(d, base, at, rest, absent)
	}
	v := nameOf(rest)
	return chain(base, at, rest) + ".optMap(" + v + ", " + t.constrained(read(v, rest), of) + ").orValue(" + absent + ")"
}

func nameOf(steps jp.Expr) string {
	if name := nameIn(steps[len(steps)-1]); name != "" {
		return variable(name)
	}
	return "item"
}
