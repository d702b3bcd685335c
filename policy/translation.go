package policy

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
)

// An Untranslated says why no policy enforces a rule.
type Untranslated struct {
	Index int    // the index of the rule
	Rule  string // the name of the rule
	Key   string // the key of the rule that cannot be expressed; "" for the whole rule
	Why   string
}

// String describes the rule and the reason in one line.
func (u Untranslated) String() string {
	s := fmt.Sprintf("rules[%d] %q", u.Index, u.Rule)
	if u.Key != "" {
		s += " " + u.Key
	}
	return s + ": " + u.Why
}

// A validation is the expression of a rule, and what a policy says about a VM for which it is not
// true.
type validation struct{ expression, message, messageExpression string }

// A translation holds rules in CEL. Each rule is in one of its lists.
type translation struct {
	scope        Scope
	denying      []validation
	warning      []validation // of the rules with justWarning
	untranslated []Untranslated

	written int // the bytes of all expressions and messages
}

// translate returns rules in CEL, as the options of a scope say.
func translate(rules vmrules.Rules, scope Scope) translation {
	out := translation{scope: scope}
	for i := range rules.Len() {
		r, err := inside.Vmrules.Rule(rules, i)
		switch {
		case err != nil: // it was left out
		case inside.Vmrules.IsWhole(rules):
			err = refuse("", "the rule is about whole objects, not about a VM's spec.template")
		default:
			err = out.add(r)
		}
		if err != nil {
			refused, _ := err.(refusal)
			out.untranslated = append(out.untranslated, Untranslated{Index: i, Rule: r.Name, Key: refused.key, Why: err.Error()})
		}
	}
	return out
}

// add translates a rule. An update is forgiven only if the expression is not too long for it.
func (out *translation) add(r vmrules.Rule) error {
	if out.written > maxWritten {
		return refuse("", "the rules before it have %d bytes of expressions and messages, more than the %d that a policy holds: make several policies", out.written, maxWritten)
	}
	t := &translator{root: "object", rule: r, skipsSetters: out.scope.SkipInstancetypes}
	expression, err := t.translate()
	if err != nil {
		return err
	}
	v := validation{expression: expression, message: messageOf(r)}
	out.written += len(v.message)
	if !out.scope.WithoutRatcheting && !r.JustWarning {
		v.expression = t.forgiving(expression)
	}
	if out.tooLong(v.expression) {
		v.expression = expression
	}
	if out.tooLong(v.expression) {
		return refuse("", "the expression for it has %d characters, more than the %d that the API server reads", utf8.RuneCountInString(expression), maxExpression)
	}
	if text := t.messageExpression(v.message); !out.tooLong(text) {
		v.messageExpression = text
	}
	if r.JustWarning {
		out.warning = append(out.warning, v)
	} else {
		out.denying = append(out.denying, v)
	}
	return nil
}

// tooLong adds an expression to what is written, and reports whether the API server refuses it
// because of its length.
func (out *translation) tooLong(expression string) bool {
	out.written += len(expression)
	return utf8.RuneCountInString(expression) > maxExpression
}

// messageOf returns the message of a rule as Kubernetes accepts it: in one line, and not blank.
func messageOf(r vmrules.Rule) string {
	line := strings.Join(strings.FieldsFunc(r.Message, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return cmp.Or(strings.TrimSpace(line), "the rule "+strconv.Quote(r.Name)+" is violated")
}

// A refusal is an error that says why a rule cannot be translated, and because of which key.
type refusal struct{ key, why string }

func (r refusal) Error() string { return r.why }

func refuse(key, format string, args ...any) error {
	return refusal{key, fmt.Sprintf(format, args...)}
}
