// Package unjudged says what no rule judged. That is neither valid nor invalid.
package unjudged

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
)

// Own judges the VMs in an object by their own rules. The error has what is wrong with annotations
// that cannot be used, and whose they are; the report is about the other VMs.
func Own(object map[string]any, opts ...vmrules.ValidateOption) (*vmrules.Report, error) {
	report := vmrules.ValidateOwn(object, opts...)
	var problems []vmrules.Problem
	unread := map[string]bool{}
	for _, t := range report.Targets() {
		for _, p := range t.Problems {
			at := t.Name
			if p.Source == "template" {
				at = strings.TrimRight(at[:max(0, strings.LastIndex(at, "objects["))], ".")
			}
			p.Source = strings.TrimSpace(p.Source + " " + at)
			problems = append(problems, p)
			unread[t.Name] = true
		}
	}
	if problems == nil {
		return report, nil
	}
	read := slices.DeleteFunc(report.Results(), func(r vmrules.Result) bool { return unread[r.Target] })
	return vmrules.NewReport(read), &vmrules.ParseError{Problems: problems}
}

// NoRules is what Why returns for an object that has no rules.
const NoRules = "no rules"

// Why says why no rule judged any value of an object; "" if one did, or should have.
func Why(r *vmrules.Report) string {
	if !r.Valid() {
		return ""
	}
	why := NoRules
	for _, result := range r.Results() {
		switch result.Outcome {
		case vmrules.Satisfied, vmrules.Warned:
			return ""
		case vmrules.Undecided: // it only warns
			return "none of its rules can be judged"
		default:
			why = "none of its rules applies"
		}
	}
	return why
}

// probe has one result for each VM in an object.
var probe, _ = vmrules.ParseRules(`[{"name": "probe", "rule": "string", "path": "jsonpath::.spec", "message": "probe"}]`)

// VMs returns where a template has VMs that no rule is about, if it has others.
func VMs(template map[string]any, r *vmrules.Report) []string {
	hasRules := map[string]bool{}
	for _, result := range r.Results() {
		hasRules[result.Target] = true
	}
	if len(hasRules) == 0 {
		return nil
	}
	var without []string
	for _, vm := range vmrules.Validate(probe, template).Results() {
		if !hasRules[vm.Target] {
			without = append(without, vm.Target)
		}
	}
	return without
}
