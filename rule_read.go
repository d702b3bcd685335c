package vmrules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/value"
)

// parseRules reads the text of an annotation: the rules, or all problems.
func parseRules(annotation string, o parseOptions) (Rules, []Problem) {
	rules, _, problems := readRules(annotation, o)
	if len(problems) > 0 {
		return Rules{}, problems
	}
	return newRules(rules, o.root), nil
}

// readRules reads the text of an annotation: all problems, and what can be read
// of each rule beside them, with where it stands.
func readRules(annotation string, o parseOptions) ([]rule, []jsontext.Node, []Problem) {
	if problems := o.problems(); problems != nil {
		return nil, nil, problems
	}
	if strings.TrimSpace(annotation) == "" {
		return nil, nil, nil
	}
	nodes, problems := readText(annotation, o)
	if o.version == "" && o.isOfTemplate {
		o.version = versionOf(nodes)
	}
	reader := ruleReader{parseOptions: o, text: annotation, problems: problems, paths: map[string]Path{}}
	rules := make([]rule, 0, len(nodes))
	nameNodes := make([]jsontext.Node, 0, len(nodes))
	for i, n := range nodes {
		if o.budget.Err() != nil {
			break
		}
		rules = append(rules, reader.read(i, n))
		name, _ := reader.member(keyName)
		nameNodes = append(nameNodes, name)
	}
	reader.uniqueNames(rules, nameNodes)
	reader.tooMuch(len(rules), nodes)
	problems = reader.problems
	for i, p := range problems {
		if p.Index >= 0 && p.Index < len(rules) {
			problems[i].Rule = rules[p.Index].Name
		}
	}
	place(problems, annotation)
	return rules, nodes, problems
}

// readText reads the text of an annotation as JSON: the elements of its array,
// and what is wrong with it as text.
func readText(annotation string, o parseOptions) ([]jsontext.Node, []Problem) {
	bytes, nesting := o.bounds()
	if len(annotation) > bytes {
		message := fmt.Sprintf("the annotation has %d bytes; all annotations of an object together may have %d", len(annotation), bytes)
		return nil, []Problem{{Index: -1, Reason: ReasonTooLong, Message: message}}
	}
	format := jsontext.Format{Name: "the annotation", Root: "an array of rules", Items: "rules", MaxItems: maxRules, MaxDepth: nesting}
	root, wrong := jsontext.Read(annotation, format, &o.budget.Meter)
	if !root.IsZero() && root.Value != json.Delim('[') {
		const message = "the annotation must be a JSON array of rules: [ { … }, { … } ]"
		return nil, []Problem{{Index: -1, Offset: root.Start, Reason: ReasonTypeInvalid, Message: message}}
	}
	var problems []Problem
	for _, e := range wrong {
		problems = append(problems, problemOf(e))
	}
	return root.Items, problems
}

// problemOf makes a Problem of what is wrong with the text.
func problemOf(e jsontext.Error) Problem {
	p := Problem{Index: e.Item, Key: e.Key, Offset: e.Offset, Reason: ReasonInvalid, Message: e.Message}
	switch e.Kind {
	case jsontext.Duplicate:
		p.Reason = ReasonDuplicate
	case jsontext.TooCostly:
		p.Reason, p.Message = ReasonTooLong, tooMuchToRead(e)
	}
	return p
}

// tooMuchToRead is the message of a Problem where the budget does not suffice.
func tooMuchToRead(err error) string {
	return fmt.Sprintf("the rules from here on are not read, since they ask for too much: %v", err)
}

// place sorts problems by where they are, and sets their lines and columns.
func place(problems []Problem, text string) {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Offset - b.Offset })
	c := jsontext.NewCursor(text)
	for i, p := range problems {
		problems[i].Line, problems[i].Column = c.MoveTo(p.Offset)
	}
}

// describeNode names a value of the annotation, as describe does.
func describeNode(n jsontext.Node) string {
	switch n.Value {
	case nil:
		return "null"
	case "":
		return "empty"
	case json.Delim('['):
		return "an array"
	case json.Delim('{'):
		return "an object"
	}
	return value.Describe(n.Value)
}

// tooMuch notes where reading ended because the budget did not suffice, behind so
// many rules.
func (r *ruleReader) tooMuch(read int, nodes []jsontext.Node) {
	err := r.budget.Err()
	if err == nil || len(nodes) == 0 {
		return
	}
	last := nodes[max(read-1, 0)]
	r.problems = append(r.problems, Problem{Index: -1, Offset: last.Start, Reason: ReasonTooLong, Message: tooMuchToRead(err)})
}

func (r *ruleReader) uniqueNames(rules []rule, names []jsontext.Node) {
	first := map[string]int{}
	for i, rule := range rules {
		if rule.Name == "" {
			continue
		}
		if earlier, ok := first[rule.Name]; ok {
			r.index = i
			r.problem(names[i], keyName, ReasonDuplicate, "rules[%d] has this name already: names must be unique", earlier)
			continue
		}
		first[rule.Name] = i
	}
}

// A ruleReader reads the rules of one annotation.
type ruleReader struct {
	parseOptions
	text     string // of the annotation
	problems []Problem
	paths    map[string]Path // by their text

	index  int
	node   jsontext.Node
	rule   rule
	unused []string // under strict, the keys of the format that the rule does not have
}

// problem notes what is wrong with the value of a key; the caller may add to it.
func (r *ruleReader) problem(at jsontext.Node, key string, reason Reason, format string, args ...any) *Problem {
	written, _ := at.Value.(string) // which a suggestion may repeat
	if r.budget.Spend(problemWork+len(written)*textWork, problemSize+len(r.rule.Name)+len(written)) != nil {
		return &Problem{} // readRules then ends with a problem that says so
	}
	r.problems = append(r.problems, Problem{
		Index: r.index, Key: key, Offset: at.Start, Reason: reason, Message: fmt.Sprintf(format, args...),
		Suggestion: withPrefix(key, at.Value),
	})
	return &r.problems[len(r.problems)-1]
}

// read reads one rule and notes all that is wrong with it.
func (r *ruleReader) read(index int, n jsontext.Node) rule {
	r.index, r.node, r.rule = index, n, rule{}
	if n.Value != json.Delim('{') {
		r.problem(n, "", ReasonTypeInvalid, `a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }`)
		return r.rule
	}
	r.rule.Kind = Kind(r.mandatory(keyRule, "integer, string, regex or enum"))
	r.rule.Name = r.mandatory(keyName, "an identifier that no other rule has")
	if path := r.mandatory(keyPath, "the JSONPath of the field to judge"); path != "" {
		r.rule.Path = r.path(keyPath, path)
	}
	r.rule.Message = r.mandatory(keyMessage, "what the user is told where the rule does not hold")
	r.valid()
	r.justWarning()
	if r.judgesArguments() {
		r.arguments()
	}
	if c := r.compiler(r.rule.Kind); c != nil {
		r.compile(c)
	}
	r.unknown()
	r.strictly()
	return r.rule
}

// judgesArguments tells whether the arguments can be understood: those of
// another kind may mean anything.
func (r *ruleReader) judgesArguments() bool {
	return r.rule.Kind == "" || r.compiler(r.rule.Kind) != nil
}

func (r *ruleReader) member(key string) (jsontext.Node, bool) { return r.node.Member(key) }

// mandatory reads a key that must be there with a string that is not empty.
func (r *ruleReader) mandatory(key, meaning string) string {
	n, ok := r.member(key)
	if n.IsZero() {
		r.problem(r.node, key, ReasonRequired, "the rule has no %q: add %s", key, meaning)
		return ""
	}
	s, isString := n.Value.(string)
	switch {
	case !ok || isString && s == "":
		r.problem(n, key, ReasonRequired, "%q is %s: it must be %s", key, describeNode(n), meaning)
	case !isString:
		r.problem(n, key, ReasonTypeInvalid, "%q must be a string: %s", key, meaning)
	}
	return s
}

// path reads a JSONPath as the version writes it.
func (r *ruleReader) path(key, s string) Path {
	n, _ := r.member(key)
	path, err := r.parsePath(s)
	if err != nil {
		r.problem(n, key, ReasonInvalid, "%v", err)
	}
	return path
}

// parsePath reads a path as the version writes it, each only once: rules often
// share one.
func (r *ruleReader) parsePath(s string) (Path, error) {
	if path, ok := r.paths[s]; ok {
		return path, nil
	}
	if err := r.budget.Spend(len(s)*textWork, len(s)*pathSize); err != nil {
		return Path{}, err
	}
	path, err := parsePath(s, r.version)
	if err == nil {
		r.paths[s] = path
	}
	return path, err
}

func parsePath(s string, v Version) (Path, error) {
	if v != V201901 || strings.HasPrefix(s, pathPrefix) {
		return ParsePath(s)
	}
	return parseExpression(strings.TrimPrefix(s, "/"))
}

func (r *ruleReader) valid() {
	n, ok := r.member(keyValid)
	if !ok {
		return
	}
	s, ok := n.Value.(string)
	if !ok {
		r.problem(n, keyValid, ReasonTypeInvalid, "%q must be a JSONPath, such as %q", keyValid, pathPrefix+".spec.domain.cpu")
		return
	}
	if s == "" {
		r.problem(n, keyValid, ReasonInvalid, "%q is empty: write a JSONPath, or leave it out", keyValid)
		return
	}
	r.rule.Valid = r.path(keyValid, s)
}

func (r *ruleReader) justWarning() {
	n, ok := r.member(keyJustWarning)
	if !ok {
		return
	}
	if r.rule.JustWarning, ok = n.Value.(bool); !ok {
		r.problem(n, keyJustWarning, ReasonTypeInvalid, "%q must be true or false, without quotes", keyJustWarning)
	}
}

func (r *ruleReader) arguments() {
	for _, key := range argumentKeys {
		if key == keyValues {
			if key, n, ok := r.valuesMember(); ok {
				r.values(key, n)
			}
			continue
		}
		if n, ok := r.member(key); ok {
			r.argument(key, n)
		}
	}
}

// argument reads an argument that has one value.
func (r *ruleReader) argument(key string, n jsontext.Node) {
	a, s, ok := r.readArgument(key, strconv.Quote(key), wantedArguments[key], n)
	if !ok {
		return
	}
	*r.rule.slot(key) = a
	if _, isPath := a.Path(); isPath {
		r.rule.constraints = append(r.rule.constraints, argued{key: key, from: []Argument{a}})
		return
	}
	if s.Shape() == value.String && (key == keyMinLength || key == keyMaxLength) {
		r.problem(n, key, ReasonTypeInvalid, "%q must be a number without quotes, or a JSONPath%s", key, prefixHint(s))
		return
	}
	c, reason, err := newConstraint(key, s, r.budget)
	if err != nil {
		r.problem(n, key, reason, "%q %v", key, err)
		return
	}
	r.rule.constraints = append(r.rule.constraints, argued{key: key, fixed: c})
}

// readArgument reads a literal, with the scalar that it is, or a path. The
// subject and what is wanted make the message.
func (r *ruleReader) readArgument(key, subject, wanted string, n jsontext.Node) (Argument, value.Scalar, bool) {
	if s, ok := n.Value.(string); ok && r.isPath(s) {
		path, err := r.parsePath(s)
		if err != nil {
			r.problem(n, key, ReasonInvalid, "%v", err)
		}
		return Argument{path: path}, value.Scalar{}, err == nil
	}
	s, ok := value.ScalarOf(n.Value)
	if !ok {
		r.problem(n, key, ReasonTypeInvalid, "%s must be %s, not %s", subject, wanted, describeNode(n))
		return Argument{}, value.Scalar{}, false
	}
	if s.Err() != nil {
		r.problem(n, key, ReasonInvalid, "%s %v", subject, s.Err())
		return Argument{}, value.Scalar{}, false
	}
	return Argument{literal: n.Value}, s, true
}

func (r *ruleReader) isPath(s string) bool {
	return strings.HasPrefix(s, pathPrefix) || r.version == V201901 && strings.HasPrefix(s, "/")
}

// valuesMember finds "values", which 201901-1 also calls "included".
func (r *ruleReader) valuesMember() (string, jsontext.Node, bool) {
	var found []jsontext.Member
	for _, m := range r.node.Members {
		isValues := m.Key == keyValues || m.Key == keyIncluded && r.version == V201901
		if isValues && m.Value.Value != nil {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return "", jsontext.Node{}, false
	}
	first := found[0]
	for _, m := range found[1:] {
		if m.Key != first.Key { // the same key twice is a problem of the text
			r.problem(jsontext.Node{Start: m.Start}, m.Key, ReasonDuplicate, "%q and %q are the same argument: keep one of them", first.Key, m.Key)
		}
	}
	return first.Key, first.Value, true
}

// values reads the list of allowed values, or the path that yields it.
func (r *ruleReader) values(key string, n jsontext.Node) {
	if s, ok := n.Value.(string); ok && r.isPath(s) {
		if a, _, ok := r.readArgument(key, strconv.Quote(key), "", n); ok {
			r.rule.ValuesFrom = a.path
			r.rule.constraints = append(r.rule.constraints, argued{key: keyValues, from: []Argument{a}})
		}
		return
	}
	if n.Value != json.Delim('[') {
		r.problem(n, key, ReasonTypeInvalid, "%q must be an array of values, or a JSONPath that yields one, not %s", key, describeNode(n))
		return
	}
	r.rule.Values = make([]Argument, 0, len(n.Items))
	literals := make([]value.Scalar, 0, len(n.Items))
	for _, item := range n.Items {
		a, s, ok := r.readArgument(key, "an item of "+strconv.Quote(key), "a string, a number, a boolean or a JSONPath", item)
		if !ok {
			continue
		}
		if r.budget.Spend(valueWork+s.RenderedSize(), valueSize+s.RenderedSize()) != nil {
			return
		}
		r.rule.Values = append(r.rule.Values, a)
		if _, isPath := a.Path(); !isPath {
			literals = append(literals, s)
		}
	}
	c := argued{key: keyValues, from: r.rule.Values}
	if len(literals) == len(n.Items) {
		c = argued{key: keyValues, fixed: newAllowed(literals)}
	}
	r.rule.constraints = append(r.rule.constraints, c)
}

// unknown keeps what this version, or this kind, does not know.
func (r *ruleReader) unknown() {
	if r.strict {
		r.unused = unusedKeys(r.node, r.rule.own)
	}
	for _, m := range r.node.Members {
		if r.knows(m.Key) {
			continue
		}
		if r.rule.Unknown == nil {
			r.rule.Unknown = map[string]json.RawMessage{}
		}
		r.rule.Unknown[m.Key] = m.Value.Raw()
		if r.strict && !slices.Contains(r.rule.own, m.Key) && (r.judgesArguments() || !slices.Contains(argumentKeys, m.Key)) {
			meant := meantKey(m.Key, r.unused)
			p := r.problem(jsontext.Node{Start: m.Start}, m.Key, ReasonNotSupported, "the key %s is not known: %s", value.Quoted(m.Key), keyHint(m.Key, meant))
			p.Suggestion = meant
		}
	}
}

// keyHint says what a key that is not known may mean.
func keyHint(key, meant string) string {
	if key == keyIncluded {
		return "it is called \"values\" since version 201902-2"
	}
	if meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "remove it, or correct its spelling"
}

func (r *ruleReader) knows(key string) bool {
	if slices.Contains(commonKeys, key) {
		return true
	}
	isArgument := slices.Contains(argumentKeys, key) || key == keyIncluded && r.version == V201901
	return isArgument && r.judgesArguments()
}

// strictly judges what only Strict minds.
func (r *ruleReader) strictly() {
	if !r.strict || r.rule.Kind == "" {
		return
	}
	if kind, _ := r.member(keyRule); !r.judgesArguments() {
		meant := r.meantKind(r.rule.Kind)
		p := r.problem(kind, keyRule, ReasonNotSupported, "the kind %s is not known: %s", value.Quoted(string(r.rule.Kind)), r.kindHint(meant))
		p.Suggestion = meant
		return
	}
	if !r.rule.Kind.isOfFormat() {
		return
	}
	for _, key := range slices.Concat(argumentKeys, []string{keyIncluded}) {
		if _, ok := r.member(key); ok {
			return
		}
	}
	r.problem(r.node, "", ReasonRequired, "the rule has no argument, so it enforces little or nothing: add one of %s", strings.Join(argumentKeys, ", "))
}

// kindHint says what a kind that is not known may mean.
func (r *ruleReader) kindHint(meant string) string {
	if meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "it is one of " + strings.Join(r.kindNames(), ", ") + ", in lower case"
}
