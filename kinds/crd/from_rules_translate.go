package crd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
)

// A translator writes one rule in one form.
type translator struct {
	root     string // the variable that holds the VM
	rule     vmrules.Rule
	anyTypes bool
	schema   *leastSchema // of what the expression reads; nil: fields have no declared types
}

// What a path that selects nothing makes of a rule, beside an expression.
const (
	holdsAlways = "true"
	holdsNever  = "false"
)

// translate is the rule as an expression, which is never true where there is
// nothing to validate: without spec.template.spec it is an error, or false. Nor is
// it for a VM that names what may set a field that the rule asks for.
func (t *translator) translate() (string, error) {
	expression, err := t.ofWritten()
	if err != nil {
		return "", err
	}
	guards := t.guards()
	if guards == nil {
		return expression, nil
	}
	return strings.Join(append(guards, grouped(expression, " || ", " ? ")), " && "), nil
}

// guards say that the VM names no instance type, and no preference, which may set
// a field that the rule asks for. KubeVirt's CRD denies a null there.
func (t *translator) guards() []string {
	var guards []string
	for _, s := range setters {
		if !maySet(s, t.rule) {
			continue
		}
		if t.schema != nil {
			t.schema.references = append(t.schema.references, s)
		}
		guards = append(guards, "!has("+t.root+".spec."+s+")")
	}
	return guards
}

// ofWritten is translate for a VM that nothing else sets fields of.
func (t *translator) ofWritten() (string, error) {
	if err := t.enforced(); err != nil {
		return "", err
	}
	path, err := t.scalar("path", t.rule.Path)
	if err != nil {
		return "", err
	}
	if t.rule.Valid.IsZero() {
		return t.required(path)
	}
	valid, err := t.declared("valid", t.rule.Valid)
	if err != nil {
		return "", err
	}
	expression, err := t.where(valid, path)
	if err == nil && valid[0].name != "spec" {
		expression = "has(" + t.base() + ".spec) && (" + expression + ")"
	}
	return expression, err
}

// enforced refuses what vmrules ignores.
func (t *translator) enforced() error {
	r := t.rule
	switch r.Kind {
	case vmrules.KindInteger, vmrules.KindString:
		return nil
	case vmrules.KindEnum, vmrules.KindRegex:
		if r.Min.IsZero() && r.Max.IsZero() && r.MinLength.IsZero() && r.MaxLength.IsZero() && r.Regex.IsZero() &&
			r.Values == nil && r.ValuesFrom.IsZero() {
			return refuse("rule", "the kind %s without any argument enforces nothing, and is ignored", r.Kind)
		}
		return nil
	}
	return refuse("rule", "the kind %q is not known, and is ignored", r.Kind)
}

// declared are the steps of a path, whose field the schema then has.
func (t *translator) declared(key string, path vmrules.Path) ([]step, error) {
	steps, err := stepsOf(key, path)
	if err != nil || t.schema == nil {
		return steps, err
	}
	return steps, t.schema.add(steps, t.typeAt(steps))
}

// scalar is declared for a path whose value is judged or compared with.
func (t *translator) scalar(key string, path vmrules.Path) ([]step, error) {
	steps, err := t.declared(key, path)
	if err == nil && containers[fieldKey(steps)] != "" {
		return nil, refuse(key, "%s is an %s, for which no rule holds", path, containers[fieldKey(steps)])
	}
	return steps, err
}

// where is the rule with valid: it holds where valid selects nothing.
func (t *translator) where(valid, path []step) (string, error) {
	if t.selectTogether(valid, path) {
		return t.all(t.base(), nil, path, holdsAlways)
	}
	there, err := t.exists(t.base(), nil, valid)
	if err != nil {
		return "", err
	}
	required, err := t.required(path)
	if err != nil {
		return "", err
	}
	return there + " ? " + grouped(required, " ? ") + " : " + holdsAlways, nil
}

// selectTogether reports whether path selects something wherever valid does: it is
// the same, or a field that is there by its default where valid is.
func (t *translator) selectTogether(valid, path []step) bool {
	if !t.anyTypes && slices.Equal(valid, path[:len(path)-1]) && defaultAt(path).Default != nil {
		return true
	}
	return slices.Equal(valid, path)
}

func (t *translator) base() string { return t.root + ".spec.template" }

// required is the rule without valid: the path must select something.
func (t *translator) required(path []step) (string, error) {
	if t.schema != nil {
		return t.typedAll(t.base(), nil, path, holdsNever)
	}
	i := slices.IndexFunc(path, func(s step) bool { return s.each })
	if i < 0 {
		return t.all(t.base(), nil, path, holdsNever)
	}
	list, err := t.chain(t.base(), nil, path[:i])
	if err != nil {
		return "", err
	}
	name, item := namesFor(path[:i])
	all, err := t.all(item, path[:i+1], path[i+1:], holdsAlways)
	if err != nil {
		return "", err
	}
	exists, err := t.exists(item, path[:i+1], path[i+1:])
	if err != nil {
		return "", err
	}
	read := t.read(name, path[:i])
	some := read + ".exists(" + item + ", " + exists + ")"
	both := read + ".all(" + item + ", " + all + ") && " + some
	if t.anyTypes {
		both = t.is(aList, read, both)
	}
	return list + ".optMap(" + name + ", " + both + ").orValue(false)", nil
}

// namesFor are what a list and its items are called.
func namesFor(list []step) (name, item string) {
	last := list[len(list)-1].name
	name, item = variable(last), itemOf(last)
	if name == item {
		name = "list"
	}
	return name, item
}

// namesInside are those for a list below base, or for base itself, which has its
// name already.
func namesInside(base string, list []step) (name, item string) {
	if len(list) == 0 {
		return "", "item" + base
	}
	if name, item = namesFor(list); item == base {
		item = "item" + base
	}
	return name, item
}

// A shape is what a value must be for a path to go on from it.
type shape string

const (
	aScalar  shape = "" // or the end of the path
	aList    shape = "list"
	anObject shape = "map"
)

// is is a condition on a value that may be null, which without declared types
// is not the same as absent, or that may be of another shape.
func (t *translator) is(s shape, v, and string) string {
	there := v + " != null"
	if t.anyTypes && s != aScalar {
		there = "type(" + v + ") == " + string(s)
	}
	if and == holdsAlways {
		return there
	}
	return there + " && " + and
}

// unless is what becomes of a value that is as is says, and of another.
func (t *translator) unless(s shape, v, absent, otherwise string) string {
	not := v + " == null"
	if t.anyTypes && s != aScalar {
		not = "type(" + v + ") != " + string(s)
	}
	switch {
	case absent == holdsAlways:
		return not + " || " + otherwise
	case absent == holdsNever:
		return t.is(s, v, otherwise)
	}
	return not + " ? " + absent + " : " + otherwise
}

// orNull is unless for a scalar: what constrained says is not true for null.
func (t *translator) orNull(v, absent, otherwise string) string {
	if absent == holdsNever {
		return otherwise
	}
	return t.unless(aScalar, v, absent, otherwise)
}

// all says that each value that the steps select from base is right. Where
// there is none, it is absent.
func (t *translator) all(base string, at, rest []step, absent string) (string, error) {
	if t.schema != nil {
		return t.typedAll(base, at, rest, absent)
	}
	i := slices.IndexFunc(rest, func(s step) bool { return s.each })
	if i < 0 {
		return t.value(base, at, rest, absent)
	}
	list := rest[:i]
	name, item := namesInside(base, list)
	each, err := t.all(item, slices.Concat(at, rest[:i+1]), rest[i+1:], holdsAlways)
	if err != nil {
		return "", err
	}
	if i == 0 {
		return t.unless(aList, base, holdsAlways, base+".all("+item+", "+each+")"), nil
	}
	optional, err := t.chain(base, at, list)
	if err != nil {
		return "", err
	}
	read := t.read(name, list)
	return optional + ".optMap(" + name + ", " + t.unless(aList, read, absent, read+".all("+item+", "+each+")") + ").orValue(" + absent + ")", nil
}

// exists says that the steps select something from base.
func (t *translator) exists(base string, at, rest []step) (string, error) {
	if t.schema != nil {
		return t.typedExists(base, at, rest)
	}
	i := slices.IndexFunc(rest, func(s step) bool { return s.each })
	if i < 0 {
		return t.present(base, at, rest)
	}
	name, item := namesInside(base, rest[:i])
	some, err := t.exists(item, slices.Concat(at, rest[:i+1]), rest[i+1:])
	if err != nil {
		return "", err
	}
	if i == 0 {
		return t.is(aList, base, base+".exists("+item+", "+some+")"), nil
	}
	optional, err := t.chain(base, at, rest[:i])
	if err != nil {
		return "", err
	}
	read := t.read(name, rest[:i])
	return optional + ".optMap(" + name + ", " + t.is(aList, read, read+".exists("+item+", "+some+")") + ").orValue(false)", nil
}

// present says that steps of names and indexes lead to something.
func (t *translator) present(base string, at, rest []step) (string, error) {
	if len(rest) == 0 {
		return t.is(aScalar, base, holdsAlways), nil
	}
	full := slices.Concat(at, rest)
	if defaultAt(full).Default != nil {
		return t.presentByDefault(base, at, rest)
	}
	optional, err := t.chain(base, at, rest)
	return optional + ".orValue(null) != null", err
}

// presentByDefault is present for a field that is there wherever its parent is.
func (t *translator) presentByDefault(base string, at, rest []step) (string, error) {
	parent := rest[:len(rest)-1]
	if len(parent) == 0 {
		return t.is(anObject, base, holdsAlways), nil
	}
	if !t.anyTypes {
		return t.present(base, at, parent)
	}
	optional, err := t.chain(base, at, parent)
	if err != nil {
		return "", err
	}
	name := nameOf(parent)
	return optional + ".optMap(" + name + ", " + t.is(anObject, t.read(name, parent), holdsAlways) + ").orValue(false)", nil
}

// value says that the value that steps of names and indexes lead to is right.
func (t *translator) value(base string, at, rest []step, absent string) (string, error) {
	full := slices.Concat(at, rest)
	of := t.typeAt(full)
	if len(rest) == 0 {
		holds, err := t.constrained(base, of)
		return t.orNull(base, absent, holds), err
	}
	if d := defaultAt(full); d.Default != nil {
		return t.valueOrDefault(d, base, at, rest, absent)
	}
	optional, err := t.chain(base, at, rest)
	if err != nil {
		return "", err
	}
	v := nameOf(rest)
	read := t.read(v, rest)
	holds, err := t.constrained(read, of)
	return optional + ".optMap(" + v + ", " + t.orNull(read, absent, holds) + ").orValue(" + absent + ")", err
}

func nameOf(steps []step) string {
	if s := steps[len(steps)-1]; s.name != "" {
		return variable(s.name)
	}
	return "item"
}

// valueOrDefault is value for a field that is there wherever its parent is.
func (t *translator) valueOrDefault(d vmrules.Place, base string, at, rest []step, absent string) (string, error) {
	parent, leaf := rest[:len(rest)-1], rest[len(rest)-1]
	above := slices.Concat(at, parent)
	if len(parent) == 0 {
		holds, err := t.defaulted(d, base, above, leaf)
		return t.unless(anObject, base, absent, holds), err
	}
	optional, err := t.chain(base, at, parent)
	if err != nil {
		return "", err
	}
	name := nameOf(parent)
	read := t.read(name, parent)
	holds, err := t.defaulted(d, read, above, leaf)
	return optional + ".optMap(" + name + ", " + t.unless(anObject, read, absent, holds) + ").orValue(" + absent + ")", err
}

// defaulted says that a member of an object, or its default, is right.
func (t *translator) defaulted(d vmrules.Place, parent string, above []step, leaf step) (string, error) {
	field, err := t.member(above, leaf.name, "?")
	if err != nil {
		return "", err
	}
	full := append(slices.Clip(above), leaf)
	of, v := t.typeAt(full), variable(leaf.name)
	holds, err := t.constrained(v, of)
	if err != nil {
		return "", err
	}
	absent, err := t.byDefault(d, of)
	if err != nil {
		return "", err
	}
	optional := parent + field
	switch {
	case !d.ZeroIsDefault, absent == holdsNever && t.holds(0) == holdsNever:
		return optional + ".optMap(" + v + ", " + t.orNull(v, absent, holds) + ").orValue(" + absent + ")", nil
	case t.anyTypes:
		return optional + ".optMap(" + v + ", " + v + " == null || " + v + " == 0 ? " + absent + " : " + holds + ").orValue(" + absent + ")", nil
	}
	return "optional.ofNonZeroValue(" + optional + ".orValue(0)).optMap(" + v + ", " + holds + ").orValue(" + absent + ")", nil
}

// byDefault is what becomes of the rule by a field's default.
func (t *translator) byDefault(d vmrules.Place, of fieldType) (string, error) {
	verdict := t.holds(d.Default)
	if verdict == "" {
		literal := fmt.Sprint(d.Default)
		if text, ok := d.Default.(string); ok {
			literal = strconv.Quote(text)
		}
		if t.anyTypes {
			literal = "dyn(" + literal + ")"
		}
		var err error
		if verdict, err = t.constrained(literal, of); err != nil {
			return "", err
		}
	}
	return verdict, nil
}

// holds is what vmrules says of a value at the rule's path, "" where that depends
// on what an argument's path selects.
func (t *translator) holds(value any) string {
	r := t.rule
	r.Path, r.Valid, r.JustWarning = vmrules.MustParsePath("jsonpath::.value"), vmrules.Path{}, false
	for _, a := range []vmrules.Argument{r.Min, r.Max, r.MinLength, r.MaxLength, r.Regex} {
		if _, isPath := a.Path(); isPath {
			return ""
		}
	}
	rules, err := vmrules.NewRules([]vmrules.Rule{r})
	if err != nil {
		return ""
	}
	if vmrules.Validate(rules, map[string]any{"kind": "Value", "value": value}).Valid() {
		return holdsAlways
	}
	return holdsNever
}
