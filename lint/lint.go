package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
)

// A Severity says how serious a Finding is.
type Severity string

const (
	// SeverityError means that ParseRules refuses the annotation, that nobody reads it, that every
	// VM fails the rule, that the program of For cannot use the rule, or that the rule is a mistake beyond
	// doubt.
	SeverityError Severity = "error"
	// SeverityWarning means that a rule probably does not do what its author meant, or does
	// something else in the program of For.
	SeverityWarning Severity = "warning"
	// SeverityNote means that something is worth a look, but may be intended.
	SeverityNote Severity = "note"
)

// A Finding is one mistake, or probable mistake, that Annotation found.
type Finding struct {
	Severity Severity `json:"severity"`
	// ID is the ID of the Check.
	ID string `json:"id"`
	// Rule is the name of the rule. It is "" if the rule has no name, or if the finding
	// is not about a single rule.
	Rule string `json:"rule,omitempty"`
	// Index is the index of the rule in the array, from 0. It is -1 if the finding is
	// about the whole annotation.
	Index int `json:"index"`
	// Key is the key inside the rule, or that of ObjectKind. It is "" if the finding is about the whole
	// rule.
	Key string `json:"key,omitempty"`
	// Offset counts bytes from 0. Line and Column count from 1; a column is one code
	// point.
	Offset int `json:"offset"`
	Line   int `json:"line"`
	Column int `json:"column"`
	// End, EndLine and EndColumn are the place behind the last character.
	End       int `json:"end"`
	EndLine   int `json:"endLine"`
	EndColumn int `json:"endColumn"`
	// Message says what is wrong and what would be right.
	Message string `json:"message"`
	// Suggestion is the key or value to write instead of the whole string that holds Offset,
	// without quotes and escapes: a step inside a path is only part of that. It is "" if there
	// is none.
	Suggestion string `json:"suggestion,omitempty"`
	// Refuses reports whether ParseRules refuses the annotation, every VM fails, or the program of For
	// cannot use the rule. Despite any other error, VMs are validated.
	Refuses bool `json:"-"`
}

// String returns the finding in one line.
func (f Finding) String() string {
	p := vmrules.Problem{Rule: f.Rule, Index: f.Index, Key: f.Key, Line: f.Line, Column: f.Column, Message: f.Message}
	return fmt.Sprintf("%s: %s (%s)", f.Severity, p.Error(), f.ID)
}

// Replaced returns the part of the annotation, in bytes, that the finding replaces, and the JSON to
// write instead: a Suggestion in quotes or, for the program of For, a bound or value in the form that
// it reads. The JSON is "" if there is nothing to write.
func (f Finding) Replaced(annotation string) (start, end int, with string) {
	start, end = jsontext.TokenAround(annotation, f.Offset)
	switch {
	case f.Suggestion != "":
		text, _ := jsontext.Marshal(f.Suggestion) // a string
		with = string(text)
	case f.ID == "ssp-bound":
		with = wholeNumber(strings.Trim(annotation[start:end], `"`))
	case f.ID == "ssp-values":
		with = sspValue(annotation[start:end])
	}
	return start, end, with
}

// Annotation finds mistakes in the text of an annotation, and what is probably a mistake,
// without any VM. It takes the options of ParseRules, For and KubeVirt.
//
// All problems that ParseRules returns with the same options are findings of SeverityError. If
// there is no finding of that severity, ParseRules accepts the annotation. All rules are
// checked for unknown keys and kinds. The other checks skip rules that have a problem.
//
// Findings are sorted by Offset, then by ID. Without findings, the list is empty and not
// nil. The findings depend only on the text and the options.
//
// The Budget limits the work of reading the text, as in ParseRules. All checks together may do
// half of that work again. If that is not enough, part of the annotation is not checked, and a
// finding says so.
func Annotation(text string, opts ...vmrules.ParseOption) []Finding {
	l := newLinter(text, opts)
	rules := l.read(opts)
	for _, r := range rules {
		l.rule(r)
	}
	l.together(rules)
	return l.sorted()
}

// A linter collects the findings about one annotation.
type linter struct {
	text     string
	profile  Profile
	newer    []string // versions of KubeVirt than that of the option
	isWhole  bool     // paths start at objects of any kind, whose fields are not known
	findings []Finding

	unknownKinds map[int]bool // the indexes of rules whose kind nobody knows

	budget meter.Budget // for the checks; it has no time limit, so that findings do not depend on a clock
}

// workPart divides the Budget's Time: all checks together may do this fraction of it. They may
// keep as much memory as the Budget says.
const workPart = 2

func newLinter(text string, opts []vmrules.ParseOption) *linter {
	whole, isWhole, others := inside.Vmrules.Options(opts)
	l := &linter{text: text, isWhole: isWhole, findings: []Finding{}, unknownKinds: map[int]bool{}}
	l.takeOptions(others)
	work, kept := whole.Left()
	l.budget = meter.Budget{Meter: meter.New(max(work/workPart, 1), kept)} // 0 would mean the default
	return l
}

// read reports the problems of the annotation, including those that it has only under
// Strict. It returns the rules that have no problem without Strict.
func (l *linter) read(opts []vmrules.ParseOption) []*rule {
	ends := map[int]int{}
	rules, problems, strict := inside.Vmrules.Read(l.text, opts, &l.budget, ends)
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

// A finding costs this much, in units of work and in bytes.
const (
	findingWork = 2000
	findingSize = 350
)

// add adds a finding about the value of a key. The caller may change it. Unless it sets End, the
// finding ends where the value or key at its Offset ends.
func (l *linter) add(r *rule, key, id, format string, args ...any) *Finding {
	at := r.at(key)
	f := Finding{
		Severity: l.severityOf(id), ID: id, Rule: r.Name, Index: r.index, Key: at.Key,
		Offset: at.Value.Start, Message: fmt.Sprintf(format, args...), Refuses: l.isUnusable(id),
	}
	if l.budget.Spend(findingWork, findingSize+len(r.Name)) != nil {
		return &f // sorted then says that findings are missing
	}
	l.findings = append(l.findings, f)
	return &l.findings[len(l.findings)-1]
}

// follow gives the finding the severity of what follows from it for VMs.
func (f *Finding) follow(s Severity) { f.Severity, f.Refuses = s, s == SeverityError }

// sorted returns the findings in order, each with its lines and columns.
func (l *linter) sorted() []Finding {
	if err := l.budget.Err(); err != nil {
		l.findings = append(l.findings, unplaced("not-checked", "the annotation is checked only in part: %v", err))
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), strings.Compare(a.ID, b.ID))
	})
	c := jsontext.NewCursor(l.text)
	for i := range l.findings {
		f := &l.findings[i]
		f.Line, f.Column = c.MoveTo(f.Offset)
		if f.End == 0 {
			f.End = jsontext.EndOf(l.text, f.Offset)
		}
		end := c
		f.EndLine, f.EndColumn = end.MoveTo(f.End)
	}
	return l.findings
}
