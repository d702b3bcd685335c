package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/lint"
)

// A fix is a change after which a finding is gone, and no error is new.
type fix struct {
	manifest.Change
	of     *fixable // nil for a key
	edits  []manifest.Edit
	isSafe bool // every VM gets the verdict that it gets without the fix, or the rules are refused without it

	findings int // that it fixes
	replaced []lint.Finding
}

// maxFixed is the number of bytes that may be linted, or read, to try fixes for a file.
const maxFixed = 64 << 20

// A fixable is rules whose findings may be fixed.
type fixable struct {
	text    string
	isSSP   bool
	reading []vmrules.ParseOption
	lint    func(text string) []lint.Finding
	change  func([]manifest.Edit) (manifest.Change, bool)
	room    *int // bytes that may still be linted

	known []lint.Finding // about the text
	rules vmrules.Rules
	err   error // about the rules
}

// newFixable returns rules that may be fixed, with the options for reading them.
func (l *linter) newFixable(text string, reading []vmrules.ParseOption, change func([]manifest.Edit) (manifest.Change, bool)) *fixable {
	linting := append(l.options(), reading...)
	return &fixable{
		text: text, isSSP: l.now.profile.value() == lint.SSP, reading: append(l.build.options(), reading...), change: change, room: &l.room,
		lint: func(text string) []lint.Finding { return lint.Annotation(text, linting...) },
	}
}

// fixOf returns the fix of a finding; nil if there is none.
func (l *linter) fixOf(file *manifest.File, f lint.Finding) *fix {
	t := l.fixable
	switch {
	case !l.wantsFixes || l.room <= 0:
	case f.ID == "misspelt-annotation":
		change := file.ChangeKey(f)
		l.room -= file.Size()
		if changed, ok := file.With([]manifest.Change{change}); ok && len(mistakesIn(changed)) < len(mistakesIn(file)) {
			return l.inFile(file, &fix{Change: change, findings: 1})
		}
	case t != nil:
		edits := t.editsFor(f)
		change, ok := t.change(edits)
		if isSafe, fits := t.tries(edits, f); ok && fits {
			return l.inFile(file, &fix{Change: change, of: t, edits: edits, isSafe: isSafe, findings: 1})
		}
	}
	return nil
}

// mistakesIn returns what is wrong outside of rules.
func mistakesIn(file *manifest.File) []lint.Finding {
	var all []lint.Finding
	for _, o := range file.Objects() {
		all = append(all, o.Mistakes()...)
	}
	return all
}

// inFile returns the fix, with what SARIF says of it; nil if the file cannot have it alone. A round,
// which tries many fixes together, finds that out by itself.
func (l *linter) inFile(file *manifest.File, f *fix) *fix {
	if l.output.name != "sarif" {
		return f
	}
	l.room -= file.Size()
	if _, ok := file.With([]manifest.Change{f.Change}); !ok {
		return nil
	}
	f.replaced = file.Replacements(f.Change)
	return f
}

// replacements returns what a fix writes where; nil without a fix.
func (f *fix) replacements() []lint.Finding {
	if f == nil {
		return nil
	}
	return f.replaced
}

// editsFor returns what may fix a finding; nothing if nothing may.
func (t *fixable) editsFor(f lint.Finding) []manifest.Edit {
	start, end := f.Replaced(t.text)
	switch {
	case f.Suggestion != "":
		return respelled(t.text, start, end, f.Suggestion)
	case f.ID == unreadable && f.Index < 0:
		return t.repairs()
	case f.ID == "ssp-bound" && t.isSSP:
		if n, err := quantity.Parse(textAt(t.text, start)); err == nil && n.IsInteger() {
			return []manifest.Edit{{Span: manifest.Span{Start: start, End: end}, With: n.String()}}
		}
	case f.ID == "ssp-values" && t.isSSP && t.text[start] != '"' && t.text[start] != '[':
		return quoted(t.text, start)
	}
	return nil
}

const unreadable = "unreadable"

// tries reports whether the text with edits has no new error and, unless the finding is the zero
// Finding, not this one, and whether verdicts stay as they are.
func (t *fixable) tries(edits []manifest.Edit, f lint.Finding) (isSafe, fits bool) {
	text, ok := manifest.Splice(t.text, edits)
	if *t.room -= len(text); !ok || edits == nil || *t.room <= 0 {
		return false, false
	}
	rules, err := vmrules.ParseRules(text, t.reading...)
	if t.known == nil {
		t.known = t.lint(t.text)
		t.rules, t.err = vmrules.ParseRules(t.text, t.reading...)
	}
	if f.ID == unreadable {
		return true, true // repairs has read the text
	}
	found := t.lint(text)
	isGone := f.ID == "" || countOf(found, isLike(f)) < countOf(t.known, isLike(f))
	fits = isGone && countOf(found, isError) <= countOf(t.known, isError)
	if t.err != nil {
		return problemsIn(err) < problemsIn(t.err), fits
	}
	return err == nil && meanSame(t.rules, rules), fits
}

// countUnsafe returns how many findings have a fix that is not safe.
func (l *linted) countUnsafe() int {
	n := 0
	for _, f := range l.Findings {
		if f.fix != nil && !f.fix.isSafe {
			n++
		}
	}
	return n
}

func countOf(all []lint.Finding, is func(lint.Finding) bool) int {
	n := 0
	for _, f := range all {
		if is(f) {
			n++
		}
	}
	return n
}

func isError(f lint.Finding) bool { return f.Severity == lint.SeverityError }

func isLike(f lint.Finding) func(lint.Finding) bool {
	return func(g lint.Finding) bool { return f.ID == g.ID && f.Index == g.Index && f.Key == g.Key }
}

func problemsIn(err error) int {
	wrong := (*vmrules.ParseError)(nil)
	if errors.As(err, &wrong) {
		return len(wrong.Problems)
	}
	return 0
}

// meanSame reports whether rules give each VM the same verdict: they are Equal, but for how numbers
// are written.
func meanSame(before, after vmrules.Rules) bool {
	return slices.EqualFunc(rulesIn(before), rulesIn(after), vmrules.Rule.Equal)
}

// rulesIn returns rules with all of their numbers as text, which means the same in bounds and values.
func rulesIn(rules vmrules.Rules) []vmrules.Rule {
	var all []vmrules.Rule
	for _, r := range rules.All() {
		for _, bound := range []*vmrules.Argument{&r.Min, &r.Max} {
			if n, err := quantity.Parse(bound.String()); err == nil {
				*bound = vmrules.MustNewArgument(n.String()) // a bound in quotes means the same
			}
		}
		for i, v := range r.Values {
			switch literal, _ := v.Literal(); literal := literal.(type) {
			case bool, json.Number:
				r.Values[i] = vmrules.MustNewArgument(asText(fmt.Sprint(literal)))
			}
		}
		all = append(all, r)
	}
	return all
}

// asText returns a number as the text with which values are compared, and other text as it is.
func asText(written string) string {
	if n, err := quantity.ParseJSON(written); err == nil {
		return n.String()
	}
	return written
}
