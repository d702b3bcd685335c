package vmrules

import (
	"iter"
	"slices"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A Report is what Validate found: one Result for each target and rule, with the rules of
// the first target first. It does not refer to the object that was validated. Apart from
// UnmarshalJSON, it is safe for concurrent use. The zero Report, and a nil one, say that
// nothing was validated, which is not valid.
//
// It is small: it holds one byte for a rule that is satisfied, or skipped because of its
// "valid". The methods return new values, which the caller may change, except for the
// contents of a Limit and the Problems of a Target.
type Report struct {
	// Usually there is one target, the object itself, with few rules, and all is well. Then
	// this is all.
	first *[]rule  // the rules of the target ""; nil if there are none
	few   [15]mark // one for each of these rules, if there is room
	whose whose    // zero in the zero Report

	more *details // nil: none
}

// whose says whose rules those of the first target are.
type whose uint8

const (
	nobodys whose = iota // nothing was validated
	givens
	owns
)

// details are what a report has if a mark for each rule cannot say all of it. Most reports have none.
type details struct {
	parts    []part // of the other targets, or with many rules
	omitted  int    // results, when the report was written as JSON
	left     int    // targets, likewise
	findings        // about the first target
}

// A part holds the results of one target.
type part struct {
	rules  []rule // nil if no mark expresses a result
	target string
	marks  []mark  // one for each rule
	about  *Target // what the results do not say of it; nil: the rules were given. Targets share it
	fails  bool    // a result that was left out fails the target
	findings
}

// findings are what the marks of a target do not say.
type findings struct {
	at    jsonpath.Location // what the rules call $
	wrong []plan.Wrong      // that the plan found. Violations are made of them when they are read
	full  []Result          // those that a mark cannot express, in order
}

// A mark is what a report holds for every result. The plan writes it: one that is Broken is violated by the
// wrong values of its rule.
type mark = plan.Mark

// marksFull marks a result that is the next of full.
const marksFull = plan.Unsure

func (r *Result) mark(of *rule) mark {
	switch {
	case r.Outcome == OutcomeSatisfied:
		return plan.Holds
	case r.Outcome == OutcomeSkipped && r.Note == of.notThere():
		return plan.NotNeeded
	}
	return marksFull
}

// ofMark returns the result that the mark of a rule expresses.
func (p *part) ofMark(k int) Result {
	of := &p.rules[k]
	r := of.result(p.target)
	switch p.marks[k] {
	case plan.NotNeeded:
		r.Outcome, r.Note = OutcomeSkipped, of.notThere()
	case plan.Holds:
		r.Outcome = OutcomeSatisfied
	case plan.Waits:
		r.Outcome, r.Note, r.Waits = OutcomeSkipped, errNotFilledIn.Error(), true
	default:
		r.Outcome, r.Violations = of.outcomeIfViolated(), p.appendBroken(nil, k, nil)
		if !of.JustWarning && !slices.ContainsFunc(r.Violations, Violation.fails) {
			r.Outcome, r.Note = OutcomeWarned, unchanged
		}
	}
	return r
}

// A choice chooses among what the plan found wrong, of which some just warns; nil chooses all.
type choice func(w *plan.Wrong, warns bool) bool

// warns reports whether something that the plan found wrong does not fail the object.
func (p *part) warns(w *plan.Wrong) bool { return w.Known || p.rules[w.Entry].JustWarning }

// appendBroken appends the violations to choose of a rule that the plan found broken.
func (p *part) appendBroken(all []Violation, k int, isWanted choice) []Violation {
	var scalar value.Scalar
	r := &p.rules[k]
	isUsual := r.usual.Path != "" && slices.Equal(p.at, vmtarget.UsualAt)
	own := plan.WrongOf(k, p.wrong)
	for i := range own {
		w := &own[i]
		switch {
		case isWanted != nil && !isWanted(w, p.warns(w)):
			continue
		case w.Value == nil:
			all = append(all, r.missing(p.at))
		default:
			scalar.Set(w.Value)
			key := constraint.Failure{Demand: w.Demand}.Key()
			b := breach{key, r.literal.Breach(w.Demand, w.Value, &scalar), w.Value, w.StandIn, ""}
			b.Detail += r.origin(key)
			if w.StandIn != jsonpath.Written {
				b.origin = OriginDefault
			}
			at := r.usual
			if !isUsual {
				var room [16]jsonpath.Element // enough for most locations
				at = w.AppendTo(append(room[:0], p.at...), r.Path.parsed).Texts()
			}
			all = append(all, r.broken(b, at))
		}
		if w.Known {
			all[len(all)-1].Warned = true
		}
	}
	return all
}

// NewReport returns a report of results that the caller has made or chosen, with a Target for
// each run of results that have the same. Without results, it is valid, and has one Target
// without rules.
func NewReport(results []Result) *Report {
	r := &Report{whose: givens, more: &details{}}
	full, marks := slices.Clone(results), slices.Repeat([]mark{marksFull}, len(results))
	first := 0
	for i, result := range full {
		full[i].Violations = slices.Clone(result.Violations)
		if next := i + 1; next == len(full) || full[next].Target != result.Target {
			own := findings{full: full[first:next]}
			r.more.parts = append(r.more.parts, part{target: result.Target, marks: marks[first:next], findings: own})
			first = next
		}
	}
	return r
}

// add adds a target, and returns the marks of its rules, for the caller to fill.
func (r *Report) add(rules *Rules, target string, about *Target) []mark {
	n := rules.Len()
	if target == "" && r.first == nil && r.more == nil && (about == nil || about == byOwn) && n <= len(r.few) {
		if about != nil {
			r.whose = owns
		}
		if n > 0 {
			r.first = rules.list
		}
		return r.few[:n]
	}
	marks := make([]mark, n)
	more := r.details()
	more.parts = append(more.parts, part{rules: rules.rules, target: target, marks: marks, about: about})
	return marks
}

// keep keeps what the plan found wrong in the target that was added last, whose root is at a location.
func (r *Report) keep(wrong []plan.Wrong, at jsonpath.Location) {
	if len(wrong) > 0 {
		last := r.last()
		last.at, last.wrong = at, wrong
	}
}

func (r *Report) last() *findings {
	more := r.details()
	if n := len(more.parts); n > 0 {
		return &more.parts[n-1].findings
	}
	return &more.findings
}

func (r *Report) details() *details {
	if r.more == nil {
		r.more = &details{}
	}
	return r.more
}

// addUnjudged adds a target for which no rule is decided. It fails the object, whatever the
// rules say, unless it only warns.
func (r *Report) addUnjudged(rules []rule, target string, about *Target, result Result) {
	more := r.details()
	result.Target = target
	more.parts = append(more.parts, part{
		rules: rules, target: target, marks: []mark{marksFull}, about: about, findings: findings{full: []Result{result}},
	})
}

// unjudged returns the result of a target for which no rule is decided.
func unjudged(why error) Result {
	return Result{Index: -1, Outcome: OutcomeUndecided, Doubt: doubtIn(why), Violations: []Violation{{Reason: ReasonInternal, Detail: why.Error()}}}
}

// parts yields the parts of all targets, of which there is at least one.
func (r *Report) parts() iter.Seq[part] {
	return func(yield func(part) bool) {
		if r.isZero() {
			return
		}
		others := r.known().parts
		if (r.first != nil || len(others) == 0) && !yield(r.firstPart()) {
			return
		}
		for _, p := range others {
			if !yield(p) {
				return
			}
		}
	}
}

func (r *Report) firstPart() part {
	p := part{findings: r.known().findings}
	if r.first != nil {
		p.rules = *r.first
	}
	p.marks = r.few[:min(len(p.rules), len(r.few))]
	if r.whose == owns {
		p.about = byOwn
	}
	return p
}

var noDetails details

// known returns the details to read, which are shared if there are none.
func (r *Report) known() *details {
	if r == nil || r.more == nil {
		return &noDetails
	}
	return r.more
}

func (r *Report) isZero() bool { return r == nil || r.whose == nobodys }

// all returns all results. Their violations are the report's own.
func (r *Report) all() []Result {
	size := 0
	for p := range r.parts() {
		size += len(p.marks)
	}
	results := make([]Result, 0, size)
	for p := range r.parts() {
		for k, m := range p.marks {
			if m == marksFull {
				results, p.full = append(results, p.full[0]), p.full[1:]
			} else {
				results = append(results, p.ofMark(k))
			}
		}
	}
	return results
}

// Results returns one result for each target and rule, in that order. If outcomes are given,
// it returns only the results that have one of them. A target for which the Budget was too
// small has only one result, with the index -1.
func (r *Report) Results(outcomes ...Outcome) []Result {
	results := r.all()
	if outcomes != nil {
		results = slices.DeleteFunc(results, func(result Result) bool { return !slices.Contains(outcomes, result.Outcome) })
	}
	for i := range results {
		results[i].Violations = slices.Clone(results[i].Violations)
	}
	return results
}

// Targets returns what became of each VM or other object that was validated, in the order of the
// results: at least one, unless the report is zero.
func (r *Report) Targets() []Target {
	all := []Target{}
	for p := range r.parts() {
		all = append(all, p.describe())
	}
	return all
}

// Valid reports whether no rule is violated or undecided, apart from rules with
// justWarning and, under Ratcheting, what is wrong with the old object too. It does not ask
// whether any rule was applied to the object: Passed does.
func (r *Report) Valid() bool {
	if r.isZero() || r.more == nil {
		return !r.isZero()
	}
	for p := range r.parts() {
		if p.isBroken() {
			return false
		}
	}
	return true
}

// Passed reports whether the report is Valid and nothing was left out: its Targets were each
// Judged, are Exempt, or have only rules that do not apply.
func (r *Report) Passed() bool {
	return r.Valid() && !r.isZero() && !slices.ContainsFunc(r.Targets(), func(t Target) bool { return !t.passed() })
}

// Err returns nil for a valid object. Otherwise it returns an *InvalidError that lists all
// violations that fail the object.
func (r *Report) Err() error {
	if violations := r.Violations(); len(violations) > 0 {
		return &InvalidError{Violations: violations}
	}
	return nil
}

// Violations returns the violations that fail the object: none if the report is valid, and
// at least one if it is not.
func (r *Report) Violations() []Violation {
	if r.isZero() {
		return []Violation{{Reason: ReasonInternal, Detail: "nothing has been validated"}}
	}
	return r.gather(func(_ *plan.Wrong, warns bool) bool { return !warns }, (*Result).failing)
}

// gather returns violations: of what the plan found wrong, if it is wanted, and what choose returns
// of each result that a mark cannot express.
func (r *Report) gather(isWanted choice, choose func(*Result) []Violation) []Violation {
	if r.isZero() || r.more == nil {
		return []Violation{}
	}
	size := 0
	for p := range r.parts() {
		size += len(p.full)
		for i := range p.wrong {
			if w := &p.wrong[i]; isWanted == nil || isWanted(w, p.warns(w)) {
				size++
			}
		}
	}
	all := make([]Violation, 0, size)
	if size == 0 {
		return all
	}
	for p := range r.parts() {
		for k, m := range p.marks {
			switch m {
			case plan.Broken:
				all = p.appendBroken(all, k, isWanted)
			case marksFull:
				all, p.full = append(all, choose(&p.full[0])...), p.full[1:]
			}
		}
	}
	return all
}

// Warnings returns the violations that do not fail the object: those of rules with
// justWarning and, under Ratcheting, those that the old object has too.
func (r *Report) Warnings() []Violation {
	return r.filter(func(_ *plan.Wrong, warns bool) bool { return warns }, func(v Violation) bool { return v.Warned })
}

// At returns the violations and warnings with exactly this Pointer, for an input of a form.
// Those below it are not included. The Pointer "" is for violations about the whole
// object, or about no field.
func (r *Report) At(pointer string) []Violation {
	return r.filter(nil, func(v Violation) bool { return v.Pointer == pointer })
}

// filter returns the violations to keep. Of what the plan found wrong, only those exist that are wanted.
func (r *Report) filter(isWanted choice, keep func(Violation) bool) []Violation {
	all := r.gather(isWanted, func(result *Result) []Violation { return result.Violations })
	return slices.DeleteFunc(all, func(v Violation) bool { return !keep(v) })
}

// Equal reports whether two reports have the same contents.
func (r *Report) Equal(q *Report) bool {
	return r.isZero() == q.isZero() && r.known().omitted == q.known().omitted && slices.EqualFunc(r.Targets(), q.Targets(), Target.equal) &&
		slices.EqualFunc(r.all(), q.all(), Result.equal)
}
