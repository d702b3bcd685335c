package command

import "github.com/vmrules/vmrules/lint"

// remarks returns the findings as remarks. Their topics are the checks of lint.
func (l *linted) remarks() remarks {
	r := remarks{unusable: l.Unusable}
	for _, c := range lint.Checks() {
		r.topics = append(r.topics, remarkTopic{c.ID, c.Meaning, helpOf(c.Severity), c.Severity})
	}
	for _, f := range l.Findings {
		r.all = append(r.all, remark{f.File, f.Line, f.Column, f.Severity, f.ID, f.subject() + f.Message})
	}
	return r
}

// helpOf returns where the checks of a severity are documented.
func helpOf(s lint.Severity) string {
	section := map[lint.Severity]string{
		lint.SeverityError: "Errors", lint.SeverityWarning: "Warnings", lint.SeverityInfo: "Infos",
	}[s]
	return "https://pkg.go.dev/github.com/vmrules/vmrules/lint#hdr-" + section
}

// cases returns a test case for each object that has rules, and for each document of rules.
func (l *linted) cases(fails func(lint.Severity) bool) []junitCase {
	var all []junitCase
	index := map[subject]int{}
	for _, s := range l.subjects {
		if _, known := index[s]; !known {
			index[s] = len(all)
			all = append(all, junitCase{file: s.file, name: s.object})
		}
	}
	for i, m := range l.remarks().all {
		all[index[subject{m.file, l.Findings[i].Object}]].add(m, fails(m.severity))
	}
	return all
}
