package lint

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
)

// workPart divides the Budget's work: each repeated reading, of which there are at most
// two, and all checks together may do this fraction of it. Each may keep as much memory
// as the Budget says, because a reading keeps little once it has ended.
const workPart = 2

var errReread = errors.New("the budget for reading the annotation again is used up")

func newLinter(text string, opts []vmrules.ParseOption) *linter {
	l := &linter{text: text, opts: opts, findings: []Finding{}, flaws: map[int]bool{}, unknownKinds: map[int]bool{}}
	l.takeProfile()
	for _, opt := range l.opts {
		if limits, ok := opt.(vmrules.Budget); ok {
			l.limits = limits
		}
	}
	part := l.part()
	l.budget = meter.Budget{Meter: meter.New(part.Work, part.Kept)}
	return l
}

// part returns the budget of a repeated reading, and of the checks.
func (l *linter) part() vmrules.Budget {
	whole := meter.OrDefault(l.limits.Work, l.limits.Kept)
	work, kept := whole.Left()
	return vmrules.Budget{Work: max(work/workPart, 1), Kept: kept} // 0 would mean the default
}

// read reports the problems of the annotation, including those that it has only under
// Strict. It returns the rules that have no problem without Strict.
func (l *linter) read() []*rule {
	rules, problems := parse(l.text, l.opts)
	var places []place
	if !isCutShort(problems) {
		places = l.places()
	}
	for _, p := range problems {
		l.problem(p, SeverityError)
	}
	if len(places) == 0 {
		return nil
	}
	l.opts = sameVersion(l.opts, places)
	lenient := slices.DeleteFunc(slices.Clone(l.opts), func(opt vmrules.ParseOption) bool { return opt == vmrules.Strict() })
	if len(lenient) == len(l.opts) {
		l.strictly(problems)
	} else if len(problems) > 0 {
		rules, problems = l.reread(l.text, lenient) // a rule with a problem only under Strict can still be checked
	}
	if len(problems) > 0 {
		places = without(places, problems)
		rules, _ = l.reread(l.only(places), lenient)
	}
	return l.rules(rules, places)
}

// sameVersion adds the detected version of the whole annotation to the options, so that a
// part of the annotation is read in the same version.
func sameVersion(opts []vmrules.ParseOption, places []place) []vmrules.ParseOption {
	if !slices.Contains(opts, vmrules.WithVersion(vmrules.VDetected)) {
		return opts
	}
	version := vmrules.V201901
	for _, p := range places {
		if constraint.HasPrefix([]jsontext.Node{p.node}) {
			version = vmrules.V201902
		}
	}
	return slices.Insert(slices.Clone(opts), slices.Index(opts, vmrules.WithVersion(vmrules.VDetected))+1, vmrules.WithVersion(version))
}

func parse(text string, opts []vmrules.ParseOption) (vmrules.Rules, []vmrules.Problem) {
	rules, err := vmrules.ParseRules(text, opts...)
	var parsed *vmrules.ParseError
	if errors.As(err, &parsed) {
		return rules, parsed.Problems
	}
	return rules, nil
}

// isCutShort reports whether some rules may not have been read.
func isCutShort(problems []vmrules.Problem) bool {
	return slices.ContainsFunc(problems, func(p vmrules.Problem) bool { return p.Index < 0 })
}

// reread reads the annotation, or some of its rules, again. Only the Budget can stop it
// early.
func (l *linter) reread(text string, opts []vmrules.ParseOption) (vmrules.Rules, []vmrules.Problem) {
	rules, problems := parse(text, append(slices.Clip(opts), vmrules.WithBudget(l.part())))
	if isCutShort(problems) {
		l.cutShort = errReread
	}
	return rules, problems
}

// strictly reports the problems that the annotation has only under Strict.
func (l *linter) strictly(known []vmrules.Problem) {
	type words struct {
		offset  int
		message string
	}
	isKnown := make(map[words]bool, len(known))
	for _, p := range known {
		isKnown[words{p.Offset, p.Message}] = true
	}
	_, all := l.reread(l.text, append(slices.Clip(l.opts), vmrules.Strict()))
	for _, p := range all {
		if p.Index >= 0 && !isKnown[words{p.Offset, p.Message}] {
			l.problem(p, l.severityOf(l.idOf(p)))
		}
	}
}

func (l *linter) problem(p vmrules.Problem, s Severity) {
	id := l.idOf(p)
	if id == "unknown-kind" || id == "misspelt-kind" {
		l.unknownKinds[p.Index] = true
	}
	l.findings = append(l.findings, Finding{
		Severity: s, ID: id, Rule: p.Rule, Index: p.Index, Key: p.Key,
		Offset: p.Offset, Message: p.Message, Suggestion: p.Suggestion,
	})
}

// idOf returns the ID of a problem.
func (l *linter) idOf(p vmrules.Problem) string {
	switch p.Reason {
	case vmrules.ReasonRequired:
		if p.Key == "" {
			return "no-arguments"
		}
		return "missing-key"
	case vmrules.ReasonTypeInvalid:
		return "wrong-type"
	case vmrules.ReasonDuplicate:
		return "duplicate"
	case vmrules.ReasonTooLong:
		return "too-long"
	case vmrules.ReasonNotSupported:
		return idOfUnknown(p)
	}
	switch {
	case p.Key == keyPath, p.Key == keyValid:
		return "invalid-path"
	case p.Key == constraint.Regex:
		return "invalid-regex"
	case p.Key == "", l.flaws[p.Offset] && !isArgument(p.Key):
		return "unreadable"
	}
	return "invalid-argument"
}

// isArgument reports whether a key is that of an argument, in any version of the format.
func isArgument(key string) bool {
	return slices.ContainsFunc(constraint.Arguments[:], func(a constraint.Argument) bool { return key == a.Key || key == a.OldName })
}

// idOfUnknown returns the ID of a problem with an unknown version, kind or key.
func idOfUnknown(p vmrules.Problem) string {
	isMeant := p.Suggestion != ""
	switch {
	case p.Index < 0:
		return "unknown-version"
	case p.Key == keyRule && isMeant:
		return "misspelt-kind"
	case p.Key == keyRule:
		return "unknown-kind"
	case isMeant:
		return "misspelt-key"
	}
	return "unknown-key"
}

// A place is the position of a rule in the annotation.
type place struct {
	index int
	node  jsontext.Node
}

// places returns the places of the rules in a text that ParseRules could read. It records
// the errors in the JSON text.
func (l *linter) places() []place {
	root, flaws := jsontext.Read(l.text, jsontext.Format{MaxItems: math.MaxInt, MaxDepth: math.MaxInt}, &l.budget.Meter)
	for _, f := range flaws {
		l.flaws[f.Offset] = true
	}
	var all []place
	for i, n := range root.Items {
		all = append(all, place{i, n})
	}
	return all
}

// without returns the places of the rules that have no problem.
func without(places []place, problems []vmrules.Problem) []place {
	isBroken := map[int]bool{}
	for _, p := range problems {
		isBroken[p.Index] = true
	}
	return slices.DeleteFunc(places, func(p place) bool { return isBroken[p.index] })
}

// only returns the text of an annotation with just the rules at places.
func (l *linter) only(places []place) string {
	texts := make([]string, 0, len(places))
	for _, p := range places {
		texts = append(texts, l.text[p.node.Start:p.node.End])
	}
	return "[" + strings.Join(texts, ",") + "]"
}
