package form

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/value"
)

// A Limit is what all rules with one path ask of the values there, for one target: what
// a form needs to render an input and to guard it.
type Limit struct {
	// Path is the path as the first rule writes it, from the root that rules
	// have; Field is the same from the object's own root. Both keep wildcards.
	Path   vmrules.Path `json:"path"`
	Target string       `json:"target,omitempty"` // as in vmrules.Result
	Field  string       `json:"field"`
	// Pointer is Field as a JSON Pointer, as in vmrules.Violation where no value is there:
	// what vmrules.Report.At takes for an input whose field is not filled in.
	Pointer string `json:"pointer,omitempty"`
	// Fields are the values that the path selects at present, in document
	// order, defaults among them. A field may have a Limit of each of several paths,
	// such as disks[0].cache and disks[*].cache: all of them hold for it.
	Fields []vmrules.FieldValue `json:"fields"`
	// Default is what the field counts as where the object around it is there and
	// the field is not: a string, a bool or a json.Number; nil for none.
	Default any `json:"default,omitempty"`
	// ZeroIsDefault means that the number 0 counts as Default, too.
	ZeroIsDefault bool `json:"zeroIsDefault,omitempty"`
	// Must is what fails the object where it does not hold, Should what only
	// warns, by rules with justWarning.
	Must   Constraints `json:"must,omitzero"`
	Should Constraints `json:"should,omitzero"`
	// Off lists the rules that ask nothing now, with a Note why: what "valid" names is
	// not there, or they are Ignored.
	Off []RuleNote `json:"off,omitempty"`
}

// Limits says what the rules ask of each field that they judge, target by target, and in
// each in the order of the first rule with the path. Arguments that are JSONPaths are read
// from the object as it is, and what "valid" names is looked for in it: ask again when the
// object has changed. A rule whose "valid" is its path or the beginning of it is in force
// also while nothing is there, since it will be as soon as something is.
//
// A value at a field satisfies Must if, and only if, Validate finds no fault with it by any
// rule of that path that does not say justWarning, provided that Undecided is empty, that
// no argument of these rules is read from that field, and that the value is within the
// bounds, valid UTF-8 and no parameter of a template. The options are those of Validate;
// under Partial, an object that does not hold its VM yet has limits too, and Validate finds
// no fault with an empty string.
//
// Limits never changes the object, and ends on any: where there would be too much to say,
// a last Limit without a Path has the reason in Must.Undecided.
func Limits(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) []Limit {
	c := newCall(rules, object, opts)
	limits := []Limit{}
	for target := range c.targets() {
		if target[0].Index < 0 {
			return append(limits, cut(target[0].Target))
		}
		for group := range c.groups(target) {
			limit := c.limit(group)
			if c.isSpent() {
				return append(limits, cut(target[0].Target))
			}
			limits = append(limits, limit)
		}
	}
	return limits
}

// cut is the Limit without a Path, which stands for those from a target on.
func cut(target string) Limit {
	note := "there are too many limits: they are not all here"
	if target != "" {
		note = "there are too many limits: those from " + target + " on are not all here"
	}
	return Limit{Target: target, Fields: []vmrules.FieldValue{}, Must: Constraints{Undecided: []RuleNote{{Note: note}}}}
}

// limit returns the Limit of the path that a group of rules shares.
func (c *call) limit(group []*vmrules.Resolved) Limit {
	first := group[0]
	c.say(2 * len(first.Field))
	limit := Limit{Path: c.rules[first.Index].Path, Target: first.Target, Field: first.Field, Pointer: first.Pointer, Fields: first.Values}
	if limit.Fields == nil {
		limit.Fields = []vmrules.FieldValue{}
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
		case vmrules.Ignored, vmrules.Skipped:
			limit.Off = append(limit.Off, c.note(r, "", r.Note))
		default:
			of.addRule(r)
		}
	}
	limit.Must, limit.Should = must.constraints(), should.constraints()
	return limit
}

// say pays for something that is said, with so many bytes of text.
func (c *call) say(bytes int) { _ = c.budget.Spend(sayWork, 2*(bytes+saySize)) }

// note returns a rule with a note, which is paid for.
func (c *call) note(r *vmrules.Resolved, argument, note string) RuleNote {
	rule := &c.rules[r.Index]
	_ = c.budget.Spend(0, 2*(len(rule.Name)+len(rule.Message)+len(note)+saySize))
	return RuleNote{Rule: rule.Name, Message: rule.Message, Argument: argument, Note: note}
}
