package command

import (
	"strings"

	"github.com/vmrules/vmrules/lint"
)

// remarks returns the findings as remarks. Their topics are the checks of lint.
func (l *linted) remarks() remarks {
	r := remarks{unusable: l.Unusable}
	for _, c := range lint.Checks() {
		r.topics = append(r.topics, remarkTopic{c.ID, c.Meaning, helpOf(c), c.Severity})
	}
	for _, f := range l.Findings {
		r.all = append(r.all, remark{f.File, place{f.Line, f.Column, f.EndLine, f.EndColumn}, f.Severity, f.ID, f.subject() + f.Message})
	}
	return r
}

// helpOf returns where a check is documented.
func helpOf(c lint.Check) string {
	section := map[lint.Severity]string{
		lint.SeverityError: "Errors", lint.SeverityWarning: "Warnings", lint.SeverityInfo: "Infos",
	}[c.Severity]
	switch {
	case strings.HasPrefix(c.ID, "ssp-"):
		section = "For_KubeVirt_s_template_validator"
	case c.ID == "misspelt-annotation", c.ID == "misplaced-annotation", c.ID == "undeclared-parameter", c.ID == "useless-suppression":
		section = "Objects"
	}
	return "https://pkg.go.dev/github.com/vmrules/vmrules/lint#hdr-" + section
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
