package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A celRule can be written as an annotation for the library, and as an expression for CEL.
// The expression follows the specification and nothing in the library.
type celRule struct {
	Kind        string
	Path        celPath
	Valid       celPath // without steps: absent
	Arguments   map[string]celOperand
	JustWarning bool
}

// celArguments are the keys of a rule's arguments, in the order of the specification.
var celArguments = []string{"min", "max", "minLength", "maxLength", "values", "regex"}

// A celOperand is the value of an argument: a path if it has steps, a list if
// Items is not nil, else a literal.
type celOperand struct {
	Literal any
	Path    celPath
	Items   []celOperand
}

// form returns the operand's name in counts.
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

// annotated returns the operand as it is in the annotation.
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

// annotated returns the rule as it is in the annotation.
func (r celRule) annotated(i int) map[string]any {
	keys := map[string]any{
		"name":    fmt.Sprintf("rule-%d", i),
		"rule":    r.Kind,
		"path":    r.Path.String(),
		"message": "a message for the user",
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

// celAnnotation returns the annotation with the rules.
func celAnnotation(rules []celRule) string {
	list := []any{}
	for i, r := range rules {
		list = append(list, r.annotated(i))
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // all generated values have a JSON form
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

// String returns the path with its prefix.
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

// selected returns a CEL expression: the list of the values that the path selects.
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

// celMember returns an expression that selects a member of each object in a list. A null
// is absent. A default replaces an absent member and, for a count of CPUs, 0.
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

// celItem returns an expression that selects an item of each array in a list. A negative
// index counts from the end.
func celItem(index int) string {
	at, enough := strconv.Itoa(index), index+1
	if index < 0 {
		at, enough = fmt.Sprintf("size(x) - %d", -index), -index
	}
	return fmt.Sprintf(".map(x, type(x) == list && size(x) >= %d && x[%s] != null, x[%s])", enough, at, at)
}

// celRoot is the root of paths, by the kind of the object.
const celRoot = "self.kind == 'VirtualMachine' ? self.spec.template : self"

// outcome returns a CEL expression for the rule's outcome, by the library's name. The
// object is self.
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

// judged returns an expression for the outcome of the values found, with each argument
// bound to its key. A value that violates a usable argument decides, even if another
// argument is unusable.
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

// bound returns the CEL list that is bound to an argument's key: its values, of which
// there must be one. For the key values, each item is the list that an item or path allows.
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

// celListed wraps each value that is not a list in a list.
const celListed = ".map(x, type(x) == list ? x : [x])"

func (o celOperand) selected() string {
	if o.Path.exists() {
		return o.Path.selected()
	}
	return "[" + celLiteral(o.Literal) + "]"
}

// celLiteral writes a string, a bool or a json.Number as a CEL literal.
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

// celIs returns an expression that is true if v is of the rule's kind.
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

// celNumber returns an expression that is true if v is a number or a quantity. It demands a
// digit: Kubernetes reads a suffix alone, such as "Gi" and "e1", as 0.
func celNumber(v string) string {
	quantity := fmt.Sprintf("isQuantity(%[1]s) && %[1]s.matches('^[-+]?[.]?[0-9]')", v)
	return fmt.Sprintf("(type(%[1]s) == string ? %[2]s : type(%[1]s) in [int, double])", v, quantity)
}

// celInteger returns an expression that is true if v is an integral number. isInteger()
// alone is false for "1000m" and "0.5Ki", so the expression also tries the integers around
// the quantity's float.
func celInteger(v string) string {
	around := "[-1, 0, 1].exists(d, q.compareTo(quantity(string(int(q.asApproximateFloat()) + d))) == 0)"
	return fmt.Sprintf("(type(%s) == int || %s && cel.bind(q, %s, q.isInteger() || %s))", v, celNumber(v), celQuantity(v), around)
}

// celQuantity returns an expression that converts a number to a quantity, which compares
// exactly.
func celQuantity(v string) string { return fmt.Sprintf("quantity(string(%s))", v) }

// celRendered returns an expression that renders a scalar as a string. CEL writes doubles
// from 1e6 on with an exponent, so the expression converts integral ones to ints.
func celRendered(v string) string {
	return fmt.Sprintf("(type(%[1]s) == double && %[1]s == double(int(%[1]s)) ? string(int(%[1]s)) : string(%[1]s))", v)
}

// celUsable has, for each argument, an expression that is true if the argument is usable.
var celUsable = map[string]string{
	"min":       "size(min) == 1 && " + celNumber("min[0]"),
	"max":       "size(max) == 1 && " + celNumber("max[0]"),
	"minLength": "size(minLength) == 1 && " + celLength("minLength[0]"),
	"maxLength": "size(maxLength) == 1 && " + celLength("maxLength[0]"),
	"values":    "size(values) > 0 && " + celAllowed + ".all(a, " + celScalar("a") + ")",
	"regex":     "size(regex) == 1 && type(regex[0]) == string && regex[0] in re2",
}

// celHolds has, for each argument, an expression that is true if the value v satisfies it.
var celHolds = map[string]string{
	"min":       celNumber("v") + " && !" + celQuantity("v") + ".isLessThan(" + celQuantity("min[0]") + ")",
	"max":       celNumber("v") + " && !" + celQuantity("v") + ".isGreaterThan(" + celQuantity("max[0]") + ")",
	"minLength": celSize + ".compareTo(" + celQuantity("minLength[0]") + ") >= 0",
	"maxLength": celSize + ".compareTo(" + celQuantity("maxLength[0]") + ") <= 0",
	"values":    celAllowed + ".exists(a, " + celRendered("a") + " == " + celRendered("v") + ")",
	"regex":     celRendered("v") + ".matches(re2[regex[0]])",
}

// celAllowed is the list of all allowed values; null is absent.
const celAllowed = "values.flatten().filter(a, a != null)"

// celLength returns an expression that is true if v can be a length. In a label, a length
// is a string, which must be a JSON number; other quantities are not lengths.
func celLength(v string) string {
	plain := fmt.Sprintf("(type(%[1]s) != string || %[1]s.matches('^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$'))", v)
	return plain + " && " + celInteger(v) + " && " + celQuantity(v) + ".compareTo(quantity('0')) >= 0"
}

// celSize is the length of v, rendered, in code points.
var celSize = "quantity(string(size(" + celRendered("v") + ")))"

// celValue converts the numbers in a decoded value to CEL's: doubles if they have a point
// or an exponent, otherwise ints.
func celValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			panic(err) // such numbers are not generated
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
