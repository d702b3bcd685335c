package export

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
)

// A translator translates one rule to one form.
type translator struct {
	root     string // the variable that holds the VM
	rule     vmrules.Rule
	anyTypes bool
	schema   *leastSchema // declares what the expression reads; nil for a policy, which has no declared types
	refusal  error        // the first condition that cannot be expressed
}

// Expressions that are always true or never.
const (
	holdsAlways = "true"
	holdsNever  = "false"
)

// translate returns the expression for the rule. The expression is never true if there is
// nothing to validate: without spec.template.spec, it is false or an error. It is also never
// true for a VM that names an object that may set a field of the rule.
func (t *translator) translate() (string, error) {
	expression, err := t.ofWritten()
	if err != nil {
		return "", err
	}
	guards := t.references("!has(") // KubeVirt's CRD denies null there
	if guards == nil {
		return expression, nil
	}
	return strings.Join(append(guards, grouped(expression, " || ", " ? ")), " && "), nil
}

// references returns a call for each of the VM's references to an instance type or a preference that may
// set a field of the rule, and declares their fields in the schema.
func (t *translator) references(call string) []string {
	var all []string
	for _, s := range setters {
		if !maySet(s, t.rule) {
			continue
		}
		if t.schema != nil {
			t.schema.references = append(t.schema.references, s)
		}
		all = append(all, call+t.root+".spec."+s+")")
	}
	return all
}

// ofWritten is translate without guards: it uses the fields that the VM has.
func (t *translator) ofWritten() (string, error) {
	if err := t.enforced(); err != nil {
		return "", err
	}
	path, err := t.scalar("path", t.rule.Path)
	if err != nil {
		return "", err
	}
	if t.rule.Valid.IsZero() {
		return t.required(path), t.refusal
	}
	valid, err := t.declared("valid", t.rule.Valid)
	if err != nil {
		return "", err
	}
	expression := t.where(valid, path)
	if valid[0].name != "spec" {
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

// declared returns the steps of a path, and declares its field in the schema.
func (t *translator) declared(key string, path vmrules.Path) ([]step, error) {
	steps, err := stepsOf(key, path)
	if err != nil || t.schema == nil {
		return steps, err
	}
	return steps, t.schema.add(steps, t.typeAt(steps))
}

// scalar is declared for a path that must not select an object or array.
func (t *translator) scalar(key string, path vmrules.Path) ([]step, error) {
	steps, err := t.declared(key, path)
	if err == nil && containers[fieldKey(steps)] != "" {
		return nil, refuse(key, "%s selects an %s, which satisfies no rule", path, containers[fieldKey(steps)])
	}
	return steps, err
}

// where translates a rule with valid: it holds if valid selects nothing.
func (t *translator) where(valid, path []step) string {
	if t.selectTogether(valid, path) {
		return t.all(t.base(path), nil, path, holdsAlways)
	}
	return t.exists(t.base(valid), nil, valid) + " ? " + grouped(t.required(path), " ? ") + " : " + holdsAlways
}

// selectTogether reports whether path selects something whenever valid does: they are the same,
// or path selects a field with a default in the object that valid selects.
func (t *translator) selectTogether(valid, path []step) bool {
	if !t.anyTypes && slices.Equal(valid, path[:len(path)-1]) && defaultAt(path).Default != nil {
		return true
	}
	return slices.Equal(valid, path)
}

// base returns the expression for the VM's spec.template, from which the steps are read. Its
// type is dynamic where KubeVirt's CRD does not declare what follows, so that Kubernetes' type
// checker accepts the expression: everywhere with AnyTypes, and in the metadata.
func (t *translator) base(steps []step) string {
	base := t.root + ".spec.template"
	if t.schema == nil && (t.anyTypes || !inSpec(steps)) {
		return "dyn(" + base + ")"
	}
	return base
}

// inSpec reports whether steps begin with spec, and have only names that an expression can read
// from an object with a declared type.
func inSpec(steps []step) bool {
	for i, s := range steps {
		if isMap(fieldKey(steps[:i])) {
			break
		}
		if s.name != "" && !isIdentifier(s.name) {
			return false
		}
	}
	return len(steps) > 0 && steps[0].name == "spec"
}

// required translates a rule without valid: the path must select something.
func (t *translator) required(path []step) string {
	i := firstEach(path)
	if i < 0 || t.schema != nil {
		return t.all(t.base(path), nil, path, holdsNever)
	}
	name, item := namesFor(path[:i])
	all := t.all(item, path[:i+1], path[i+1:], holdsAlways)
	exists := t.exists(item, path[:i+1], path[i+1:])
	read := t.read(name, path[:i])
	some := read + ".exists(" + item + ", " + exists + ")"
	if exists == holdsAlways {
		some = "size(" + read + ") > 0"
	}
	both := read + ".all(" + item + ", " + all + ") && " + some
	if t.anyTypes {
		both = t.is(aList, read, both)
	}
	return t.chain(t.base(path), nil, path[:i]) + ".optMap(" + name + ", " + both + ").orValue(false)"
}

// namesFor returns the variables for a list and its items.
func namesFor(list []step) (name, item string) {
	last := list[len(list)-1].name
	name, item = variable(last), itemOf(last)
	if name == item {
		name = "list"
	}
	return name, item
}

// namesInside returns the variables for a list below the variable base. For an empty path, the
// list is base itself, and only its items need a variable.
func namesInside(base string, list []step) (name, item string) {
	if len(list) == 0 {
		return "", "item" + base
	}
	if name, item = namesFor(list); item == base {
		item = "item" + base
	}
	return name, item
}

// A shape is the CEL type that a value must have for the next step of a path.
type shape string

const (
	aScalar  shape = "" // no next step
	aList    shape = "list"
	anObject shape = "map"
)

// is returns the condition that a value has a shape and is not null, and that another condition
// is true. With the types of KubeVirt's API, it only tests for an object: below null, a field
// would be absent and have its default.
func (t *translator) is(s shape, v, and string) string {
	if !t.anyTypes && s != anObject {
		return and
	}
	there := v + " != null"
	if t.anyTypes && s != aScalar {
		there = "type(" + v + ") == " + string(s)
	}
	if and == holdsAlways {
		return there
	}
	return there + " && " + and
}

// unless returns an expression that is absent if a value is null or has another shape, and
// otherwise if not. With the types of KubeVirt's API, absent can be stricter.
func (t *translator) unless(s shape, v, absent, otherwise string) string {
	if !t.anyTypes && absent == holdsNever {
		return t.is(s, v, otherwise)
	}
	if !t.anyTypes {
		return otherwise
	}
	not := v + " == null"
	if s != aScalar {
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

// orNull is unless for a scalar and a condition of constrained, which is never true for null.
func (t *translator) orNull(v, absent, otherwise string) string {
	if absent == holdsNever {
		return otherwise
	}
	return t.unless(aScalar, v, absent, otherwise)
}

// all returns the condition that all values that the steps select from base satisfy the rule.
// It is absent if they select nothing.
func (t *translator) all(base string, at, rest []step, absent string) string {
	if t.schema != nil {
		return t.typedAll(base, at, rest, absent)
	}
	i := firstEach(rest)
	if i < 0 {
		return t.value(base, at, rest, absent)
	}
	list := rest[:i]
	name, item := namesInside(base, list)
	each := t.all(item, slices.Concat(at, rest[:i+1]), rest[i+1:], holdsAlways)
	if i == 0 {
		return t.unless(aList, base, holdsAlways, base+".all("+item+", "+each+")")
	}
	optional := t.chain(base, at, list)
	if !t.anyTypes && absent == holdsAlways {
		return optional + ".orValue([]).all(" + item + ", " + each + ")"
	}
	read := t.read(name, list)
	return optional + ".optMap(" + name + ", " + t.unless(aList, read, absent, read+".all("+item+", "+each+")") + ").orValue(" + absent + ")"
}

// exists returns the condition that the steps select something from base.
func (t *translator) exists(base string, at, rest []step) string {
	if t.schema != nil {
		return t.typedExists(base, at, rest)
	}
	i := firstEach(rest)
	if i < 0 {
		return t.present(base, at, rest)
	}
	name, item := namesInside(base, rest[:i])
	some := t.exists(item, slices.Concat(at, rest[:i+1]), rest[i+1:])
	if i == 0 {
		return t.is(aList, base, base+".exists("+item+", "+some+")")
	}
	optional := t.chain(base, at, rest[:i])
	switch {
	case !t.anyTypes && some == holdsAlways:
		return "size(" + optional + ".orValue([])) > 0"
	case !t.anyTypes:
		return optional + ".orValue([]).exists(" + item + ", " + some + ")"
	}
	read := t.read(name, rest[:i])
	return optional + ".optMap(" + name + ", " + t.is(aList, read, read+".exists("+item+", "+some+")") + ").orValue(false)"
}

// present returns the condition that steps of names and indexes select something.
func (t *translator) present(base string, at, rest []step) string {
	if len(rest) == 0 {
		return t.is(aScalar, base, holdsAlways)
	}
	if defaultAt(slices.Concat(at, rest)).Default != nil {
		return t.presentByDefault(base, at, rest)
	}
	if t.anyTypes {
		return t.chain(base, at, rest) + ".orValue(null) != null"
	}
	return t.chain(base, at, rest) + ".hasValue()"
}

// presentByDefault is present for a field with a default, which exists if its parent does.
func (t *translator) presentByDefault(base string, at, rest []step) string {
	parent := rest[:len(rest)-1]
	if len(parent) == 0 {
		return t.is(anObject, base, holdsAlways)
	}
	if !t.anyTypes {
		return t.present(base, at, parent)
	}
	name := nameOf(parent)
	return t.chain(base, at, parent) + ".optMap(" + name + ", " + t.is(anObject, t.read(name, parent), holdsAlways) + ").orValue(false)"
}

// value returns the condition that the value that steps of names and indexes select satisfies
// the rule. It is absent if they select nothing.
func (t *translator) value(base string, at, rest []step, absent string) string {
	full := slices.Concat(at, rest)
	of := t.typeAt(full)
	if len(rest) == 0 {
		return t.orNull(base, absent, t.constrained(base, of))
	}
	if d := defaultAt(full); d.Default != nil {
		return t.valueOrDefault(d, base, at, rest, absent)
	}
	v := nameOf(rest)
	read := t.read(v, rest)
	holds := t.orNull(read, absent, t.constrained(read, of))
	return t.chain(base, at, rest) + t.mapped(v, holds, t.asQuantity(read, of)) + ".orValue(" + absent + ")"
}

// mapped returns the calls that map an optional with the value v to a condition. If the condition
// is only about the value as a quantity, the value is first mapped to that.
func (t *translator) mapped(v, holds, quantity string) string {
	onlyQuantity, ok := strings.CutPrefix(holds, ofQuantity(quantity))
	if !ok || grouped(holds, " && ", " || ", " ? ") != holds {
		return ".optMap(" + v + ", " + holds + ")"
	}
	return ".optMap(" + v + ", " + quantity + ").optMap(q, " + onlyQuantity
}

func nameOf(steps []step) string {
	if s := steps[len(steps)-1]; s.name != "" {
		return variable(s.name)
	}
	return "item"
}
