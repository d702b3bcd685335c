package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A celRule is a rule before it is written down: as an annotation for the
// library, and as an expression for CEL. The expression follows the words of
// the specification and knows nothing of how the library judges.
type celRule struct {
	Kind        string
	Path        celPath
	Valid       celPath // without steps: absent
	Arguments   map[string]celOperand
	JustWarning bool
}

// celArguments are the keys of a rule's arguments, in the order of the spec.
var celArguments = []string{"min", "max", "minLength", "maxLength", "values", "regex"}

// A celOperand is the value of an argument: a path if it has steps, a list if
// Items is not nil, else a literal.
type celOperand struct {
	Literal any
	Path    celPath
	Items   []celOperand
}

// form is how counts call the operand.
func (o celOperand) form() string {
	isPath := func(o celOperand) bool { return o.Path.exists() }
	switch {
	case isPath(o):
		return "path"
	case slices.ContainsFunc(o.Items, isPath):
		return "items with paths"
	}
	return "literal"
}

// annotated is the operand as the annotation has it.
func (o celOperand) annotated() any {
	if o.Path.exists() {
		return o.Path.String()
	}
	if o.Items == nil {
		return o.Literal
	}
	items := []any{}
	for _, item := range o.Items {
		items = append(items, item.annotated())
	}
	return items
}

// annotated is the rule as the annotation has it.
func (r celRule) annotated(i int) map[string]any {
	keys := map[string]any{
		"name":    fmt.Sprintf("rule-%d", i),
		"rule":    r.Kind,
		"path":    r.Path.String(),
		"message": "what the user is told",
	}
	if r.Valid.exists() {
		keys["valid"] = r.Valid.String()
	}
	if r.JustWarning {
		keys["justWarning"] = true
	}
	for key, operand := range r.Arguments {
		keys[key] = operand.annotated()
	}
	return keys
}

// celAnnotation is the annotation that holds the rules.
func celAnnotation(rules []celRule) string {
	list := []any{}
	for i, r := range rules {
		list = append(list, r.annotated(i))
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // what is generated always has a JSON form
	}
	return string(text)
}

// A celPath selects values: a string step names a member, an int an item, and
// celEach all items. Its style is how it is written.
type celPath struct {
	Steps []any
	Style celStyle
}

// celEach is the step [*].
type celEach struct{}

// A celStyle is one of the ways to write the same path.
type celStyle int

const (
	celPlain celStyle = iota
	celDollar
	celBraces
	celBracesDollar
	celNoDot
	celQuoted
	celStyles
)

func (p celPath) exists() bool { return len(p.Steps) > 0 }

// String is the path with its prefix.
func (p celPath) String() string {
	var s strings.Builder
	for _, step := range p.Steps {
		s.WriteString(p.step(step))
	}
	text := s.String()
	switch p.Style {
	case celDollar, celQuoted:
		text = "$" + text
	case celBraces:
		text = "{" + text + "}"
	case celBracesDollar:
		text = "{$" + text + "}"
	case celNoDot:
		text = strings.TrimPrefix(text, ".")
	}
	return "jsonpath::" + text
}

func (p celPath) step(step any) string {
	switch step := step.(type) {
	case int:
		return fmt.Sprintf("[%d]", step)
	case celEach:
		return "[*]"
	case string:
		name := strings.ReplaceAll(step, ".", `\.`)
		if p.Style == celQuoted {
			return "['" + name + "']"
		}
		return "." + name
	}
	panic(fmt.Sprintf("a step %v", step))
}

// celDefaults are the fields that always exist, and what they count as.
var celDefaults = map[string]string{
	".spec.domain.cpu.sockets":                           "1",
	".spec.domain.cpu.cores":                             "1",
	".spec.domain.cpu.threads":                           "1",
	".spec.domain.machine.type":                          "''",
	".spec.domain.devices.disks[].serial":                "''",
	".spec.domain.devices.disks[].cache":                 "''",
	".spec.domain.devices.disks[].io":                    "''",
	".spec.domain.devices.disks[].tag":                   "''",
	".spec.domain.devices.interfaces[].model":            "''",
	".spec.domain.devices.interfaces[].macAddress":       "''",
	".spec.domain.devices.interfaces[].pciAddress":       "''",
	".spec.domain.devices.interfaces[].tag":              "''",
	".spec.domain.devices.interfaces[].ports[].protocol": "''",
	".spec.domain.devices.interfaces[].ports[].port":     "0",
}

// selected is the CEL list of what the path selects.
func (p celPath) selected() string {
	list, at := "[vm]", ""
	for _, step := range p.Steps {
		switch step := step.(type) {
		case string:
			at += "." + step
			list += celMember(step, celDefaults[at])
		case int:
			at += "[]"
			list += celItem(step)
		case celEach:
			at += "[]"
			list += ".map(x, type(x) == list, x).flatten().filter(x, x != null)"
		}
	}
	return list
}

// celMember goes on to a member of each object; null is absent. A default
// stands in for an absent one and, where it is a count of CPUs, for 0.
func celMember(name, otherwise string) string {
	key := strconv.Quote(name)
	there := fmt.Sprintf("%s in x && x[%s] != null", key, key)
	switch otherwise {
	case "":
		return fmt.Sprintf(".map(x, type(x) == map && %s, x[%s])", there, key)
	case "1":
		there += fmt.Sprintf(" && x[%s] != 0", key)
	}
	return fmt.Sprintf(".map(x, type(x) == map, %s ? x[%s] : dyn(%s))", there, key, otherwise)
}

// celItem goes on to an item of each array; a negative index counts from the
// end.
func celItem(index int) string {
	at, enough := strconv.Itoa(index), index+1
	if index < 0 {
		at, enough = fmt.Sprintf("size(x) - %d", -index), -index
	}
	return fmt.Sprintf(".map(x, type(x) == list && size(x) >= %d && x[%s] != null, x[%s])", enough, at, at)
}

// celRoot is what paths begin at, by the kind of the object.
const celRoot = "self.kind == 'VirtualMachine' ? self.spec.template : self"

// outcome is the CEL expression for what becomes of the rule, by the library's
// names, with the object as self.
func (r celRule) outcome() string {
	needsArguments := r.Kind == "enum" || r.Kind == "regex"
	if r.Kind == celUnknownKind || needsArguments && len(r.Arguments) == 0 {
		return "'Ignored'"
	}
	outcome := r.judged()
	for _, key := range celArguments {
		if operand, ok := r.Arguments[key]; ok {
			outcome = fmt.Sprintf("cel.bind(%s, %s,\n%s)", key, operand.bound(key), outcome)
		}
	}
	outcome = fmt.Sprintf("cel.bind(found, %s,\n%s)", r.Path.selected(), outcome)
	if r.Valid.exists() {
		outcome = fmt.Sprintf("size(%s) == 0 ? 'Skipped' :\n%s", r.Valid.selected(), outcome)
	}
	return fmt.Sprintf("cel.bind(vm, %s,\n%s)", celRoot, outcome)
}

// judged is the outcome for the values found, with each argument bound to its
// key. A value that is wrong by an argument that can be used decides, whatever
// the others are.
func (r celRule) judged() string {
	violated := "'Violated'"
	if r.JustWarning {
		violated = "'Warned'"
	}
	wrong, unusable := "!("+celIs(r.Kind, "v")+")", "false"
	for _, key := range celArguments {
		if _, ok := r.Arguments[key]; ok {
			wrong += fmt.Sprintf(" || (%s) && !(%s)", celUsable[key], celHolds[key])
			unusable += fmt.Sprintf(" || !(%s)", celUsable[key])
		}
	}
	return fmt.Sprintf("size(found) == 0 || found.exists(v, %s) ? %s : %s ? 'Undecided' : 'Satisfied'", wrong, violated, unusable)
}

// bound is the CEL list that an argument's key stands for: its values, of which
// one is needed; but for values, a list of what each item or path allows.
func (o celOperand) bound(key string) string {
	switch {
	case key != "values":
		return o.selected()
	case o.Path.exists():
		return o.selected() + celListed
	case len(o.Items) == 0:
		return "[[]]"
	}
	var lists []string
	for _, item := range o.Items {
		lists = append(lists, item.selected()+celListed+".flatten()")
	}
	return "[" + strings.Join(lists, ", ") + "]"
}

// celListed makes lists of one value of those that are no lists.
const celListed = ".map(x, type(x) == list ? x : [x])"

func (o celOperand) selected() string {
	if o.Path.exists() {
		return o.Path.selected()
	}
	return "[" + celLiteral(o.Literal) + "]"
}

// celLiteral is a string, a bool or a json.Number as a CEL literal.
func celLiteral(v any) string {
	switch v := celValue(v).(type) {
	case string:
		return "dyn(" + strconv.Quote(v) + ")"
	case float64:
		return fmt.Sprintf("dyn(double('%v'))", v)
	default:
		return fmt.Sprintf("dyn(%v)", v)
	}
}

// celIs says that a value is of a rule's kind.
func celIs(kind, v string) string {
	switch kind {
	case "integer":
		return celInteger(v)
	case "string":
		return fmt.Sprintf("type(%s) == string", v)
	}
	return celScalar(v)
}

func celScalar(v string) string { return fmt.Sprintf("!(type(%s) in [list, map])", v) }

// celNumber says that a value is a number or a quantity. Kubernetes also takes
// a suffix alone, such as "Gi" and "e1", for 0, against its own grammar.
func celNumber(v string) string {
	quantity := fmt.Sprintf("isQuantity(%[1]s) && %[1]s.matches('^[-+]?[.]?[0-9]')", v)
	return fmt.Sprintf("(type(%[1]s) == string ? %[2]s : type(%[1]s) in [int, double])", v, quantity)
}

// celInteger says that a value is an integral number. isInteger() alone denies
// "1000m" and "0.5Ki", so the integers around the quantity's float are tried.
func celInteger(v string) string {
	around := "[-1, 0, 1].exists(d, q.compareTo(quantity(string(int(q.asApproximateFloat()) + d))) == 0)"
	return fmt.Sprintf("(type(%s) == int || %s && cel.bind(q, %s, q.isInteger() || %s))", v, celNumber(v), celQuantity(v), around)
}

// celQuantity is a number as a quantity, which compares it exactly.
func celQuantity(v string) string { return fmt.Sprintf("quantity(string(%s))", v) }

// celRendered is a scalar as a string. CEL writes doubles with an exponent from
// 1e6 on; integral ones are made ints, which it writes without.
func celRendered(v string) string {
	return fmt.Sprintf("(type(%[1]s) == double && %[1]s == double(int(%[1]s)) ? string(int(%[1]s)) : string(%[1]s))", v)
}

// celUsable says of each argument, bound to its key, that it can be judged by.
var celUsable = map[string]string{
	"min":       "size(min) == 1 && " + celNumber("min[0]"),
	"max":       "size(max) == 1 && " + celNumber("max[0]"),
	"minLength": "size(minLength) == 1 && " + celLength("minLength[0]"),
	"maxLength": "size(maxLength) == 1 && " + celLength("maxLength[0]"),
	"values":    "size(values) > 0 && " + celAllowed + ".all(a, " + celScalar("a") + ")",
	"regex":     "size(regex) == 1 && type(regex[0]) == string && regex[0] in re2",
}

// celHolds says of each argument that the value v satisfies it.
var celHolds = map[string]string{
	"min":       celNumber("v") + " && !" + celQuantity("v") + ".isLessThan(" + celQuantity("min[0]") + ")",
	"max":       celNumber("v") + " && !" + celQuantity("v") + ".isGreaterThan(" + celQuantity("max[0]") + ")",
	"minLength": celSize + ".compareTo(" + celQuantity("minLength[0]") + ") >= 0",
	"maxLength": celSize + ".compareTo(" + celQuantity("maxLength[0]") + ") <= 0",
	"values":    celAllowed + ".exists(a, " + celRendered("a") + " == " + celRendered("v") + ")",
	"regex":     celRendered("v") + ".matches(re2[regex[0]])",
}

// celAllowed is all that values allows; null is absent.
const celAllowed = "values.flatten().filter(a, a != null)"

// celLength says that a value can be a length. Labels hold it as a string, which
// is then a number as JSON has them and no other quantity.
func celLength(v string) string {
	plain := fmt.Sprintf("(type(%[1]s) != string || %[1]s.matches('^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$'))", v)
	return plain + " && " + celInteger(v) + " && " + celQuantity(v) + ".compareTo(quantity('0')) >= 0"
}

// celSize is the length of v, rendered, in code points.
var celSize = "quantity(string(size(" + celRendered("v") + ")))"

// celValue is a decoded value with its numbers as CEL has them: ints, or
// doubles where they have a point or an exponent.
func celValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			panic(err) // no such number is generated
		}
		return f
	case map[string]any:
		members := map[string]any{}
		for name, member := range v {
			members[name] = celValue(member)
		}
		return members
	case []any:
		items := []any{}
		for _, item := range v {
			items = append(items, celValue(item))
		}
		return items
	}
	return v
}
