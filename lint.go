package vmrules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsontext"
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

// A Check is one of the things that Lint looks for.
type Check struct {
	ID       string   `json:"id"`       // stable, in kebab case
	Severity Severity `json:"severity"` // of its findings, as a rule
	Meaning  string   `json:"meaning"`
}

// Checks lists what Lint looks for: first what ParseRules refuses, then the rest.
func Checks() []Check { return slices.Clone(checks) }

// checks are all there are; each ID stands once more where it is found.
var checks = []Check{
	{"unreadable", SeverityError, "the text is not JSON or not UTF-8, is nested too deep, or has too many rules"},
	{"unknown-version", SeverityError, "WithVersion names a version that does not exist"},
	{"missing-key", SeverityError, "a mandatory key is absent or empty"},
	{"wrong-type", SeverityError, "a value has the wrong type"},
	{"duplicate", SeverityError, "a rule's name, or a key of one object, is there twice"},
	{"too-long", SeverityError, "the annotation or a regex is longer than it may be"},
	{"invalid-path", SeverityError, "path or valid is not a JSONPath that all readers understand alike"},
	{"invalid-regex", SeverityError, "the regex cannot be used"},
	{"invalid-argument", SeverityError, "another argument cannot be used"},

	{"misspelt-key", SeverityWarning, "a key is not known and so ignored, but nearly one that is known; an error under Strict"},
	{"unknown-key", SeverityWarning, "a key is not known and so ignored; an error under Strict"},
	{"misspelt-kind", SeverityWarning, "the kind is not known, so the rule is ignored, but nearly one that is known; an error under Strict"},
	{"unknown-kind", SeverityWarning, "the kind is not known, so the rule is ignored; an error under Strict"},
	{"no-arguments", SeverityWarning, "the rule enforces its type alone, or nothing; an error under Strict"},
	{"foreign-argument", SeverityWarning, "other consumers ignore this argument, since they read only those of the rule's kind"},

	{"unsatisfiable-range", SeverityWarning, "min is more than max, or minLength more than maxLength"},
	{"empty-values", SeverityWarning, "values is empty, so that nothing is allowed"},
	{"unsatisfiable-values", SeverityWarning, "the rule's kind and other arguments allow none of its values"},
	{"impossible-value", SeverityWarning, "the rule's kind and other arguments do not allow one of its values"},
	{"duplicate-value", SeverityWarning, "values holds the same value twice"},
	{"contradicting-rules", SeverityWarning, "two rules that apply together leave no value that satisfies both"},
	{"default-violates-rule", SeverityWarning, "a VM that does not set the field is rejected, since its default breaks the rule; an info where the VM does get that default, as 1 core"},

	{"path-from-vm", SeverityWarning, "a path begins at the VM or template, and not at the VM's spec.template"},
	{"misspelt-field", SeverityWarning, "no VM has this field, but one that is nearly the same"},
	{"misplaced-field", SeverityWarning, "no VM has this field there, but one step further down"},
	{"unknown-field", SeverityInfo, "no VM is known to have this field"},
	{"missing-wildcard", SeverityWarning, "a name steps into an array, which selects nothing without [*]"},
	{"not-an-array", SeverityWarning, "an index, slice, filter or [*] steps into what is no array, which selects nothing"},
	{"not-a-scalar", SeverityWarning, "a path ends at an array or object, where a string, number or boolean is needed"},
	{"valid-always-there", SeverityInfo, "valid names a field that is always there if its parent is"},

	{"slow-regex", SeverityWarning, "the regex may backtrack without end on some values, which leaves the rule Undecided"},
	{"half-anchored-regex", SeverityWarning, "^ holds for the first alternative only, and $ for the last"},
	{"unanchored-regex", SeverityInfo, "the regex also matches inside of a longer value"},
	{"message-is-name", SeverityInfo, "the message says no more than the rule's name"},
	{"not-checked", SeverityWarning, "the annotation asks for more work than the Budget allows, so that not all of it is checked"},
}

var severities = func() map[string]Severity {
	all := map[string]Severity{}
	for _, c := range checks {
		all[c.ID] = c.Severity
	}
	return all
}()

// A Finding is one thing that Lint found in an annotation.
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

// String is the finding in one line.
func (f Finding) String() string {
	p := Problem{Rule: f.Rule, Index: f.Index, Key: f.Key, Line: f.Line, Column: f.Column, Message: f.Message}
	return fmt.Sprintf("%s: %s (%s)", f.Severity, p.Error(), f.ID)
}

// Lint looks for what is wrong with an annotation and for what is probably not
// meant, without any VM. It is for those who write rules.
//
// The findings of SeverityError are the problems of ParseRules with the same
// options, one for one, as long as the Budget suffices: without any, ParseRules
// accepts the annotation. The other checks are for rules that have no problem,
// except that keys and kinds are looked at in all rules. Findings are sorted by Offset, then ID; for an annotation
// without any the list is empty and not nil. They depend on nothing but the
// annotation and the options.
//
// Only literal arguments are compared, not those that are JSONPaths. Rules are
// compared with each other if they have the same path and the same valid; a valid
// that is the path, or leads to it, counts as none there, and rules that say
// justWarning are left out. A path is held against the fields of VMs that this
// package knows; a KubeVirt that is newer may have more, so that a field that is
// like none of them is SeverityInfo.
func Lint(annotation string, opts ...ParseOption) []Finding {
	o := parseOptionsOf(opts)
	l := linter{
		options: o, findings: []Finding{}, hopeless: map[int]bool{},
		budget: o.budget,
	}
	o.strict = true // what only Strict minds is a warning without it
	rules, nodes, problems := readRules(annotation, o)
	broken := l.problems(problems, rules)
	var whole []linted
	for i := range rules {
		if !broken[i] {
			whole = append(whole, linted{&rules[i], i, nodes[i]})
		}
	}
	for _, r := range whole {
		l.rule(r)
	}
	l.together(whole)
	return l.sorted(annotation)
}

// notChecked is the ID of what the budget did not suffice for.
const notChecked = "not-checked"

// A linter collects the findings about one annotation.
type linter struct {
	options  parseOptions
	findings []Finding
	budget   *budget      // without time: no finding depends on a clock
	hopeless map[int]bool // the rules that no value satisfies
}

// A linted rule is one without problems, with where it stands.
type linted struct {
	*rule
	index int
	node  jsontext.Node
}

// at is where the value of a key stands, and what the rule calls that key.
func (r linted) at(key string) (string, jsontext.Node) {
	n, ok := r.node.Member(key)
	if a := constraint.Named(key); !ok && a != nil && a.OldName != "" {
		key = a.OldName
		n, _ = r.node.Member(key)
	}
	return key, n
}

// add adds a finding about the value of a key; the caller may add to it.
func (l *linter) add(r linted, key, id, format string, args ...any) *Finding {
	key, at := r.at(key)
	f := Finding{
		Severity: severities[id], ID: id, Rule: r.Name, Index: r.index, Key: key,
		Offset: at.Start, Message: fmt.Sprintf(format, args...),
	}
	if l.budget.Spend(problemWork, problemSize+len(r.Name)) != nil {
		return &f // sorted then says that findings are missing
	}
	l.findings = append(l.findings, f)
	return &l.findings[len(l.findings)-1]
}

func (l *linter) sorted(annotation string) []Finding {
	if err := l.budget.Err(); err != nil {
		l.findings = append(l.findings, Finding{
			Severity: severities[notChecked], ID: notChecked, Index: -1,
			Message: fmt.Sprintf("not all of the annotation is checked, since it asks for too much: %v", err),
		})
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), strings.Compare(a.ID, b.ID))
	})
	c := jsontext.NewCursor(annotation)
	for i, f := range l.findings {
		l.findings[i].Line, l.findings[i].Column = c.MoveTo(f.Offset)
	}
	return l.findings
}

// problems makes findings of problems, and tells which rules cannot be used.
func (l *linter) problems(problems []Problem, rules []rule) (broken map[int]bool) {
	broken = map[int]bool{}
	for _, p := range problems {
		f := Finding{
			Severity: SeverityError, ID: l.problemID(p, rules), Rule: p.Rule, Index: p.Index, Key: p.Key,
			Offset: p.Offset, Message: p.Message, Suggestion: p.Suggestion,
		}
		if onlyStrict(p) {
			f.ID = strictID(p)
			if !l.options.strict {
				f.Severity = severities[f.ID]
			}
		} else {
			broken[p.Index] = true
		}
		l.findings = append(l.findings, f)
	}
	return broken
}

// onlyStrict tells whether a problem is none without Strict.
func onlyStrict(p Problem) bool {
	return p.Index >= 0 && (p.Reason == ReasonNotSupported || p.Reason == ReasonRequired && p.Key == "")
}

func (l *linter) problemID(p Problem, rules []rule) string {
	switch p.Reason {
	case ReasonRequired:
		return "missing-key"
	case ReasonTypeInvalid:
		return "wrong-type"
	case ReasonDuplicate:
		return "duplicate"
	case ReasonTooLong:
		return "too-long"
	case ReasonNotSupported:
		return "unknown-version"
	}
	switch p.Key {
	case keyPath, keyValid:
		return "invalid-path"
	case constraint.Regex:
		return "invalid-regex"
	}
	if constraint.Named(p.Key) != nil || renamed(p.Key) != "" {
		return "invalid-argument"
	}
	if p.Index >= 0 && slices.Contains(rules[p.Index].own, p.Key) {
		return "invalid-argument"
	}
	return "unreadable"
}

// strictID is the ID of a problem that only Strict minds.
func strictID(p Problem) string {
	isMeant := p.Suggestion != ""
	switch {
	case p.Reason == ReasonRequired:
		return "no-arguments"
	case p.Key == keyRule && isMeant:
		return "misspelt-kind"
	case p.Key == keyRule:
		return "unknown-kind"
	case isMeant:
		return "misspelt-key"
	}
	return "unknown-key"
}
