package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/pcre"
)

// A Severity says how much a Finding matters.
type Severity string

const (
	// SeverityError: ParseRules refuses the annotation for it.
	SeverityError Severity = "error"
	// SeverityWarning: a rule most likely does not do what it is meant to do.
	SeverityWarning Severity = "warning"
	// SeverityInfo: worth a look, and may be on purpose.
	SeverityInfo Severity = "info"
)

// A Finding is one thing that Annotation found.
type Finding struct {
	Severity Severity `json:"severity"`
	// ID is that of the Check.
	ID string `json:"id"`
	// Rule is the name of the rule, "" where it has none or none is meant.
	Rule string `json:"rule,omitempty"`
	// Index is the place of the rule in the array, from 0; -1 where the
	// finding is about the whole annotation.
	Index int `json:"index"`
	// Key is the key inside the rule, "" where the whole rule is meant.
	Key string `json:"key,omitempty"`
	// Offset counts bytes from 0; Line and Column count from 1, columns in
	// code points.
	Offset int `json:"offset"`
	Line   int `json:"line"`
	Column int `json:"column"`
	// Message says what is wrong and what would be right.
	Message string `json:"message"`
	// Suggestion, if there is one, is what to write in place of the string
	// that stands at Offset: a key or a value, without quotes and escapes.
	Suggestion string `json:"suggestion,omitempty"`
}

// String returns the finding in one line.
func (f Finding) String() string {
	p := vmrules.Problem{Rule: f.Rule, Index: f.Index, Key: f.Key, Line: f.Line, Column: f.Column, Message: f.Message}
	return fmt.Sprintf("%s: %s (%s)", f.Severity, p.Error(), f.ID)
}

// Annotation looks for what is wrong with the text of an annotation and for what is
// probably not meant, without any VM. The options are those of ParseRules.
//
// The findings of SeverityError are the problems of ParseRules with the same options,
// one for one: without any, ParseRules accepts the annotation. The other checks are for
// rules that have no problem, except that keys and kinds are looked at in all rules.
// Findings are sorted by Offset, then ID; for an annotation without any the list is
// empty and not nil. They depend on nothing but the text and the options.
//
// The text is read with the Budget, as ParseRules reads it. To read it again, at most
// twice, and to look for the rest, Annotation may do half as much work each time. What
// that does not suffice for is not checked, and a finding says so.
func Annotation(text string, opts ...vmrules.ParseOption) []Finding {
	l := newLinter(text, opts)
	rules := l.read()
	for _, r := range rules {
		l.rule(r)
	}
	l.together(rules)
	return l.sorted()
}

// A linter collects the findings about one annotation.
type linter struct {
	text     string
	opts     []vmrules.ParseOption
	limits   vmrules.Budget
	findings []Finding

	budget   pcre.Budget  // of the checks; without time: no finding depends on a clock
	cutShort error        // why a reading after the caller's own was; nil if none was
	flaws    map[int]bool // the offsets of what is wrong with the text inside rules
}

// What a finding costs, in units of work and in bytes.
const (
	findingWork = 2000
	findingSize = 350
)

// add adds a finding about the value of a key; the caller may add to it.
func (l *linter) add(r *rule, key, id, format string, args ...any) *Finding {
	key, at := r.at(key)
	f := Finding{
		Severity: severities[id], ID: id, Rule: r.Name, Index: r.index, Key: key,
		Offset: at.Start, Message: fmt.Sprintf(format, args...),
	}
	if l.budget.Spend(findingWork, findingSize+len(r.Name)) != nil {
		return &f // sorted then says that findings are missing
	}
	l.findings = append(l.findings, f)
	return &l.findings[len(l.findings)-1]
}

// sorted returns the findings in order, each with its line and column.
func (l *linter) sorted() []Finding {
	if err := cmp.Or(l.cutShort, l.budget.Err()); err != nil {
		l.findings = append(l.findings, Finding{
			Severity: severities[notChecked], ID: notChecked, Index: -1,
			Message: fmt.Sprintf("not all of the annotation is checked, since it asks for too much: %v", err),
		})
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), strings.Compare(a.ID, b.ID))
	})
	c := jsontext.NewCursor(l.text)
	for i, f := range l.findings {
		l.findings[i].Line, l.findings[i].Column = c.MoveTo(f.Offset)
	}
	return l.findings
}
