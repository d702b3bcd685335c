package command

import (
	"strings"

	"github.com/vmrules/vmrules/lint"
)

// remarks returns the findings as remarks. Their topics are the checks of lint.
func (l *linted) remarks() remarks {
	r := remarks{unusable: l.Unusable}
	for _, c := range lint.Checks() {
		t := explanations().Checks[c.ID]
		var advice strings.Builder
		_ = forms.ExecuteTemplate(&advice, "advice", t) // which the tests do, too
		r.topics = append(r.topics, remarkTopic{c.ID, t.Meaning, aboutChecks + c.ID, c.Severity, advice.String()})
	}
	for _, f := range l.Findings {
		r.all = append(r.all, remark{f.File, place{f.Line, f.Column, f.EndLine, f.EndColumn}, f.Severity, f.ID, f.subject() + f.Message, nil})
		if f.fix != nil {
			r.all[len(r.all)-1].fixes = f.fix.replaced
		}
	}
	return r
}
