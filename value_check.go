package vmrules

import (
	"errors"
	"fmt"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A ValueChecker judges single values by one rule, such as what is typed into the input
// of a form. It is immutable and safe for concurrent use.
type ValueChecker struct {
	rule *rule
	set  *constraint.Set
}

// Checker returns what judges values by the rule with an index. An error says why values
// alone cannot be judged by it: an argument is a path, which [Rules.Resolve] reads from an
// object; the rule enforces nothing; or its kind is not one of the format.
func (rs Rules) Checker(i int) (*ValueChecker, error) {
	if i < 0 || i >= rs.Len() {
		return nil, fmt.Errorf("there is no rule %d: there are %d, from 0", i, rs.Len())
	}
	r := &rs.rules[i]
	for _, u := range r.unread {
		return nil, fmt.Errorf("the rule %s: %s is read from the object that is judged", value.Quoted(r.Name), u.key)
	}
	return newValueChecker(r, &r.literal)
}

func newValueChecker(r *rule, set *constraint.Set) (*ValueChecker, error) {
	switch {
	case !r.isKnown():
		return nil, fmt.Errorf("the rule %s: the kind %s is not known", value.Quoted(r.Name), value.Quoted(string(r.Kind)))
	case !r.Kind.IsOfFormat():
		return nil, fmt.Errorf("the rule %s: %w", value.Quoted(r.Name), errKindItself)
	case r.enforcesNothing():
		return nil, fmt.Errorf("the rule %s: the kind %s without any argument enforces nothing", value.Quoted(r.Name), r.Kind)
	}
	return &ValueChecker{r, set}, nil
}

var errKindItself = errors.New("only the rule's kind knows which values it allows")

// Check judges a value as Validate would judge it at the rule's path, and returns what is
// wrong with it; nil for nothing. The violations have no Field and no Pointer. A nil value
// is missing. What cannot be decided is a violation with ReasonInternal. Each call has the
// default Budget of its own, and may be of any value that a decoder of JSON or YAML gives.
func (c *ValueChecker) Check(v any) []Violation {
	v = value.Resolve(v)
	if v == nil {
		return []Violation{c.violation(v, ReasonRequired, constraint.Finding{Breach: constraint.Breach{Detail: notSet}})}
	}
	s, isScalar := value.ScalarOf(v)
	b := budget{Meter: Budget{}.meter(), Backtracking: DefaultRegexBudget}
	if err := b.Spend(jsonpath.NodeWork*s.Cost(), 0); err != nil {
		return []Violation{c.violation(v, ReasonInternal, constraint.Finding{Breach: constraint.Breach{Detail: err.Error()}})}
	}
	var violations []Violation
	for f := range c.set.Findings(v, &s, isScalar, &b) {
		reason := reasonOf(f.Fault)
		if f.Err != nil {
			reason, f.Detail = ReasonInternal, about(f.Key, f.Err)
		}
		violations = append(violations, c.violation(v, reason, f))
	}
	return violations
}

func (c *ValueChecker) violation(v any, reason Reason, f constraint.Finding) Violation {
	return Violation{
		Rule: c.rule.Name, Message: c.rule.Message, Warning: c.rule.JustWarning, Value: value.Canonical(v),
		Reason: reason, Argument: f.Key, Limit: f.Limit, Detail: f.Detail,
	}
}
