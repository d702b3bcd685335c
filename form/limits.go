package form

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/value"
)

// A Limit says what all rules with the same path ask of its values in one target. A form
// needs this to render an input and to check what is entered.
type Limit struct {
	// Path is the path as the first rule writes it, starting at the root of the rules.
	// Field is the same path, starting at the root of the object. Both keep wildcards.
	Path   vmrules.Path `json:"path"`
	Target string       `json:"target,omitempty"` // as in vmrules.Result
	Field  string       `json:"field"`
	// Pointer is Field as a JSON Pointer, as in a vmrules.Violation about a missing value.
	// Pass it to vmrules.Report.At for an input that is not filled in.
	Pointer string `json:"pointer,omitempty"`
	// Fields are the values that the path selects at present, including defaults, in
	// document order. Several paths may select the same field, such as disks[0].cache and
	// disks[*].cache: then the Limits of all these paths apply to it.
	Fields []FieldValue `json:"fields"`
	// Default is the value of the field if its parent exists and the field is missing: a
	// string, a bool or a json.Number. It is nil if the field has no default.
	Default any `json:"default,omitempty"`
	// ZeroIsDefault means that the number 0 also counts as Default.
	ZeroIsDefault bool `json:"zeroIsDefault,omitempty"`
	// Must is what the object needs to be valid. Should comes from rules with justWarning,
	// which only warn.
	Must   Constraints `json:"must,omitzero"`
	Should Constraints `json:"should,omitzero"`
	// Off lists the rules that ask nothing at present, because "valid" selects nothing or
	// because they are Ignored. The Note says why.
	Off []RuleNote `json:"off,omitempty"`
}

// Limits returns what the rules ask of each field that they check, with the options of
// Validate. The limits are in the order of the targets, and for each target in the order
// of the first rule with the path.
//
// Limits reads the arguments that are JSONPaths from the object, and looks there for what
// "valid" selects. Call it again when the object has changed. A rule whose "valid" is its
// path, or the beginning of its path, is in force even if "valid" selects nothing yet,
// because filling in the field changes that.
//
// A value of a field satisfies Must if and only if Validate finds no fault with it by any
// rule of that path without justWarning. This holds if Undecided is empty, if no argument
// of these rules is read from that field, and if the value is within the bounds, is valid
// UTF-8 and is not a parameter of a template. Under Partial, an object that does not
// contain its VM yet has limits too, and Validate finds no fault with an empty string.
//
// Limits never changes the object, and works on any object. If the Budget does not allow
// all limits, the last Limit has no Path, and its Must.Undecided gives the reason.
func Limits(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) []Limit {
	c := newCall(rules, object, opts)
	limits := []Limit{}
	for target := range c.targets() {
		if target[0].Index < 0 {
			return append(limits, cut(target[0].Target))
		}
		for _, group := range c.groups(target) {
			limit := c.limit(group)
			if c.isSpent() {
				return append(limits, cut(target[0].Target))
			}
			limits = append(limits, limit)
		}
	}
	return limits
}

// cut returns the Limit without a Path, which replaces the missing limits of a target and
// of all targets after it.
func cut(target string) Limit {
	note := "there are too many limits: some are missing"
	if target != "" {
		note = "there are too many limits: from " + target + " on, some are missing"
	}
	return Limit{Target: target, Fields: []FieldValue{}, Must: Constraints{Undecided: []RuleNote{{Note: note}}}}
}

func (c *call) limit(group []*Resolved) Limit {
	first := group[0]
	_ = c.budget.Spend(sayWork, 2*(2*len(first.Field)+saySize))
	limit := Limit{Path: c.rules[first.Index].Path, Target: first.Target, Field: first.Field, Pointer: first.Pointer, Fields: first.Values}
	if limit.Fields == nil {
		limit.Fields = []FieldValue{}
	}
	if first.AtPath.Default != nil && !first.IsOpen {
		limit.Default, limit.ZeroIsDefault = value.Canonical(first.AtPath.Default), first.AtPath.ZeroIsDefault
	}
	must, should := total{call: c}, total{call: c}
	for _, r := range group {
		of := &must
		if c.rules[r.Index].JustWarning {
			of = &should
		}
		switch r.Outcome {
		case vmrules.OutcomeIgnored, vmrules.OutcomeSkipped:
			limit.Off = append(limit.Off, c.note(r, "", r.Note))
		default:
			of.addRule(r)
		}
	}
	limit.Must, limit.Should = must.constraints(), should.constraints()
	return limit
}

// note returns a rule with a note, and pays for it.
func (c *call) note(r *Resolved, argument, note string) RuleNote {
	rule := &c.rules[r.Index]
	_ = c.budget.Spend(0, 2*(len(rule.Name)+len(rule.Message)+len(note)+saySize))
	return RuleNote{Rule: rule.Name, Message: rule.Message, Argument: argument, Note: note}
}
