package review

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/lint"
)

// maxObjects is how many objects a template may have to be quick.
const maxObjects = 100

// written decides about a template that is created or updated; nil if the pace is too quick. Only
// rules that no VM can use are a reason to refuse it, and not by an update that leaves them as they
// are.
func (r *Reviewer) written(ctx context.Context, q *Request, p pace) *Decision {
	if objects, _ := q.Object["objects"].([]any); p.isQuick && len(objects) > maxObjects {
		return nil
	}
	var broken, remarks []string
	var isKept, isDecided bool
	if failed := p.do(ctx, q.Size, func() {
		isKept = q.Old != nil && reflect.DeepEqual(rulesIn(q.Object), rulesIn(q.Old))
		broken, remarks, isDecided = p.check(ctx, q.Object)
	}); failed != nil {
		return failure(failed)
	}
	switch warnings := append(broken, remarks...); {
	case !isDecided:
		return nil
	case len(broken) > 0 && r.RefuseBroken && !isKept && !q.isLeaving():
		all := &vmrules.ParseError{}
		for _, message := range broken {
			all.Problems = append(all.Problems, vmrules.Problem{Index: -1, Reason: vmrules.ReasonInvalid, Message: message})
		}
		return refused(errors.New("the validation rules cannot be used: "+broken[0]), all.Causes())
	case len(warnings) > 0:
		return &Decision{Outcome: Warned, Warnings: fitting(warnings)}
	}
	return &Decision{Outcome: Allowed}
}

// check returns why no VM can use the rules of a template, and what else is wrong with it, with the
// defaults of its parameters. It returns false if the pace is too quick, or if the context ends.
func (p pace) check(ctx context.Context, template map[string]any) (broken, remarks []string, ok bool) {
	if name := rulesIn(template).withoutDefault(); name != "" { // it may be anything
		return nil, []string{fmt.Sprintf("the validation rules are not checked: the parameter %s in them has no default", Shorten(name, MaxName))}, true
	}
	filled, err := form.Fill(template, nil, p.parse...)
	if err != nil {
		return nil, []string{err.Error()}, !p.isQuick
	}
	for _, rule := range rulesIn(filled).texts { // each with a whole Budget
		if ctx.Err() != nil {
			return nil, nil, false
		}
		text, opts := rule.text, slices.Clip(p.parse)
		if !rule.isOnVM { // nobody fills it in
			text, opts = TextAt(template, "metadata", "annotations", vmrules.OldAnnotation), append(opts, vmrules.DetectVersion())
		}
		for _, f := range lint.Annotation(text, opts...) {
			switch isCut := f.ID == "not-checked"; {
			case p.isQuick && (isCut || f.ID == "too-long"):
				return nil, nil, false
			case isCut:
				remarks = append(remarks, f.String())
			case f.Refuses:
				broken = append(broken, f.String())
			}
		}
	}
	if len(broken) > 0 {
		return broken, remarks, true
	}
	report := vmrules.ValidateOwn(filled, p.validate...)
	if wrong := problemsIn(report); wrong.Problems != nil { // about the rules of another VM in the template
		broken = []string{wrong.Error()}
	}
	return broken, append(remarks, ownViolations(report)...), !p.isTooQuickFor(report)
}

// ownViolations returns what is wrong with the VMs of a template, apart from what depends on other
// objects, or on parameters without a default.
func ownViolations(report *vmrules.Report) (all []string) {
	for _, result := range report.Results(vmrules.OutcomeViolated, vmrules.OutcomeUndecided) {
		switch result.Doubt {
		case vmrules.DoubtParameter, vmrules.DoubtInstancetype, vmrules.DoubtPreference, vmrules.DoubtConflict, vmrules.DoubtNothing, vmrules.DoubtRules:
			continue
		}
		for _, v := range result.Violations {
			if !v.Warned {
				all = append(all, "the template's own VM does not satisfy its rules: "+v.Error())
			}
		}
	}
	return all
}

// templateRules are the rules of a template, and what they depend on.
type templateRules struct {
	texts      []ruleText // by which its VMs are validated
	parameters [2]any
}

// A ruleText is an annotation: of a VM in a template, or of the template itself.
type ruleText struct {
	text   string
	isOnVM bool
}

func rulesIn(template map[string]any) (rules templateRules) {
	spec := partOf(template, "spec")
	objects, _ := template["objects"].([]any)
	rules.parameters = [2]any{template["parameters"], spec["parameters"]}
	for _, o := range append(slices.Clip(objects), spec["virtualMachine"]) {
		object, _ := o.(map[string]any)
		vm := vmHeld(object)
		if vm == nil || partOf(vm, "metadata", "annotations")[vmrules.SkipAnnotation] != nil {
			continue
		}
		rule := ruleText{TextAt(vm, "metadata", "annotations", vmrules.Annotation), true}
		if strings.TrimSpace(rule.text) == "" {
			rule = ruleText{TextAt(template, "metadata", "annotations", vmrules.OldAnnotation), false}
		}
		if strings.TrimSpace(rule.text) != "" && !slices.Contains(rules.texts, rule) {
			rules.texts = append(rules.texts, rule)
		}
	}
	return rules
}

// withoutDefault returns a parameter in the rules for which the template has no value; "" if there
// is none.
func (rules templateRules) withoutDefault() string {
	hasDefault := map[string]bool{}
	for _, list := range rules.parameters {
		declared, _ := list.([]any)
		for _, item := range declared {
			p, _ := item.(map[string]any)
			hasDefault[TextAt(p, "name")] = TextAt(p, "value") != ""
		}
	}
	for _, rule := range rules.texts {
		for r := range form.References(rule.text) {
			if rule.isOnVM && !hasDefault[r.Name] {
				return r.Name
			}
		}
	}
	return ""
}
