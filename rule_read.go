package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
)

// parseRules returns the rules in the text of an annotation, or all problems.
func parseRules(annotation string, o parseOptions) (Rules, []Problem) {
	rules, _, problems := readRules(annotation, o)
	if len(problems) > 0 {
		return Rules{}, problems
	}
	return newRules(rules, o.isWhole), nil
}

// readRules returns all problems in the text of an annotation, and as much of each rule as can
// be read, with its node.
func readRules(annotation string, o parseOptions) ([]rule, []jsontext.Node, []Problem) {
	if problems := o.problems(); problems != nil {
		return nil, nil, problems
	}
	if strings.TrimSpace(annotation) == "" {
		return nil, nil, nil
	}
	nodes, problems := readText(annotation, o)
	if o.detects {
		o.version = V201901
		if havePrefix(nodes) {
			o.version = V201902
		}
	}
	reader := ruleReader{parseOptions: o, text: annotation, problems: problems, paths: map[string]Path{}}
	rules := make([]rule, 0, len(nodes))
	nameNodes := make([]jsontext.Node, 0, len(nodes))
	for i, n := range nodes {
		if o.budget.Err() != nil {
			break
		}
		rules = append(rules, reader.read(i, n))
		name, _ := reader.member(rulekey.Name)
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

// readText reads the text of an annotation as JSON. It returns the elements of the array, and
// what is wrong with the JSON.
func readText(annotation string, o parseOptions) ([]jsontext.Node, []Problem) {
	bytes, nesting := o.bounds()
	if len(annotation) > bytes {
		message := fmt.Sprintf("the annotation has %d bytes, but all annotations of an object together may have %d", len(annotation), bytes)
		return nil, []Problem{{Index: -1, Reason: ReasonTooLong, Code: codeTooLong, Message: message}}
	}
	format := jsontext.Format{Name: "the annotation", Root: "an array of rules", Items: "rules", MaxItems: maxRules, MaxDepth: nesting}
	root, wrong := jsontext.Read(annotation, format, &o.budget.Meter)
	if !root.IsZero() && root.Value != json.Delim('[') {
		const message = "the annotation must be a JSON array of rules: [ { … }, { … } ]"
		return nil, []Problem{{Index: -1, Offset: root.Start, Reason: ReasonTypeInvalid, Code: codeWrongType, Message: message}}
	}
	var problems []Problem
	for _, e := range wrong {
		problems = append(problems, problemOf(e))
	}
	return root.Items, problems
}

// problemOf returns a Problem for what is wrong with the text.
func problemOf(e jsontext.Error) Problem {
	p := Problem{Index: e.Item, Key: e.Key, Offset: e.Offset, Reason: ReasonInvalid, Message: e.Message}
	switch e.Kind {
	case jsontext.Duplicate:
		p.Reason = ReasonDuplicate
	case jsontext.TooCostly:
		p.Reason, p.Message = ReasonTooLong, tooMuchToRead(e)
	}
	if p.Code = codeOf(p.Reason, p.Key); p.Code == codeInvalidArgument && !rulekey.OfAnyVersion(p.Key).IsArgument {
		p.Code = codeUnreadable
	}
	return p
}

// tooMuchToRead returns the message of a Problem if the budget is too small.
func tooMuchToRead(err error) string {
	return fmt.Sprintf("the annotation is too costly to read from here on: %v", err)
}

// place sorts problems by their offsets, and sets their lines and columns.
func place(problems []Problem, text string) {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Offset - b.Offset })
	c := jsontext.NewCursor(text)
	for i, p := range problems {
		problems[i].Line, problems[i].Column = c.MoveTo(p.Offset)
	}
}

// describeNode describes a value of the annotation, as value.Describe does.
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

// tooMuch adds a problem where reading ended if the budget was too small. read is the number
// of rules that were read.
func (r *ruleReader) tooMuch(read int, nodes []jsontext.Node) {
	err := r.budget.Err()
	if err == nil || len(nodes) == 0 {
		return
	}
	last := nodes[max(read-1, 0)]
	r.problems = append(r.problems, Problem{Index: -1, Offset: last.Start, Reason: ReasonTooLong, Code: codeTooLong, Message: tooMuchToRead(err)})
}

func (r *ruleReader) uniqueNames(rules []rule, names []jsontext.Node) {
	first := map[string]int{}
	for i, rule := range rules {
		if rule.Name == "" {
			continue
		}
		if earlier, ok := first[rule.Name]; ok {
			r.index = i
			r.problem(names[i], rulekey.Name, ReasonDuplicate, "rules[%d] already has this name: names must be unique", earlier)
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
	unused []string // under strict, the known keys that the rule does not have
}

// problem adds a problem with the value of a key.
func (r *ruleReader) problem(at jsontext.Node, key string, reason Reason, format string, args ...any) {
	written, _ := at.Value.(string) // a suggestion may repeat it
	r.add(r.budget, len(written), Problem{
		Key: key, Offset: at.Start, Reason: reason, Code: codeOf(reason, key), Message: fmt.Sprintf(format, args...),
		Suggestion: withPrefix(key, at.Value),
	})
}

// ofStrict adds a problem that only Strict finds. The suggestion replaces what is at the offset.
func (r *ruleReader) ofStrict(offset int, key string, reason Reason, code, message, suggestion string) {
	b := r.budget
	if !r.strict {
		b = r.unstrict
	}
	r.add(b, len(suggestion), Problem{Key: key, Offset: offset, Reason: reason, Code: code, Message: message, Suggestion: suggestion})
}

// add adds a problem, if the budget allows it. If not, tooMuch adds one that says so.
func (r *ruleReader) add(b *budget, written int, p Problem) {
	if b.Spend(problemWork+written*textWork, problemSize+len(r.rule.Name)+written) == nil {
		p.Index = r.index
		r.problems = append(r.problems, p)
	}
}

// read reads one rule and adds all of its problems.
func (r *ruleReader) read(index int, n jsontext.Node) rule {
	r.index, r.node, r.rule = index, n, rule{}
	if n.Value != json.Delim('{') {
		r.problem(n, "", ReasonTypeInvalid, `a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }`)
		return r.rule
	}
	r.rule.Kind = Kind(r.mandatory(rulekey.Rule))
	r.rule.Name = r.mandatory(rulekey.Name)
	if path := r.mandatory(rulekey.Path); path != "" {
		r.rule.Path = r.path(rulekey.Path, path)
	}
	r.rule.Message = r.mandatory(rulekey.Message)
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

// judgesArguments reports whether the meaning of the arguments is known. In a rule of an
// unknown kind they may mean anything.
func (r *ruleReader) judgesArguments() bool {
	return r.rule.Kind == "" || r.knows(r.rule.Kind)
}

func (r *ruleReader) member(key string) (jsontext.Node, bool) { return r.node.Member(key) }

// mandatory reads a key that must have a string that is not empty.
func (r *ruleReader) mandatory(key string) string {
	n, ok := r.member(key)
	wanted := rulekey.Named(key).Wanted
	if n.IsZero() {
		r.problem(r.node, key, ReasonRequired, "the rule has no %q: add %s", key, wanted)
		return ""
	}
	s, isString := n.Value.(string)
	switch {
	case !ok || isString && s == "":
		r.problem(n, key, ReasonRequired, "%q is %s: it must be %s", key, describeNode(n), wanted)
	case !isString:
		r.problem(n, key, ReasonTypeInvalid, "%q must be a string: %s", key, wanted)
	}
	return s
}

// path reads a JSONPath in the form of the version.
func (r *ruleReader) path(key, s string) Path {
	n, _ := r.member(key)
	path, err := r.parsePath(s)
	if err != nil {
		r.problem(n, key, ReasonInvalid, "%v", err)
	}
	return path
}

// parsePath reads a path in the form of the version. It reads each path once, because rules
// often share one.
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

func (r *ruleReader) valid() {
	n, ok := r.member(rulekey.Valid)
	if !ok {
		return
	}
	s, ok := n.Value.(string)
	if !ok {
		r.problem(n, rulekey.Valid, ReasonTypeInvalid, "%q must be %s", rulekey.Valid, rulekey.Named(rulekey.Valid).Wanted)
		return
	}
	if s == "" {
		r.problem(n, rulekey.Valid, ReasonInvalid, "%q is empty: write a JSONPath, or leave it out", rulekey.Valid)
		return
	}
	r.rule.Valid = r.path(rulekey.Valid, s)
}

func (r *ruleReader) justWarning() {
	n, ok := r.member(rulekey.JustWarning)
	if !ok {
		return
	}
	if r.rule.JustWarning, ok = n.Value.(bool); !ok {
		r.problem(n, rulekey.JustWarning, ReasonTypeInvalid, "%q must be %s", rulekey.JustWarning, rulekey.Named(rulekey.JustWarning).Wanted)
	}
}

func (r *ruleReader) arguments() {
	var literal []constraint.Constraint
	for i := range constraint.Arguments {
		a := &constraint.Arguments[i]
		key, n, ok := r.argumentMember(a)
		if !ok {
			continue
		}
		if c := r.argument(a, key, n); c != nil {
			literal = append(literal, c)
		}
	}
	r.rule.literal = constraint.NewSet(r.rule.Kind.valueType(), literal)
}

// argumentMember returns the key and value of an argument. In 201901-1, it may have its old
// key.
func (r *ruleReader) argumentMember(a *constraint.Argument) (string, jsontext.Node, bool) {
	var first *jsontext.Member
	for i := range r.node.Members {
		m := &r.node.Members[i]
		switch {
		case !r.isArgument(a, m.Key) || m.Value.Value == nil:
		case first == nil:
			first = m
		case m.Key != first.Key: // the same key twice is a problem of the text
			r.problem(jsontext.Node{Start: m.Start}, m.Key, ReasonDuplicate, "%q and %q are the same argument: keep one of them", first.Key, m.Key)
		}
	}
	if first == nil {
		return "", jsontext.Node{}, false
	}
	return first.Key, first.Value, true
}

// argument reads an argument. It returns the constraint, or nil if the argument is read from
// the object or has a problem.
func (r *ruleReader) argument(a *constraint.Argument, key string, n jsontext.Node) constraint.Constraint {
	if a.IsList {
		return r.list(a, key, n)
	}
	argument, s, ok := r.readArgument(key, strconv.Quote(key), a.Wanted, n)
	if !ok {
		return nil
	}
	*r.rule.slot(a.Key) = argument
	if _, isPath := argument.Path(); isPath {
		r.rule.unread = append(r.rule.unread, unread{a.Key, []Argument{argument}})
		return nil
	}
	if a.IsUnquoted && s.Shape() == value.String {
		r.problem(n, key, ReasonTypeInvalid, "%q must be a number without quotes, or a JSONPath%s", key, jsonpath.PrefixHint(s.Text()))
		return nil
	}
	return r.constraint(a, key, n, []value.Scalar{s})
}

func (r *ruleReader) constraint(a *constraint.Argument, key string, n jsontext.Node, literals []value.Scalar) constraint.Constraint {
	c, err := a.New(literals, r.budget)
	if err == nil {
		return c
	}
	reason := ReasonInvalid
	if e := (*constraint.Error)(nil); errors.As(err, &e) {
		reason = reasonOf(e.Fault)
	}
	r.problem(n, key, reason, "%q %v", key, err)
	return nil
}

// readArgument reads a path, or a literal and its scalar. The subject and what is wanted are
// for messages.
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

// list reads the list of values, or the path that selects it.
func (r *ruleReader) list(a *constraint.Argument, key string, n jsontext.Node) constraint.Constraint {
	if s, ok := n.Value.(string); ok && r.isPath(s) {
		if argument, _, ok := r.readArgument(key, strconv.Quote(key), "", n); ok {
			r.rule.ValuesFrom = argument.path
			r.rule.unread = append(r.rule.unread, unread{a.Key, []Argument{argument}})
		}
		return nil
	}
	if n.Value != json.Delim('[') {
		r.problem(n, key, ReasonTypeInvalid, "%q must be %s, not %s", key, a.Wanted, describeNode(n))
		return nil
	}
	r.rule.Values = make([]Argument, 0, len(n.Items))
	literals := make([]value.Scalar, 0, len(n.Items))
	for _, item := range n.Items {
		argument, s, ok := r.readArgument(key, "an item of "+strconv.Quote(key), "a string, a number, a boolean or a JSONPath", item)
		if !ok {
			continue
		}
		if r.budget.Spend(constraint.ListedWork+s.RenderedSize(), valueSize+s.RenderedSize()) != nil {
			return nil
		}
		r.rule.Values = append(r.rule.Values, argument)
		if _, isPath := argument.Path(); !isPath {
			literals = append(literals, s)
		}
	}
	if len(literals) < len(n.Items) {
		r.rule.unread = append(r.rule.unread, unread{a.Key, r.rule.Values})
		return nil
	}
	return r.constraint(a, key, n, literals)
}

// unknown keeps the keys that the version and the kind do not know.
func (r *ruleReader) unknown() {
	if r.findsUnknown() {
		r.unused = unusedKeys(r.node, r.rule.own)
	}
	for _, m := range r.node.Members {
		if r.knowsKey(m.Key) {
			continue
		}
		if r.rule.Unknown == nil {
			r.rule.Unknown = map[string]json.RawMessage{}
		}
		r.rule.Unknown[m.Key] = m.Value.Raw()
		if r.findsUnknown() && !slices.Contains(r.rule.own, m.Key) && (r.judgesArguments() || !rulekey.Named(m.Key).IsArgument) {
			meant, code := meantKey(m.Key, r.unused), codeUnknownKey
			if meant != "" {
				code = codeMisspeltKey
			}
			message := fmt.Sprintf("the key %s is not known: %s", value.Quoted(m.Key), keyHint(m.Key, meant))
			r.ofStrict(m.Start, m.Key, ReasonNotSupported, code, message, meant)
		}
	}
}

// keyHint returns what to write instead of an unknown key.
func keyHint(key, meant string) string {
	if now := rulekey.OfAnyVersion(key).Name; now != "" {
		return fmt.Sprintf("version 201902-2 calls it %q", now)
	}
	if meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "remove it, or correct its spelling"
}

func (r *ruleReader) knowsKey(key string) bool {
	k := rulekey.Named(key)
	if r.version == V201901 {
		k = rulekey.OfAnyVersion(key)
	}
	return k.Name != "" && (!k.IsArgument || r.judgesArguments())
}

// strictly adds the problems that only Strict finds, apart from unknown keys.
func (r *ruleReader) strictly() {
	if !r.findsUnknown() || r.rule.Kind == "" {
		return
	}
	if kind, _ := r.member(rulekey.Rule); !r.judgesArguments() {
		meant, code := r.meantKind(r.rule.Kind), codeUnknownKind
		if meant != "" {
			code = codeMisspeltKind
		}
		message := fmt.Sprintf("the kind %s is not known: %s", value.Quoted(string(r.rule.Kind)), r.kindHint(meant))
		r.ofStrict(kind.Start, rulekey.Rule, ReasonNotSupported, code, message, meant)
		return
	}
	if !r.rule.Kind.IsOfFormat() {
		return
	}
	for _, m := range r.node.Members {
		if rulekey.OfAnyVersion(m.Key).IsArgument && m.Value.Value != nil {
			return
		}
	}
	message := "the rule has no argument, so it enforces little or nothing: add one of " + strings.Join(argumentKeys, ", ")
	r.ofStrict(r.node.Start, "", ReasonRequired, codeNoArguments, message, "")
}

// kindHint returns what to write instead of an unknown kind.
func (r *ruleReader) kindHint(meant string) string {
	if meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "write one of " + strings.Join(r.kindNames(), ", ") + ", in lower case"
}
