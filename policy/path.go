package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// A step is a step of a path: a member, an item, or all items.
type step struct {
	name  string // the name of a member; "" for items
	index int    // the index of an item; -1 for a member or all items
	each  bool   // whether it selects all items
}

// String returns the step as a path has it.
func (s step) String() string {
	switch {
	case s.each:
		return fieldpath.Items{}.String()
	case s.index >= 0:
		return fieldpath.Index(s.index).String()
	}
	return fieldpath.Name(s.name).String()
}

// stepsOf returns the steps of a path of names, non-negative indexes and [*].
func stepsOf(key string, path vmrules.Path) ([]step, error) {
	var steps []step
	for _, s := range fieldpath.Steps(path) {
		next, ok := stepOf(s)
		if !ok {
			steps = nil
			break
		}
		steps = append(steps, next)
	}
	switch {
	case len(steps) == 0:
		return nil, refuse(key, "%s cannot be translated: only names, non-negative indexes and [*] can", path)
	case len(steps) == 1 && steps[0].name == "spec":
		return nil, refuse(key, "%s selects the whole spec: select a field in it", path)
	case len(steps) > maxSteps:
		return nil, refuse(key, "the path has more than %d steps", maxSteps)
	case steps[0].name == "":
		return nil, refuse(key, "%s does not begin with a name", path)
	}
	for i, s := range steps { // of an object that is not a list, CEL would take the names for items
		if s.name == "" && !hasShape(steps[:i], vmapi.Array) {
			return nil, refuse(key, "%s selects items of %s, which is not a list in KubeVirt's API", path, fieldKey(steps[:i]))
		}
	}
	return steps, nil
}

// stepOf converts a step of a path. It returns false if the step cannot be translated.
func stepOf(s fieldpath.Step) (step, bool) {
	switch s := s.(type) {
	case fieldpath.Name:
		return step{name: string(s), index: -1}, s != ""
	case fieldpath.Index:
		return step{index: int(s)}, s >= 0
	case fieldpath.Items:
		return step{index: -1, each: true}, true
	}
	return step{}, false
}

// fieldKey returns the path of a field for messages. In it, [] stands for any item of a list.
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

// firstEach returns the index of the first step that selects all items; -1 if there is none.
func firstEach(steps []step) int {
	return slices.IndexFunc(steps, func(s step) bool { return s.each })
}

// celReserved has CEL's keywords and reserved words.
var celReserved = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let",
	"loop", "namespace", "null", "package", "return", "true", "var", "void", "while",
}

// celTaken has names in CEL that variables must not hide.
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

// variable returns the variable for the value of a field: the field's name, if a variable can
// have it.
func variable(name string) string {
	if !isIdentifier(name) || slices.Contains(celTaken, name) {
		return "value"
	}
	return name
}

// itemOf returns the variable for the items of a list: the list's name in the singular.
func itemOf(list string) string {
	singular := strings.TrimSuffix(list, "s")
	if singular == list || variable(singular) != singular {
		return "item"
	}
	return singular
}

// member returns the expression for a step to a member. The mark is "?" if the member may be
// absent.
func member(name, mark string) string {
	if isIdentifier(name) {
		return "." + mark + name
	}
	return "[" + mark + strconv.Quote(name) + "]"
}

// chain appends steps of names and indexes to an expression. Each step may be absent, so the
// result is an optional.
func chain(base string, parent, steps []step) string {
	for i, s := range steps {
		switch isSpec := i == 0 && len(parent) == 0 && s.name == "spec" && len(steps) > 1; {
		case s.name == "":
			base += "[?" + strconv.Itoa(s.index) + "]"
		case isSpec:
			base += member(s.name, "")
		default:
			base += member(s.name, "?")
		}
	}
	return base
}

// read returns the expression that reads a variable with the value that steps select. CEL's
// checker knows that what a name selects is dyn. For what an index selects, it would infer the
// type from the first use, so that is converted to dyn.
func read(v string, steps []step) string {
	if s := steps[len(steps)-1]; s.name != "" && isIdentifier(s.name) {
		return v
	}
	return "dyn(" + v + ")"
}

// plainChain returns an expression that reads a field. It is an error if the field or one
// above it is absent.
func (t *translator) plainChain(steps []step) string {
	path := t.base(steps)
	for _, s := range steps {
		if s.name == "" {
			path += "[" + strconv.Itoa(s.index) + "]"
			continue
		}
		path += member(s.name, "")
	}
	return path
}
