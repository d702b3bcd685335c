package policy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// nameIn returns the name in a step; "" for items.
func nameIn(step jp.Frag) string {
	name, _ := step.(jp.Child)
	return string(name)
}

// isForeign reports whether a step cannot be translated.
func isForeign(step jp.Frag) bool {
	switch s := step.(type) {
	case jp.Child:
		return s == ""
	case jp.Nth:
		return s < 0
	}
	return !isEach(step)
}

// isEach reports whether a step selects all items.
func isEach(step jp.Frag) bool { return step == jp.Wildcard('#') }

// stepsOf returns the steps of a path of names, non-negative indexes and [*].
func stepsOf(key string, path vmrules.Path) (jp.Expr, error) {
	steps := inside.Vmrules.Parsed(path).Steps()
	switch {
	case len(steps) == 0, slices.ContainsFunc(steps, isForeign):
		return nil, refuse(key, "%s cannot be translated: only names, non-negative indexes and [*] can", path)
	case len(steps) == 1 && nameIn(steps[0]) == "spec":
		return nil, refuse(key, "%s selects the whole spec: select a field in it", path)
	case len(steps) > maxSteps:
		return nil, refuse(key, "the path has more than %d steps", maxSteps)
	case nameIn(steps[0]) == "":
		return nil, refuse(key, "%s does not begin with a name", path)
	}
	for i, s := range steps { // of an object that is not a list, CEL would take the names for items
		if nameIn(s) == "" && !hasShape(steps[:i], vmapi.Array) {
			return nil, refuse(key, "%s selects items of %s, which is not a list in KubeVirt's API", path, fieldKey(steps[:i]))
		}
	}
	return steps, nil
}

// fieldKey returns the path of a field for messages. In it, [] stands for any item of a list.
func fieldKey(steps jp.Expr) string {
	var s strings.Builder
	for _, step := range steps {
		if name := nameIn(step); name != "" {
			s.WriteString("." + name)
		} else {
			s.WriteString("[]")
		}
	}
	return strings.TrimPrefix(s.String(), ".")
}

// firstEach returns the index of the first step that selects all items; -1 if there is none.
func firstEach(steps jp.Expr) int { return slices.IndexFunc(steps, isEach) }

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

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func isIdentifier(name string) bool {
	return identifier.MatchString(name) && !slices.Contains(celReserved, name)
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

// member returns the expression for a step to a member or an item. The mark is "?" if that may be absent.
func member(step jp.Frag, mark string) string {
	name := nameIn(step)
	switch {
	case name == "":
		return strings.Replace(jsonpath.Write(jp.Expr{step}), "[", "["+mark, 1)
	case isIdentifier(name):
		return "." + mark + name
	}
	return "[" + mark + strconv.Quote(name) + "]"
}
