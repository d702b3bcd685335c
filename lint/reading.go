package lint

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/meter"
)

// workPart divides the Budget's Time: all checks together may do this fraction of it. They may
// keep as much memory as the Budget says.
const workPart = 2

func newLinter(text string, opts []vmrules.ParseOption) *linter {
	limits, isWhole, others := inside.Vmrules.Options(opts)
	l := &linter{text: text, opts: opts, isWhole: isWhole, findings: []Finding{}, unknownKinds: map[int]bool{}}
	l.takeOptions(others)
	whole := meter.OrDefault(limits.Time, limits.Memory)
	work, kept := whole.Left()
	l.budget = meter.Budget{Meter: meter.New(max(work/workPart, 1), kept)} // 0 would mean the default
	return l
}

// read reports the problems of the annotation, including those that it has only under
// Strict. It returns the rules that have no problem without Strict.
func (l *linter) read() []*rule {
	ends := map[int]int{}
	rules, problems, strict := inside.Vmrules.Read(l.text, l.opts, &l.budget, ends)
	for _, p := range problems {
		l.problem(p, ends[p.Offset], SeverityError, true)
	}
	for _, p := range strict {
		l.problem(p, ends[p.Offset], l.severityOf(p.Code), l.isUnusable(p.Code))
	}
	all := make([]*rule, 0, len(rules))
	for _, r := range rules {
		all = append(all, &rule{Rule: r.Rule, index: r.Index, node: r.Node, literal: r.Literal})
	}
	return all
}

func (l *linter) problem(p vmrules.Problem, end int, s Severity, isRefused bool) {
	if p.Code == "unknown-kind" || p.Code == "misspelt-kind" {
		l.unknownKinds[p.Index] = true
	}
	l.findings = append(l.findings, Finding{
		Severity: s, ID: p.Code, Rule: p.Rule, Index: p.Index, Key: p.Key,
		Offset: p.Offset, End: end, Message: p.Message, Suggestion: p.Suggestion, Refuses: isRefused,
	})
}
