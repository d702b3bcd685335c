package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
)

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
		Suggestion: meantValue(key, at.Value),
	})
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
		n, _ := r.node.Member(rulekey.Path)
		r.rule.Path = r.path(n, rulekey.Path, path)
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

// judgesArguments reports whether the meaning of the arguments is known: that of an unknown kind may be any.
func (r *ruleReader) judgesArguments() bool {
	k := r.rule.Kind
	return k == "" || k.isOfFormat() || r.compiler(k) != nil
}

// mandatory reads a key that must have a string that is not empty.
func (r *ruleReader) mandatory(key string) string {
	n, ok := r.node.Member(key)
	s, isString := n.Value.(string)
	if s != "" {
		return s
	}
	switch wanted := rulekey.Named(key).Wanted; {
	case n.IsZero():
		r.problem(r.node, key, ReasonRequired, "the rule has no %q: add %s", key, wanted)
	case !ok || isString:
		r.problem(n, key, ReasonRequired, "%q is %s: it must be %s", key, n.Describe(), wanted)
	default:
		r.problem(n, key, ReasonTypeInvalid, "%q must be a string: %s", key, wanted)
	}
	return ""
}

// path reads a JSONPath in the form of the version. If it is wrong, path returns the zero Path, and adds a
// problem at the step that is wrong.
func (r *ruleReader) path(n jsontext.Node, key, s string) Path {
	path, err := r.knownPath(s)
	if err == nil {
		return path
	}
	if step := (*jsonpath.StepError)(nil); errors.As(err, &step) {
		whole := n.Start
		n.Start = jsontext.Inside(r.text, whole, len(s)-step.Left)
		if r.ends != nil {
			r.ends[n.Start] = jsontext.Inside(r.text, whole, len(s)-step.Behind)
		}
	}
	r.problem(n, key, ReasonInvalid, "%v", err)
	return Path{}
}

// knownPath reads a path in the form of the version, each only once, because rules often share one.
func (r *ruleReader) knownPath(s string) (Path, error) {
	if path, ok := r.paths[s]; ok {
		return path, nil
	}
	if err := r.budget.Spend(len(s)*textWork, meter.Times(len(s), pathSize)); err != nil {
		return Path{}, err
	}
	path, err := r.parsePath(s)
	if err == nil {
		r.paths[s] = path
	}
	return path, err
}

func (r *ruleReader) valid() {
	n, isThere := r.node.Member(rulekey.Valid)
	switch s, isString := n.Value.(string); {
	case !isThere:
	case !isString:
		r.problem(n, rulekey.Valid, ReasonTypeInvalid, "%q must be %s", rulekey.Valid, rulekey.Named(rulekey.Valid).Wanted)
	case s == "":
		r.problem(n, rulekey.Valid, ReasonInvalid, "%q is empty: write a JSONPath, or leave it out", rulekey.Valid)
	default:
		r.rule.Valid = r.path(n, rulekey.Valid, s)
	}
}

func (r *ruleReader) justWarning() {
	n, ok := r.node.Member(rulekey.JustWarning)
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
		if m := r.argumentMember(a); m != nil {
			if c := r.argument(a, m.Key, m.Value); c != nil {
				literal = append(literal, c)
			}
		}
	}
	r.rule.literal = constraint.NewSet(constraint.OfKind(r.rule.Kind), literal)
}

// argumentMember returns the member that is an argument; nil if there is none. In 201901-1, it may have its old key.
func (r *ruleReader) argumentMember(a *constraint.Argument) (first *jsontext.Member) {
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
	return first
}

// argument reads an argument. It returns the constraint, or nil if the argument is read from
// the object or has a problem.
func (r *ruleReader) argument(a *constraint.Argument, key string, n jsontext.Node) constraint.Constraint {
	if a.IsList && n.Value == json.Delim('[') {
		return r.list(a, key, n)
	}
	if text, ok := n.Value.(string); a.IsList && !(ok && r.isPath(text)) {
		r.problem(n, key, ReasonTypeInvalid, "%q must be %s, not %s", key, a.Wanted, n.Describe())
		return nil
	}
	argument, s := r.readArgument(key, "", a.Wanted, n)
	if argument.IsZero() {
		return nil
	}
	*r.rule.slot(a.Key) = argument
	if _, isPath := argument.Path(); isPath {
		r.rule.paths = append(r.rule.paths, newPathArgument(a.Key, argument))
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
		reason = reasonOf[e.Fault]
	}
	r.problem(n, key, reason, "%q %v", key, err)
	return nil
}

// readArgument reads a path, or a literal and its scalar; nothing if it has a problem. before and wanted are for
// messages.
func (r *ruleReader) readArgument(key, before, wanted string, n jsontext.Node) (Argument, value.Scalar) {
	if s, ok := n.Value.(string); ok && r.isPath(s) {
		return Argument{path: r.path(n, key, s)}, value.Scalar{}
	}
	switch s, ok := value.ScalarOf(n.Value); {
	case !ok:
		r.problem(n, key, ReasonTypeInvalid, "%s%q must be %s, not %s", before, key, wanted, n.Describe())
	case s.Err() != nil:
		r.problem(n, key, ReasonInvalid, "%s%q %v", before, key, s.Err())
	default:
		return Argument{literal: n.Value}, s
	}
	return Argument{}, value.Scalar{}
}

func (r *ruleReader) list(a *constraint.Argument, key string, n jsontext.Node) constraint.Constraint {
	list := make([]Argument, 0, len(n.Items))
	literals := make([]value.Scalar, 0, len(n.Items))
	for _, item := range n.Items {
		argument, s := r.readArgument(key, "an item of ", wantedItem, item)
		if argument.IsZero() {
			continue
		}
		if r.budget.Spend(constraint.ListedWork+s.RenderedSize(), valueSize+s.RenderedSize()) != nil {
			return nil
		}
		list = append(list, argument)
		if _, isPath := argument.Path(); !isPath {
			literals = append(literals, s)
		}
	}
	argument := Argument{list: list}
	*r.rule.slot(a.Key) = argument
	if len(literals) < len(n.Items) {
		r.rule.paths = append(r.rule.paths, newPathArgument(a.Key, argument))
		return nil
	}
	return r.constraint(a, key, n, literals)
}

// unknown keeps the keys that the version and the kind do not know.
func (r *ruleReader) unknown() {
	if r.findsUnknown() {
		r.unused = rulekey.Unused(r.node, r.rule.own)
	}
	for _, m := range r.node.Members {
		if r.knowsKey(m.Key) {
			continue
		}
		if r.rule.Unknown == nil {
			r.rule.Unknown = map[string]json.RawMessage{}
		}
		r.rule.Unknown[m.Key] = m.Value.Raw()
		r.unknownKey(m)
	}
}

func (r *ruleReader) knowsKey(key string) bool {
	k := rulekey.Named(key)
	if r.isOld {
		k = rulekey.OfAnyVersion(key)
	}
	return k.Name != "" && (!k.IsArgument || r.judgesArguments())
}

// meantValue returns the path that a value of a key means if it only lacks the prefix, or has
// slashes instead of dots, or the number that is meant; "" if it is wrong in another way.
func meantValue(key string, v any) string {
	s, ok := v.(string)
	a := constraint.Named(key)
	isBound := a != nil && !a.IsList && a.Key != constraint.Regex
	mayBePath := rulekey.Named(key).IsPath || isBound && jsonpath.PrefixHint(s) != ""
	expression, hasPrefix := strings.CutPrefix(s, jsonpath.Prefix)
	if !ok || !mayBePath || hasPrefix && !strings.Contains(s, "/") {
		return a.Meant(s)
	}
	path, err := ParsePath(jsonpath.WithPrefix(expression))
	if err != nil || path.String() == s {
		return ""
	}
	return path.String()
}

func (r *ruleReader) compile(c KindCompiler) {
	source := RuleSource{&r.rule.Rule, r.node, r.text, &r.rule.own, r.budget}
	var checker Checker
	var problems []Problem
	if panics := safely(func() { checker, problems = c(source) }); panics != nil {
		problems = []Problem{source.Problem("", ReasonInvalid, "the kind %s cannot read this rule: %s", value.Quoted(string(r.rule.Kind)), panics)}
	}
	for _, p := range problems {
		r.problems = append(r.problems, r.ofKind(p))
	}
	if checker == nil && len(problems) == 0 {
		r.problem(r.node, "", ReasonInvalid, "the kind %s gave no Checker for this rule", value.Quoted(string(r.rule.Kind)))
	}
	r.rule.checker = checker
}

// ofKind returns a problem of a KindCompiler as one of this rule, with a reason that Problem
// of a RuleSource allows.
func (r *ruleReader) ofKind(p Problem) Problem {
	p.Index = r.index
	if p.Offset < r.node.Start || p.Offset > r.node.End {
		p.Offset = r.node.Start
	}
	if codeOfReason[p.Reason] == "" || p.Reason == ReasonRequired && p.Key == "" {
		p.Reason = ReasonInvalid
	}
	p.Code = codeOf(p.Reason, p.Key)
	return p
}

// What the versions of the format do differently, apart from the names of arguments.

// havePrefix reports whether any path or valid begins with the prefix, which version 201901-1 did not have.
func havePrefix(rules []jsontext.Node) bool {
	for _, rule := range rules {
		for _, m := range rule.Members {
			s, _ := m.Value.Value.(string)
			if rulekey.Named(m.Key).IsPath && strings.HasPrefix(s, jsonpath.Prefix) {
				return true
			}
		}
	}
	return false
}

// parsePath reads a path as the version that is read writes it.
func (r *ruleReader) parsePath(s string) (Path, error) {
	if !r.isOld || strings.HasPrefix(s, jsonpath.Prefix) {
		return ParsePath(s)
	}
	return parseExpression(strings.TrimPrefix(s, "/"))
}

// isPath reports whether an argument is a path in the version that is read.
func (r *ruleReader) isPath(s string) bool {
	return strings.HasPrefix(s, jsonpath.Prefix) || r.isOld && strings.HasPrefix(s, "/")
}

// isArgument reports whether a key means the argument in the version that is read.
func (r *ruleReader) isArgument(a *constraint.Argument, key string) bool {
	return key == a.Key || key == a.OldName && a.OldName != "" && r.isOld
}
