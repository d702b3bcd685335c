package form

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A ValueChecker judges single values by one rule, for instance what a user types into a
// form. It is immutable and safe for concurrent use.
type ValueChecker struct {
	rule *vmrules.Rule
	set  *constraint.Set
}

var errNoRule = errors.New("there is no rule")

// NewValueChecker returns a ValueChecker for a rule. It returns an error if ParseRules would
// refuse the rule, or if it cannot judge a value without an object: an argument is a path, which
// [Resolve] reads from an object; the rule enforces nothing; or its kind is not one of the format.
func NewValueChecker(rule vmrules.Rule) (*ValueChecker, error) {
	if !rule.Kind.IsOfFormat() {
		return newValueChecker(&rule, nil)
	}
	rules, err := vmrules.NewRules([]vmrules.Rule{rule})
	if err != nil {
		return nil, err
	}
	set, unread := insides.Demands(rules, 0)
	if len(unread) > 0 {
		return nil, fmt.Errorf("the rule %s: %s is read from the object that is judged", value.Quoted(rule.Name), unread[0])
	}
	return newValueChecker(&rule, set)
}

func newValueChecker(r *vmrules.Rule, set *constraint.Set) (*ValueChecker, error) {
	isOpen := r.Kind == vmrules.KindEnum || r.Kind == vmrules.KindRegex
	switch {
	case !r.Kind.IsOfFormat():
		return nil, fmt.Errorf("the rule %s: only its kind, %s, knows which values it allows", value.Quoted(r.Name), value.Quoted(string(r.Kind)))
	case isOpen && len(set.All()) == 0:
		return nil, fmt.Errorf("the rule %s: the kind %s without any argument enforces nothing", value.Quoted(r.Name), r.Kind)
	}
	return &ValueChecker{r, set}, nil
}

// Check judges a value as Validate would judge it at the rule's path, and returns what is
// wrong with it; nil if nothing is. The value may be any that a decoder of JSON or YAML
// returns, and nil is a missing one. The violations have no Field and no Pointer. What cannot
// be decided is a violation with ReasonInternal. Each call has a default Budget of its own.
func (c *ValueChecker) Check(v any) []vmrules.Violation {
	if c == nil || c.rule == nil {
		return []vmrules.Violation{{Reason: vmrules.ReasonInternal, Detail: errNoRule.Error()}}
	}
	v = value.Resolve(v)
	if v == nil {
		return c.one(v, vmrules.ReasonRequired, "the field is not set")
	}
	if !value.IsReadable(v) {
		return c.one(v, vmrules.ReasonInternal, "the value is "+value.Describe(v))
	}
	s, isScalar := value.ScalarOf(v)
	b := insides.NewBudget()
	if err := b.Spend(jsonpath.NodeWork*s.Cost(), 0); err != nil {
		return c.one(v, vmrules.ReasonInternal, err.Error())
	}
	var violations []vmrules.Violation
	for f := range c.set.Failures(&s, isScalar, &b) {
		if f.Err == nil {
			breach := c.set.Breach(f.Demand, v, &s)
			violations = append(violations, c.violation(v, insides.Reason(breach.Fault), f.Key(), breach))
			continue
		}
		detail := strings.TrimPrefix(f.Key()+" "+f.Err.Error(), " ")
		violations = append(violations, c.violation(v, vmrules.ReasonInternal, f.Key(), constraint.Breach{Detail: detail}))
	}
	return violations
}

// one returns the only violation of a value that no argument judges.
func (c *ValueChecker) one(v any, reason vmrules.Reason, detail string) []vmrules.Violation {
	return []vmrules.Violation{c.violation(v, reason, "", constraint.Breach{Detail: detail})}
}

func (c *ValueChecker) violation(v any, reason vmrules.Reason, key string, b constraint.Breach) vmrules.Violation {
	return vmrules.Violation{
		Rule: c.rule.Name, Message: c.rule.Message, Warning: c.rule.JustWarning, Value: value.Canonical(v),
		Reason: reason, Argument: key, Limit: b.Limit, Detail: b.Detail,
	}
}
