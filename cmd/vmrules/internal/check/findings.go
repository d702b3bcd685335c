package check

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/topic"
	"github.com/vmrules/vmrules/lint"
)

// The topics of findings that are not about one rule, which explain.yaml explains. Those that are about one have the
// outcome for ID, and the rule for topic.
var (
	unusableRules    = output.Topic{ID: "unusable-rules", Help: output.AboutCommand, Severity: lint.SeverityError}
	noRules          = output.Topic{ID: "no-rules", Help: output.AboutCommand, Severity: lint.SeverityError}
	noTemplate       = output.Topic{ID: "no-template", Help: output.AboutCommand, Severity: lint.SeverityError}
	notJudged        = output.Topic{ID: "not-judged", Help: output.AboutBounds, Severity: lint.SeverityError}
	assumedTemplate  = output.Topic{ID: "assumed-template", Help: output.AboutCommand, Severity: lint.SeverityNote}
	failedInSSP      = output.Topic{ID: "ssp", Help: output.AboutCommand, Severity: lint.SeverityError}
	missingParameter = output.Topic{ID: "missing-parameter", Help: output.AboutCommand, Severity: lint.SeverityNote}
)

func (c *checker) all() output.Findings {
	topics := topic.ForFindings(unusableRules, noRules, noTemplate, notJudged, assumedTemplate, failedInSSP, missingParameter)
	known := map[string]bool{}
	for _, t := range topics {
		known[t.ID] = true
	}
	found := c.found.Findings
	for _, f := range found {
		if id := f.Topic(); !known[id] {
			topics = append(topics, output.Topic{ID: id, Meaning: "validation rule " + id, Help: output.AboutRules, Severity: lint.SeverityError})
			known[id] = true
		}
	}
	return output.Findings{All: found, Topics: topics, Unusable: c.found.Unusable}
}

// findings returns what is wrong with an object, at its fields, unless lint has found why a rule is ignored.
func (c *checker) findings(o manifest.Object, result checked) (all []lint.Finding) {
	locator := manifest.NewLocator(o)
	add := func(pointer string, f lint.Finding) {
		f.Line, f.Column, _ = locator.Place(pointer)
		all = append(all, f)
	}
	about := func(t output.Topic, severity lint.Severity, message string) {
		add("", lint.Finding{Severity: severity, ID: t.ID, Index: -1, Message: message})
	}
	for _, name := range c.missing(o, result) {
		about(missingParameter, missingParameter.Severity, linting.MissingText(name))
	}
	if result.Note != "" {
		about(assumedTemplate, assumedTemplate.Severity, result.Note)
	}
	for _, g := range result.gaps {
		of := noRules
		if !g.LacksRules() {
			of = noTemplate
		}
		switch text := output.OneLine(g.String()); {
		case g.Rules > 0, g.IsError(), result.isUnusable(): // which other findings say
		case c.options.Strict && !c.options.Allows(g):
			about(of, lint.SeverityError, text+cli.AndStrict)
		case c.options.Allows(g):
			about(of, lint.SeverityNote, text)
		default:
			about(of, g.Severity(), text)
		}
	}
	isAccepted := o.IsTemplate() && c.options.Rules == nil && c.HasOwnValues(o)
	for _, line := range result.SSP.Lines() {
		severity := lint.SeverityNote
		switch {
		case line.Refuses:
			severity = lint.SeverityError
		case !isAccepted || result.SSP.NoRules:
			severity = lint.SeverityWarning
		case !c.options.Verbose:
			continue
		}
		about(failedInSSP, severity, output.OneLine(output.Short(line.Text)))
	}
	linted := c.found.Findings[result.first:]
	for _, r := range result.Report.Results(output.Loud...) {
		isAbout := func(f output.Finding) bool { return f.Index == r.Index }
		switch {
		case judged.IsGap(r, result.gaps), r.Outcome == vmrules.OutcomeIgnored && slices.ContainsFunc(linted, isAbout),
			r.Outcome == vmrules.OutcomeWarned && isAccepted && !c.options.Verbose:
			continue
		}
		f := lint.Finding{ID: strings.ToLower(string(r.Outcome)), Rule: r.Rule, Index: r.Index}
		if r.Rule == "" {
			f.ID = notJudged.ID
		}
		for i, v := range r.Violations {
			f.Severity, f.Message = c.severityOf(r, v.Warned, isAccepted), v.Error()
			if i == len(r.Violations)-1 && r.Note != "" { // what could not be decided
				f.Message += "; " + output.OneLine(r.Note)
			}
			if other, isElsewhere := strings.CutSuffix(v.Pointer, "/memory/guest"); isElsewhere && v.Reason == vmrules.ReasonRequired {
				other += "/resources/requests/memory"
				if _, _, isThere := locator.Place(other); isThere {
					v.Pointer, f.Message = other, f.Message+"; the memory is set here instead"
				}
			}
			add(v.Pointer, f)
		}
		if len(r.Violations) == 0 { // the rule is ignored, or its violations are left out
			_, said, _ := strings.Cut(strings.Join(strings.Fields(r.String()), " "), ": ")
			f.Severity, f.Message = c.severityOf(r, false, isAccepted), said
			add("", f)
		}
	}
	return all
}

// severityOf returns how severe a result is. An author of a template has accepted what its own VM breaks.
func (c *checker) severityOf(r vmrules.Result, isWarning, isAccepted bool) lint.Severity {
	allowed := map[vmrules.Outcome]judging.Cause{
		vmrules.OutcomeIgnored: judging.CauseIgnored, vmrules.OutcomeUndecided: judging.CauseUndecided,
	}[r.Outcome]
	switch {
	case r.Outcome == vmrules.OutcomeUndecided && !isWarning:
		return lint.SeverityError
	case r.Outcome == vmrules.OutcomeWarned && isAccepted, slices.Contains(c.options.AllowUnjudged, allowed):
		return lint.SeverityNote
	case r.Outcome == vmrules.OutcomeIgnored, r.Outcome == vmrules.OutcomeWarned, isWarning:
		return lint.SeverityWarning
	}
	return lint.SeverityError
}

// missing returns the parameters whose lack keeps rules undecided, if no earlier object has them.
func (c *checker) missing(o manifest.Object, result checked) []string {
	var text strings.Builder // of what is not decided
	for _, r := range result.Report.Results(vmrules.OutcomeUndecided) {
		for _, v := range r.Violations {
			text.WriteString(v.Detail)
		}
	}
	if result.isUnusable() {
		for _, a := range o.Annotations() {
			text.WriteString(a.Text())
		}
	}
	isSaid := func(name string) bool { return c.said[name] }
	all := slices.DeleteFunc(linting.MissingIn(text.String(), result.Missing), isSaid)
	for _, name := range all {
		c.said[name] = true
	}
	return all
}
