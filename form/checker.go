package form

import (
	"errors"
	"fmt"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A ValueChecker checks single values by one rule, for instance what a user types into a
// form. It is immutable and safe for concurrent use.
type ValueChecker struct {
	judge func(v any) []vmrules.Violation
}

var errNoRule = errors.New("there is no rule")

// NewValueChecker returns a ValueChecker for a rule about VMs. Of the options of Validate, those
// count that matter to a single value: Partial, WithDefaults and WithBudget. NewValueChecker
// returns a *vmrules.ParseError if ParseRules would refuse the rule. It returns an error that has no
// type of its own if the rule cannot check a value without an object: an argument is a path, which
// [Resolve] reads from an object; the rule enforces nothing; or its kind is not one of the format.
func NewValueChecker(rule vmrules.Rule, opts ...vmrules.ValidateOption) (*ValueChecker, error) {
	if !constraint.IsKind(rule.Kind) {
		return nil, errOfKind(rule)
	}
	rules, err := vmrules.NewRules([]vmrules.Rule{rule})
	if err != nil {
		return nil, err
	}
	judging := inside.Vmrules.Judging(rules, nil, opts)
	defer judging.Release()
	var noVM vmtarget.Target
	set, read := judging.Arguments(0, &noVM)
	isOpen := rule.Kind == vmrules.KindEnum || rule.Kind == vmrules.KindRegex
	switch {
	case len(read) > 0:
		return nil, fmt.Errorf("the rule %s: %s is read from the object that is validated", value.Quoted(rule.Name), read[0].Key)
	case isOpen && len(set.All()) == 0:
		return nil, fmt.Errorf("the rule %s: the kind %s without any argument enforces nothing", value.Quoted(rule.Name), rule.Kind)
	}
	implied := judging.Implied(&noVM).Of(inside.Vmrules.Parsed(rule.Path).Steps())
	return &ValueChecker{inside.Vmrules.Alone(rule, set, implied, opts)}, nil
}

func errOfKind(r vmrules.Rule) error {
	return fmt.Errorf("the rule %s: only its kind, %s, knows which values it allows", value.Quoted(r.Name), value.Quoted(string(r.Kind)))
}

// Check returns the violations that Validate finds in an object in which the rule's path selects
// just this value; nil if there are none. They have no Field and no Pointer. What cannot be
// decided is a violation with ReasonInternal.
//
// The value may be any that a decoder of JSON or YAML returns. If it is nil, the field is missing
// from an object that exists, and counts as its default, if the path names a field that has one. So
// does a 0 where Validate takes it as missing. A "valid" that is another path selects something in
// that object. Each call has a Budget of its own.
func (c *ValueChecker) Check(v any) []vmrules.Violation {
	if c == nil || c.judge == nil {
		return []vmrules.Violation{{Reason: vmrules.ReasonInternal, Detail: errNoRule.Error()}}
	}
	return c.judge(v)
}
