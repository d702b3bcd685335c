package crd

import (
	"slices"
	"strconv"
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/vmrules/vmrules"
)

// A step is one of a path: a member by its name, an item by its index or, where
// each is set, all items.
type step struct {
	name  string
	index int // -1: none
	each  bool
}

// String is the step as it stands in a path.
func (s step) String() string {
	switch {
	case s.each:
		return vmrules.ItemsStep{}.String()
	case s.index >= 0:
		return vmrules.IndexStep(s.index).String()
	}
	return vmrules.NameStep(s.name).String()
}

// maxSteps is more than a field of a VM has above it. Expressions grow with the
// square of the steps.
const maxSteps = 24

// stepsOf are the steps of a path of names, indexes from the start and [*].
func stepsOf(key string, path vmrules.Path) ([]step, error) {
	var steps []step
	for _, s := range path.Steps() {
		next, ok := stepOf(s)
		if !ok {
			steps = nil
			break
		}
		steps = append(steps, next)
	}
	switch {
	case len(steps) == 0:
		return nil, refuse(key, "of JSONPath, only names, indexes that are not negative and [*] are translated, not all of %s", path)
	case len(steps) == 1 && steps[0].name == "spec":
		return nil, refuse(key, "%s selects an object that holds all others", path)
	case len(steps) > maxSteps:
		return nil, refuse(key, "the path has more than %d steps", maxSteps)
	case steps[0].name == "":
		return nil, refuse(key, "%s does not begin with a name", path)
	}
	return steps, nil
}

// stepOf is a step that can be translated; false for any other.
func stepOf(s vmrules.Step) (step, bool) {
	switch s := s.(type) {
	case vmrules.NameStep:
		return step{name: string(s), index: -1}, s != ""
	case vmrules.IndexStep:
		return step{index: int(s)}, s >= 0
	case vmrules.ItemsStep:
		return step{index: -1, each: true}, true
	}
	return step{}, false
}

// fieldKey is the path in the notation of the tables of fields.
func fieldKey(steps []step) string {
	var s strings.Builder
	for _, step := range steps {
		if step.name == "" {
			s.WriteString("[]")
			continue
		}
		s.WriteString("." + step.name)
	}
	return strings.TrimPrefix(s.String(), ".")
}

func hasEach(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.each })
}

// celReserved are CEL's keywords and reserved words.
var celReserved = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let",
	"loop", "namespace", "null", "package", "return", "true", "var", "void", "while",
}

// celTaken are names of CEL's own that a variable had better not have.
var celTaken = []string{
	"bool", "bytes", "double", "duration", "dyn", "int", "list", "map", "object", "optional", "quantity", "self", "size",
	"string", "timestamp", "type", "uint", "oldObject", "oldSelf", "request", "params", "variables", "authorizer",
	"namespaceObject", "apiVersion", "kind", "metadata", "has", "all", "exists", "filter", "matches", "ip", "cidr", "url", "format", "sets", "q",
}

func isIdentifier(name string) bool {
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && !slices.Contains(celReserved, name)
}

// variable is what a value is called in an expression: the name of its field
// or, for items of a list, that in the singular.
func variable(name string) string {
	if !isIdentifier(name) || slices.Contains(celTaken, name) {
		return "value"
	}
	return name
}

func itemOf(list string) string {
	singular := strings.TrimSuffix(list, "s")
	if singular == list || variable(singular) != singular {
		return "item"
	}
	return singular
}

// member is a step to a member, with "?" as the mark of one that may be absent.
func (t *translator) member(parent []step, name, mark string) (string, error) {
	if t.schema == nil || isMap(fieldKey(parent)) {
		if isIdentifier(name) && t.schema == nil {
			return "." + mark + name, nil
		}
		return "[" + mark + strconv.Quote(name) + "]", nil
	}
	escaped, ok := apiservercel.Escape(name)
	if !ok {
		return "", refuse("", "a property of the name %q cannot be read in a CRD's rules", name)
	}
	return "." + mark + escaped, nil
}

// chain goes on from an expression by names and indexes, each of which may lead
// nowhere: the result is an optional.
func (t *translator) chain(base string, parent, steps []step) (string, error) {
	for i, s := range steps {
		if s.name == "" {
			base += "[?" + strconv.Itoa(s.index) + "]"
			continue
		}
		at := append(slices.Clip(parent), steps[:i]...)
		mark := "?"
		if len(at) == 0 && s.name == "spec" && len(steps) > 1 {
			mark = ""
		}
		next, err := t.member(at, s.name, mark)
		if err != nil {
			return "", err
		}
		base += next
	}
	return base, nil
}

// read is how a variable is read that is bound to what steps lead to. The type
// of what an index selects in an untyped value is a variable to CEL's checker,
// which takes its first use for what it is; of what a name selects, it is dyn.
func (t *translator) read(v string, steps []step) string {
	if s := steps[len(steps)-1]; s.name != "" && isIdentifier(s.name) {
		return v
	}
	return "dyn(" + v + ")"
}

// plainChain reads what steps lead to, all of which must be there: else the
// expression is an error.
func (t *translator) plainChain(steps []step) (string, error) {
	read, err := t.typedRead(t.base(), nil, steps)
	return read.path, err
}

// fieldPath is where a CRD's rule reports: the field, or the list that it is
// somewhere in.
func (t *translator) fieldPath() string {
	steps, _ := stepsOf("path", t.rule.Path) // translated already
	path := ".spec.template"
	for _, s := range steps {
		switch {
		case s.name == "":
			return path
		case isIdentifier(s.name):
			path += "." + s.name
		default:
			path += "['" + s.name + "']"
		}
	}
	return path
}
