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

// maxSteps is more than a field of a VM has above it. Expressions grow with the
// square of the steps.
const maxSteps = 24

// stepsOf are the steps of a path of names, indexes from the start and [*].
func stepsOf(key string, path vmrules.Path) ([]step, error) {
	steps, ok := readSteps(strings.TrimPrefix(path.String(), "jsonpath::"))
	if !ok || !isPath(steps, path) {
		return nil, refuse(key, "of JSONPath, only names, indexes that are not negative and [*] are translated, not all of %s", path)
	}
	if len(steps) == 0 || len(steps) == 1 && steps[0].name == "spec" {
		return nil, refuse(key, "%s selects an object that holds all others", path)
	}
	if len(steps) > maxSteps {
		return nil, refuse(key, "the path has more than %d steps", maxSteps)
	}
	if steps[0].name == "" {
		return nil, refuse(key, "%s does not begin with a name", path)
	}
	return steps, nil
}

func readSteps(rest string) ([]step, bool) {
	var steps []step
	for rest != "" {
		var s step
		var ok bool
		if inside, found := strings.CutPrefix(rest, "["); found {
			s, rest, ok = readBracket(inside)
		} else {
			s, rest, ok = readName(rest)
		}
		if !ok {
			return nil, false
		}
		steps = append(steps, s)
	}
	return steps, true
}

func readName(rest string) (step, string, bool) {
	rest, ok := strings.CutPrefix(rest, ".")
	name, end := unescaped(rest, ".[")
	return step{name: name, index: -1}, rest[end:], ok && name != ""
}

// readBracket reads a step behind its [.
func readBracket(rest string) (step, string, bool) {
	rest = strings.TrimLeft(rest, " ")
	s := step{index: -1}
	switch {
	case rest == "":
		return s, "", false
	case rest[0] == '*':
		s.each, rest = true, rest[1:]
	case rest[0] == '\'' || rest[0] == '"':
		name, end := unescaped(rest[1:], rest[:1])
		if end == len(rest)-1 || name == "" {
			return s, "", false
		}
		s.name, rest = name, rest[1+end+1:]
	default:
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		index, err := strconv.Atoi(rest[:digits])
		if err != nil {
			return s, "", false
		}
		s.index, rest = index, rest[digits:]
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "]")
	return s, rest, ok
}

// unescaped is what stands before one of the ending characters, without the
// backslashes, and where that is.
func unescaped(s, endings string) (string, int) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case strings.IndexByte(endings, s[i]) >= 0:
			return b.String(), i
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

var quotedEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `.`, `\.`, `*`, `\*`)

// isPath tells whether the steps are those of the path, by the library's own
// reading of both.
func isPath(steps []step, path vmrules.Path) bool {
	var s strings.Builder
	s.WriteString("jsonpath::$")
	for _, step := range steps {
		switch {
		case step.each:
			s.WriteString("[*]")
		case step.index >= 0:
			s.WriteString("[" + strconv.Itoa(step.index) + "]")
		default:
			s.WriteString("['" + quotedEscapes.Replace(step.name) + "']")
		}
	}
	again, err := vmrules.ParsePath(s.String())
	return err == nil && again.Equal(path)
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
