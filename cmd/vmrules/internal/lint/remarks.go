package lint

import (
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/topic"
	"github.com/vmrules/vmrules/lint"
)

// remarks returns the findings as remarks. Their topics are the checks of lint.
func (run *run) remarks() output.Remarks {
	l := run.found
	r := output.Remarks{Unusable: l.Unusable}
	for _, c := range topic.Checks() {
		r.Topics = append(r.Topics, output.Topic{ID: c.Name, Meaning: c.Meaning, Help: output.AboutChecks + c.Name, Severity: c.Severity, Advice: c.Text("advice")})
	}
	for _, f := range l.Findings {
		m := output.Remark{File: f.File, Finding: lint.Finding{
			Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn, Severity: f.Severity, ID: f.ID, Message: f.Subject() + f.Message,
		}}
		if f.Fix != nil {
			m.Fixes = f.Fix.Replaced
		}
		r.All = append(r.All, m)
	}
	return r
}
