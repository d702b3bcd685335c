package check

import (
	"cmp"
	"io"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// The topics of remarks that are not about one rule. The other topics are the names of rules.
var (
	unusableRules    = output.Topic{ID: "unusable-rules", Meaning: "the rules of an object cannot be used", Help: output.AboutCommand, Severity: lint.SeverityError}
	noRules          = output.Topic{ID: "no-rules", Meaning: "no rule judges an object", Help: output.AboutCommand, Severity: lint.SeverityError}
	notJudged        = output.Topic{ID: "not-judged", Meaning: "an object is too large to be judged", Help: output.AboutBounds, Severity: lint.SeverityError}
	assumedTemplate  = output.Topic{ID: "assumed-template", Meaning: "a VM is judged by a template that it does not name in full", Help: output.AboutCommand, Severity: lint.SeverityInfo}
	failedInSSP      = output.Topic{ID: "ssp", Meaning: "a rule fails in KubeVirt's template validator", Help: output.AboutCommand, Severity: lint.SeverityError}
	missingParameter = output.Topic{ID: "missing-parameter", Meaning: "a required parameter of a template has no value", Help: output.AboutCommand, Severity: lint.SeverityInfo}
)

// remarks returns what is wrong as remarks, at the places of the fields.
func (c *checker) remarks() output.Remarks {
	r := output.Remarks{Topics: []output.Topic{unusableRules, noRules, notJudged, assumedTemplate, failedInSSP, missingParameter}, Unusable: c.unusable}
	known := map[string]bool{}
	for _, t := range r.Topics {
		known[t.ID] = true
	}
	for _, o := range c.checked {
		for _, m := range c.remarksOn(o) {
			if !known[m.ID] {
				r.Topics = append(r.Topics, output.Topic{ID: m.ID, Meaning: "validation rule " + m.ID, Help: output.AboutRules, Severity: lint.SeverityError})
				known[m.ID] = true
			}
			r.All = append(r.All, m)
		}
	}
	return r
}

// remarksOn returns what is wrong with one object.
func (c *checker) remarksOn(o checked) []output.Remark {
	locator := manifest.NewLocator(o.object)
	var all []output.Remark
	addIn := func(file string, f lint.Finding) {
		f.ID, f.Message = output.Short(f.ID), output.Short(o.Title)+": "+output.Short(f.Message)
		all = append(all, output.Remark{File: file, Finding: f})
	}
	add := func(pointer string, severity lint.Severity, id, message string) {
		line, column := locator.Place(pointer)
		addIn(o.File, lint.Finding{Line: line, Column: column, Severity: severity, ID: id, Message: message})
	}
	for _, p := range o.placed {
		addIn(p.File, lint.Finding{Line: p.Line, Column: p.Column, Severity: unusableRules.Severity, ID: unusableRules.ID, Message: p.Message})
	}
	if o.Problem != "" && len(o.placed) < min(max(len(o.Problems), 1), maxProblems) {
		add("", unusableRules.Severity, unusableRules.ID, o.Problem)
	}
	for _, f := range o.mistakes {
		f.Severity = lint.SeverityInfo
		addIn(o.File, f)
	}
	for _, name := range o.missing {
		add("", missingParameter.Severity, missingParameter.ID, linting.MissingText(name))
	}
	if o.Note != "" {
		add("", assumedTemplate.Severity, assumedTemplate.ID, o.Note)
	}
	for _, g := range o.gaps {
		if text := output.OneLine(g.String()); c.options.Strict {
			add("", noRules.Severity, noRules.ID, text+cli.AndStrict)
		} else if !g.IsError() {
			add("", g.Severity, noRules.ID, text)
		}
	}
	for _, line := range judging.SspLines(o.SSP) {
		severity := lint.SeverityWarning
		if o.SSP.Refuses() {
			severity = lint.SeverityError
		}
		add("", severity, failedInSSP.ID, line)
	}
	if o.Report == nil {
		return all
	}
	for _, result := range o.Report.Results(output.Loud...) {
		if judged.IsGap(result, o.gaps) {
			continue
		}
		id := cmp.Or(result.Rule, notJudged.ID)
		for _, v := range result.Violations {
			add(v.Pointer, severityOf(result, v.Warning), id, v.Error())
		}
		if len(result.Violations) == 0 { // the rule is ignored, or its violations are left out
			add("", severityOf(result, false), id, strings.Join(strings.Fields(result.String()), " "))
		}
	}
	return all
}

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
	var cases []output.JunitCase
	for _, o := range c.checked {
		all := output.JunitCase{File: o.File, Name: output.Short(o.Title), Problem: o.Problem}
		if o.class != judged.Valid && o.class != judged.Invalid {
			all.Skipped = output.Verdicts[o.class]
		}
		for _, m := range c.remarksOn(o) {
			if m.ID != unusableRules.ID {
				all.Add(m, m.Severity == lint.SeverityError || c.options.WarningsAsErrors && m.Severity == lint.SeverityWarning)
			}
		}
		cases = append(cases, all)
	}
	return output.JUnit(w, cases, c.unusable)
}
