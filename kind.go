package vmrules

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsontext"
)

// A Kind is what a rule enforces. Spec: Validation rules.
type Kind string

// The kinds of both versions of the format. A rule of another kind is kept and,
// without WithKind, ignored by Validate.
const (
	KindInteger Kind = "integer"
	KindString  Kind = "string"
	KindRegex   Kind = "regex"
	KindEnum    Kind = "enum"
)

// isOfFormat reports whether the kind is one of the format. WithKind may add others.
func (k Kind) isOfFormat() bool { return constraint.IsKind(k) }

func (r *rule) isKnown() bool { return r.Kind.isOfFormat() || r.checker != nil }

// enforcesNothing reports whether the rule is an enum or regex without any argument.
func (r *rule) enforcesNothing() bool {
	return (r.Kind == KindEnum || r.Kind == KindRegex) && !r.hasArguments()
}

// A KindCompiler returns the Checker of one rule, or what is wrong with the rule. It is
// called once, when the rule is read. Rules are hostile input, so it must bound its own
// time. If it panics, the rule has a Problem.
type KindCompiler func(RuleSource) (Checker, []Problem)

// A RuleSource is a rule that is being read. It must not be used after the KindCompiler
// has returned.
type RuleSource struct {
	rule *Rule
	node jsontext.Node
	text string
	own  *[]string // the keys that the kind asks for

	budget *budget
}

// Rule returns what all kinds have in common: the name, the paths, the message and the
// arguments, as far as they could be read.
func (s RuleSource) Rule() Rule {
	if s.rule == nil {
		return Rule{}
	}
	return s.rule.clone()
}

// Value returns the value of a key as the annotation writes it; false if the key is
// missing or null. After the call, the key belongs to the kind, so that Strict accepts it.
func (s RuleSource) Value(key string) (json.RawMessage, bool) {
	if s.own != nil && !slices.Contains(*s.own, key) {
		*s.own = append(*s.own, key)
	}
	n, ok := s.node.Member(key)
	if !ok {
		return nil, false
	}
	return json.RawMessage(s.text[n.Start:n.End]), true
}

// PositionIn returns where the value of a key begins in the annotation, in bytes, or a value
// inside it. The path consists of names of members (string) and indexes of items (int). If the
// value is missing, PositionIn returns the position of the nearest value around it, which may be
// the rule. It pays for each step, and stops where the Budget is too small.
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

// step returns the value at a name or index; the zero Node if there is none.
func (s RuleSource) step(n jsontext.Node, step any) jsontext.Node {
	switch step := step.(type) {
	case string:
		if s.Spend(time.Duration(len(n.Members))*memberWork, 0) == nil {
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

// Problem returns a problem with a key, at its position. If the mistake is inside the
// value, move the Offset there; the name of the rule, the line and the column are filled in
// later. The reason is ReasonRequired, ReasonTypeInvalid, ReasonDuplicate or ReasonTooLong;
// any other counts as ReasonInvalid.
func (s RuleSource) Problem(key string, reason Reason, format string, args ...any) Problem {
	return Problem{Key: key, Offset: s.PositionIn(key), Reason: reason, Code: codeOf(reason, key), Message: fmt.Sprintf(format, args...)}
}

// Spend pays from the Budget of the call for what a KindCompiler is about to do: about the time
// that it takes on a usual core, and the bytes that it keeps. It returns an error, which has
// no type of its own, if the Budget is too small. The annotation then has a problem that says so,
// whatever the KindCompiler returns.
func (s RuleSource) Spend(time time.Duration, bytes int64) error {
	if s.budget == nil {
		return nil
	}
	return s.budget.Pay(time, bytes)
}

type namedKind struct {
	kind     Kind
	compiler KindCompiler
}

// compiler returns the compiler that WithKind gave for a kind; nil if there is none.
func (o *parseOptions) compiler(k Kind) KindCompiler {
	for _, known := range slices.Backward(o.kinds) {
		if known.kind == k {
			return known.compiler
		}
	}
	return nil
}
