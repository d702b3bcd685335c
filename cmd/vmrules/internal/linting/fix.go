package linting

import (
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/rulediff"
	"github.com/vmrules/vmrules/lint"
)

// A fix is a change after which a finding is gone, and no error is new.
type fix struct {
	manifest.Change
	of    *fixable // nil for a key
	about likeness
	edits []manifest.Edit
	// isSafe reports whether every VM gets the same verdict as without the fix, or the rules are
	// refused without it.
	isSafe bool

	findings int            // that it fixes
	replaced []lint.Finding // what it writes where, for SARIF
}

// maxFixed is the number of bytes that may be linted, or read, to try fixes for a file.
const maxFixed = 32 << 20

type fixable struct {
	text    string
	isSSP   bool
	reading []vmrules.ParseOption
	linting []vmrules.ParseOption
	change  func([]manifest.Edit) (manifest.Change, bool)
	room    *int // bytes that may still be linted

	accepted []manifest.Edit // which findings that are accepted suggest

	known map[likeness]int // how many findings there are about the text; nil: not linted yet
	rules vmrules.Rules
	err   error // about the rules
}

// A likeness is what findings have in common that a fix may exchange.
type likeness struct {
	id, key string
	index   int
}

// anError is the likeness of all errors that refuse rules or VMs.
var anError = likeness{id: "error"}

func countAlike(findings []lint.Finding) map[likeness]int {
	n := map[likeness]int{}
	for _, f := range findings {
		n[likeness{f.ID, f.Key, f.Index}]++
		if f.Refuses {
			n[anError]++
		}
	}
	return n
}

func (l *Linter) newFixable(text string, reading []vmrules.ParseOption, change func([]manifest.Edit) (manifest.Change, bool)) *fixable {
	return &fixable{
		text: text, isSSP: l.now.For == lint.SSP, linting: append(l.reading(), reading...),
		reading: append(l.Build.Options(), reading...), change: change, room: &l.room,
	}
}

// fixOf returns what may be the fix of a finding; nil if nothing may.
func (l *Linter) fixOf(file *manifest.File, f lint.Finding) *fix {
	t := l.fixable
	switch {
	case !l.WantsFixes || l.room <= 0:
	case f.Suggestion != "" && (f.ID == "misspelt-annotation" || f.ID == "misspelt-object" || f.ID == "misplaced-annotation"):
		change := file.ChangeKey(f)
		l.room -= file.Size()
		if changed, ok := file.With([]manifest.Change{change}); ok && len(mistakesIn(changed)) < len(mistakesIn(file)) {
			return l.inFile(file, &fix{Change: change, findings: 1, isSafe: change.MovesRules()})
		}
	case t != nil:
		edits, isGuess := t.editsFor(f)
		if change, ok := t.change(edits); ok {
			isSafe := !isGuess && mayBeSafe(f)
			return l.inFile(file, &fix{Change: change, of: t, about: likeness{f.ID, f.Key, f.Index}, edits: edits, isSafe: isSafe})
		}
	}
	return nil
}

// mayBeSafe reports whether the fix of a finding may leave all verdicts as they are.
func mayBeSafe(f lint.Finding) bool {
	switch f.ID {
	case "misspelt-key":
		return slices.Contains([]string{"name", "rule", "path", "message"}, f.Suggestion) // without which rules are refused
	case unreadable, "invalid-path", "invalid-argument", "wrong-type", "ssp-path", "ssp-bound", "ssp-values":
		return true
	}
	return false
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
func (l *Linter) inFile(file *manifest.File, f *fix) *fix {
	if l.PlacesFixes {
		l.room -= file.Size()
		if _, ok := file.With([]manifest.Change{f.Change}); !ok {
			return nil
		}
		f.replaced = file.Replacements(f.Change)
	}
	return f
}

// editsFor returns what may fix a finding, and whether that is a guess; nothing if nothing may.
func (t *fixable) editsFor(f lint.Finding) (edits []manifest.Edit, guessed bool) {
	if f.Suggestion == "" && f.ID == unreadable && f.Index < 0 {
		return t.repairs()
	}
	*t.room -= len(t.text) / 4 // to find places in it is cheaper than to lint
	start, end, with := f.Replaced(t.text)
	if with == "" || f.Suggestion == "" && !t.isSSP {
		return nil, false
	}
	return rewritten(t.text, start, end, with), f.ID == "invalid-argument" && isGuess(t.text[start:end], f.Suggestion)
}

const unreadable = "unreadable"

// settle keeps the fixes of findings about the same rules that can be made together: the safe ones, and
// the others.
func (t *fixable) settle(fixes []*fix) {
	for i, f := range fixes {
		if f != nil && slices.ContainsFunc(f.edits, func(e manifest.Edit) bool { return slices.Contains(t.accepted, e) }) {
			fixes[i] = nil
		}
	}
	for _, isSafe := range []bool{true, false} {
		isOther := func(f *fix) bool { return f == nil || f.isSafe != isSafe }
		kept := map[manifest.Span]*fix{}
		for _, f := range t.together(nil, disjoint(slices.DeleteFunc(slices.Clone(fixes), isOther))) {
			kept[f.Around()] = f
		}
		for i, f := range fixes {
			if isOther(f) {
				continue
			}
			switch k := kept[f.Around()]; {
			case k != nil && slices.Equal(k.edits, f.edits):
				fixes[i] = k
				k.findings++
			case isSafe:
				f.isSafe = false // so it is tried again
			default:
				fixes[i] = nil
			}
		}
	}
}

// together returns the kept fixes, and those others that can be made together with them.
func (t *fixable) together(kept, others []*fix) []*fix {
	all := slices.Concat(kept, others)
	switch half := len(others) / 2; {
	case len(others) == 0 || t.fit(all):
		return all
	case half > 0:
		return t.together(t.together(kept, others[:half]), others[half:])
	}
	return kept
}

// fit reports whether fixes fix what they should, without a new error or problem and, if they are safe, without
// another verdict: the rules mean the same or, if they are refused, have fewer of the problems.
func (t *fixable) fit(fixes []*fix) bool {
	var edits []manifest.Edit
	for _, f := range fixes {
		edits = append(edits, f.edits...)
	}
	text, ok := manifest.Splice(t.text, edits)
	if *t.room -= len(text); !ok || *t.room <= 0 {
		return false
	}
	if fixes[0].about.id == unreadable {
		return true // repairs has read the text
	}
	if t.known == nil {
		t.known = countAlike(lint.Annotation(t.text, t.linting...))
		t.rules, t.err = vmrules.ParseRules(t.text, t.reading...)
	}
	now := countAlike(lint.Annotation(text, t.linting...))
	if now[anError] > t.known[anError] {
		return false
	}
	for _, f := range fixes {
		if now[f.about]++; now[f.about] > t.known[f.about] {
			return false
		}
	}
	rules, err := vmrules.ParseRules(text, t.reading...)
	solved := len(build.Problems(t.err)) - len(build.Problems(err))
	switch isSafe := fixes[0].isSafe; {
	case !isSafe:
		return solved >= 0
	case t.err != nil:
		return solved >= len(fixes)
	}
	return err == nil && rulediff.MeanSame(t.rules, rules)
}
