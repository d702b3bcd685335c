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

// cases returns a test case for each object that has rules or findings, and for each document of
// rules.
func (l *linted) cases() []junitCase {
	var all []junitCase
	index := map[subject]int{}
	caseOf := func(s subject) *junitCase {
		if _, known := index[s]; !known {
			index[s] = len(all)
			all = append(all, junitCase{file: s.file, name: s.object})
		}
		return &all[index[s]]
	}
	for _, s := range l.subjects {
		caseOf(s)
	}
	for i, m := range l.remarks().all {
		caseOf(subject{m.file, l.Findings[i].Object}).add(m, l.Findings[i].fails)
	}
	return all
}
