package vmrules

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/value"
)

// WithKind teaches ParseRules, NewRules and RulesFor a kind of rule that the format
// does not have. Whoever does not know the kind ignores such rules,
// as the format demands. The compiler reads the keys that are the kind's own,
// and its Checker judges what the rule's path selects. What all kinds share
// stays as it is: name, path, valid, message and justWarning, and the arguments
// of the format, which constrain the values once the Checker is satisfied.
//
// Of two compilers for one kind the later counts. The kinds of the format
// cannot be given another meaning: their names, an empty one, or a compiler
// that is nil, are a Problem.
func WithKind(kind Kind, c KindCompiler) ParseOption {
	return parseOption(func(o *parseOptions) { o.kinds = append(o.kinds, namedKind{kind, c}) })
}

// A KindCompiler makes the Checker of one rule, once, when the rule is read, or
// says what is wrong with it. Rules are hostile input: it bounds its own time.
// Where it panics, that is a Problem of the rule.
type KindCompiler func(RuleSource) (Checker, []Problem)

// A RuleSource is a rule that is being read. It is of no use after the
// KindCompiler has returned.
type RuleSource struct {
	rule *Rule
	node jsontext.Node
	text string
	own  *[]string // the keys that the kind asks for

	budget *budget
}

// Rule is what all kinds have in common: the name, the paths, the message and
// the arguments, as far as they could be read.
func (s RuleSource) Rule() Rule { return s.rule.clone() }

// Value returns the value of a key, as the annotation writes it; false where the rule
// has none, or null. A key that was asked for belongs to the kind: it is known,
// also under Strict.
func (s RuleSource) Value(key string) (json.RawMessage, bool) {
	if !slices.Contains(*s.own, key) {
		*s.own = append(*s.own, key)
	}
	n, ok := s.node.Member(key)
	if !ok {
		return nil, false
	}
	return json.RawMessage(s.text[n.Start:n.End]), true
}

// Position is where the value of a key begins in the annotation, in bytes; for
// a key that the rule does not have, where the rule begins.
func (s RuleSource) Position(key string) int {
	if n, ok := s.node.Member(key); ok {
		return n.Start
	}
	return s.node.Start
}

// PositionIn returns where a value inside the value of a key begins in the
// annotation, in bytes. The path leads there by the names of members (string) and the
// indexes of items (int). For a value that is not there, it is the position of the
// nearest one around it. Each step is paid for; where the Budget does not suffice,
// the path ends.
func (s RuleSource) PositionIn(key string, path ...any) int {
	n, ok := s.node.Member(key)
	if !ok {
		return s.node.Start
	}
	for _, step := range path {
		next := s.step(n, step)
		if next.IsZero() {
			break
		}
		n = next
	}
	return n.Start
}

// step returns the value at a name or index; the zero Node where there is none.
func (s RuleSource) step(n jsontext.Node, step any) jsontext.Node {
	switch step := step.(type) {
	case string:
		if s.Spend(len(n.Members)*memberWork, 0) == nil {
			next, _ := n.Member(step)
			return next
		}
	case int:
		if 0 <= step && step < len(n.Items) {
			return n.Items[step]
		}
	}
	return jsontext.Node{}
}

// Problem is what is wrong with a key, at its Position. One that is wrong
// inside the value can have its Offset moved there; the name of the rule, line
// and column are filled in later. The reason is one of a value: Required,
// TypeInvalid, Duplicate, TooLong; any other counts as Invalid.
func (s RuleSource) Problem(key string, reason Reason, format string, args ...any) Problem {
	return Problem{Key: key, Offset: s.Position(key), Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Spend pays for what a KindCompiler is about to do, out of the Budget of the
// call: work in units of about a nanosecond, and bytes that the Checker keeps.
// Where the budget does not suffice, it returns an error, and whatever the
// KindCompiler then returns, the annotation has a problem that says so.
func (s RuleSource) Spend(work, kept int) error {
	if s.budget == nil {
		return nil
	}
	return s.budget.Spend(work, kept)
}

// A namedKind is what WithKind was given.
type namedKind struct {
	kind     Kind
	compiler KindCompiler
}

// wrong says why the kind cannot be had; "" where it can.
func (k namedKind) wrong() string {
	switch {
	case k.kind == "":
		return "WithKind needs the name of the kind"
	case k.kind.IsOfFormat():
		return fmt.Sprintf("WithKind cannot change the kind %s, which is one of the format", k.kind)
	case k.compiler == nil:
		return fmt.Sprintf("WithKind has no compiler for the kind %s", value.Quoted(string(k.kind)))
	}
	return ""
}

// knows reports whether a kind is one of the format, or has a compiler.
func (o *parseOptions) knows(k Kind) bool { return k.IsOfFormat() || o.compiler(k) != nil }

// compiler returns what WithKind gave for a kind; nil if it gave nothing.
func (o *parseOptions) compiler(k Kind) KindCompiler {
	for _, known := range slices.Backward(o.kinds) {
		if known.kind == k {
			return known.compiler
		}
	}
	return nil
}

// compile asks the kind for its Checker.
func (r *ruleReader) compile(c KindCompiler) {
	source := RuleSource{&r.rule.Rule, r.node, r.text, &r.rule.own, r.budget}
	checker, problems := compileSafely(c, source)
	for _, p := range problems {
		r.problems = append(r.problems, r.ofKind(p))
	}
	if checker == nil && len(problems) == 0 {
		r.problem(r.node, "", ReasonInvalid, "the kind %s has no way to judge this rule", value.Quoted(string(r.rule.Kind)))
	}
	r.rule.checker = checker
}

// compileSafely keeps a controller up when a compiler goes down.
func compileSafely(c KindCompiler, s RuleSource) (checker Checker, problems []Problem) {
	defer func() {
		if failure := recover(); failure != nil {
			why := value.Shortened(fmt.Sprint(failure))
			checker, problems = nil, []Problem{s.Problem("", ReasonInvalid, "the kind %s cannot read this rule: %s", value.Quoted(string(s.rule.Kind)), why)}
		}
	}()
	return c(s)
}

// ofKind makes a problem that a KindCompiler found one of this rule. The
// reasons that only Strict gives stay Strict's.
func (r *ruleReader) ofKind(p Problem) Problem {
	p.Index = r.index
	if p.Offset < r.node.Start || p.Offset > r.node.End {
		p.Offset = r.node.Start
	}
	switch p.Reason {
	case ReasonTypeInvalid, ReasonDuplicate, ReasonTooLong:
		return p
	case ReasonRequired:
		if p.Key != "" {
			return p
		}
	}
	p.Reason = ReasonInvalid
	return p
}
