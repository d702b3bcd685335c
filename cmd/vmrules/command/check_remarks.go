package command

import (
	"cmp"
	"io"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// The topics of remarks that are not about one rule. The other topics are the names of rules.
var (
	unusableRules    = remarkTopic{"unusable-rules", "the rules of an object cannot be used", aboutCommand, lint.SeverityError, ""}
	noRules          = remarkTopic{"no-rules", "no rule judges an object", aboutCommand, lint.SeverityError, ""}
	notJudged        = remarkTopic{"not-judged", "an object is too large to be judged", aboutBounds, lint.SeverityError, ""}
	assumedTemplate  = remarkTopic{"assumed-template", "a VM is judged by a template that it does not name in full", aboutCommand, lint.SeverityInfo, ""}
	failedInSSP      = remarkTopic{"ssp", "a rule fails in KubeVirt's template validator", aboutCommand, lint.SeverityError, ""}
	missingParameter = remarkTopic{"missing-parameter", "a required parameter of a template has no value", aboutCommand, lint.SeverityInfo, ""}
)

const (
	aboutCommand = "https://pkg.go.dev/github.com/vmrules/vmrules/cmd/vmrules"
	aboutBounds  = "https://github.com/vmrules/vmrules/blob/main/docs/bounds.md"
	aboutChecks  = "https://github.com/vmrules/vmrules/blob/main/docs/checks.md#"
	aboutRules   = "https://pkg.go.dev/github.com/vmrules/vmrules#Rule"
)

// remarks returns what is wrong as remarks, at the places of the fields.
func (c *checker) remarks() remarks {
	r := remarks{topics: []remarkTopic{unusableRules, noRules, notJudged, assumedTemplate, failedInSSP, missingParameter}, unusable: c.unusable}
	known := map[string]bool{}
	for _, t := range r.topics {
		known[t.id] = true
	}
	for _, o := range c.checked {
		for _, m := range c.remarksOn(o) {
			if !known[m.ID] {
				r.topics = append(r.topics, remarkTopic{m.ID, "validation rule " + m.ID, aboutRules, lint.SeverityError, ""})
				known[m.ID] = true
			}
			r.all = append(r.all, m)
		}
	}
	return r
}

// remarksOn returns what is wrong with one object.
func (c *checker) remarksOn(o checked) []remark {
	locator := manifest.NewLocator(o.object)
	var all []remark
	addIn := func(file string, f lint.Finding) {
		f.ID, f.Message = short(f.ID), short(o.title)+": "+short(f.Message)
		all = append(all, remark{file, f, nil})
	}
	add := func(pointer string, severity lint.Severity, id, message string) {
		line, column := locator.Place(pointer)
		addIn(o.File, lint.Finding{Line: line, Column: column, Severity: severity, ID: id, Message: message})
	}
	for _, p := range o.placed {
		addIn(p.File, lint.Finding{Line: p.Line, Column: p.Column, Severity: unusableRules.severity, ID: unusableRules.id, Message: p.Message})
	}
	if o.Problem != "" && len(o.placed) < min(max(len(o.Problems), 1), maxProblems) {
		add("", unusableRules.severity, unusableRules.id, o.Problem)
	}
	for _, f := range o.mistakes {
		f.Severity = lint.SeverityInfo
		addIn(o.File, f)
	}
	for _, name := range o.missing {
		add("", missingParameter.severity, missingParameter.id, missingText(name))
	}
	if o.Note != "" {
		add("", assumedTemplate.severity, assumedTemplate.id, o.Note)
	}
	for _, g := range o.gaps {
		if text := oneLine(g.String()); c.strict {
			add("", noRules.severity, noRules.id, text+andStrict)
		} else if !g.IsError() {
			add("", g.Severity, noRules.id, text)
		}
	}
	for _, line := range sspLines(o.SSP) {
		severity := lint.SeverityWarning
		if o.SSP.Refuses() {
			severity = lint.SeverityError
		}
		add("", severity, failedInSSP.id, line)
	}
	if o.Report == nil {
		return all
	}
	for _, result := range o.Report.Results(loud...) {
		if judged.IsGap(result, o.gaps) {
			continue
		}
		id := cmp.Or(result.Rule, notJudged.id)
		for _, v := range result.Violations {
			add(v.Pointer, severityOf(result, v.Warning), id, v.Error())
		}
		if len(result.Violations) == 0 { // the rule is ignored, or its violations are left out
			add("", severityOf(result, false), id, strings.Join(strings.Fields(result.String()), " "))
		}
	}
	return all
}

// loud lists the outcomes that need attention.
var loud = []vmrules.Outcome{vmrules.Violated, vmrules.Undecided, vmrules.Warned, vmrules.Ignored}

func severityOf(r vmrules.Result, isWarning bool) lint.Severity {
	switch {
	case r.Outcome == vmrules.Ignored:
		return lint.SeverityInfo
	case r.Outcome == vmrules.Warned, isWarning:
		return lint.SeverityWarning
	}
	return lint.SeverityError
}

// writeCheckedJUnit writes a test case for each object.
func writeCheckedJUnit(w io.Writer, c *checker) error {
	var cases []junitCase
	for _, o := range c.checked {
		all := junitCase{file: o.File, name: short(o.title), problem: o.Problem}
		if o.class != judged.Valid && o.class != judged.Invalid {
			all.skipped = verdicts[o.class]
		}
		for _, m := range c.remarksOn(o) {
			if m.ID != unusableRules.id {
				all.add(m, m.Severity == lint.SeverityError || c.warningsAsErrors && m.Severity == lint.SeverityWarning)
			}
		}
		cases = append(cases, all)
	}
	return writeJUnit(w, cases, c.unusable)
}
