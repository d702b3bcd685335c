package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// An evaluation is one call of Validate. It is not safe for concurrent use. Its exported methods are those of
// a door.Judging.
//
// validation.go calls judgeAll for each target. There, the plan of the rules decides most rules in one walk through the
// object; each of the others has a judgement.
type evaluation struct {
	given   settings
	isOwn   bool   // each VM has rules of its own
	budget  budget // what is left
	targets []target

	plain, open, whole *jsonpath.Implied // the fields that count in a VM, in one with open fields, and in a whole object

	judgement judgement          // of the current rule
	checking  checking           // zero until some rule needs it
	before    map[string]*target // those of the old object, by their names; nil until some rule needs them
}

var plainFields = vmfields.OfVM(nil)

// evaluations are reused: with their buffers, they are most of what a call allocates if nothing is wrong.
var evaluations = sync.Pool{New: func() any { return &evaluation{} }}

func newEvaluation(opts []ValidateOption) *evaluation {
	e := evaluations.Get().(*evaluation)
	e.plain, e.open = plainFields, vmfields.OpenVM
	for _, opt := range opts {
		if opt != nil {
			opt.changeJudging(&e.given)
		}
	}
	e.budget = e.given.limits.whole()
	if defaults := e.given.defaults; defaults != nil {
		e.whole = vmfields.OfObject(defaults)
		e.plain = vmfields.OfVM(defaults)
		e.open = nil // made when it is needed
	}
	return e
}

// Release returns an evaluation to the pool, and removes everything of the caller from it.
func (e *evaluation) Release() {
	clear(e.targets)
	*e = evaluation{targets: e.targets[:0]}
	evaluations.Put(e)
}

// each validates targets. Before each it sets half of the budget aside for those after it, so that none
// takes everything. The last one gets all that is left.
func (e *evaluation) each(targets []target, judge func(*target)) {
	for i := range targets {
		var rest meter.Meter
		if i < len(targets)-1 {
			rest = e.budget.Half()
		}
		judge(&targets[i])
		rest.Return(e.budget.Meter)
		e.budget.Meter = rest
	}
}

// judgeAll validates one target by all rules, and says whose they are. If the budget is
// too small for a result for each rule, the target has one Undecided result instead.
func (e *evaluation) judgeAll(report *Report, rules *Rules, about *Target, t *target) {
	if err := e.budget.Spend(rules.Len()*plan.Work, rules.Len()*resultSize); err != nil {
		report.addUnjudged(rules.rules, t.Name, about, unjudged(fmt.Errorf("this VM is not validated: %w", err)))
		return
	}
	marks := report.add(rules, t.Name, about)
	if !e.walkPlan(report, rules, t, marks) {
		e.judgeRest(report, rules, t, marks)
	}
}

// walkPlan runs the plan of the rules on a target, and reports whether that settled all of them.
// It leaves half of the budget for deciding rule by rule, which still decides some rules if there
// is not enough for all.
func (e *evaluation) walkPlan(report *Report, rules *Rules, t *target, marks []mark) bool {
	if !t.IsPlain() || e.given.defaults != nil {
		return false
	}
	wrong, isSure := rules.plan.Run(t.Root, &e.budget, marks, e.wantsFirst())
	if len(wrong) == 0 {
		return isSure
	}
	if !e.given.partial && !e.given.ratchets {
		report.keep(wrong, t.At)
		return isSure
	}
	if e.given.partial {
		plan.Await(wrong, marks)
	}
	if before := e.forgiven(t); before != nil {
		rules.plan.Compare(t.Root, before.Root, before.IsPlain(), &e.budget, marks, wrong)
	}
	report.keep(slices.DeleteFunc(wrong, func(w plan.Wrong) bool { return marks[w.Entry] != plan.Broken }), t.At)
	return !slices.Contains(marks, plan.Unsure)
}

// judgeRest decides the rules of which the plan is not sure, and replaces their marks in the report.
func (e *evaluation) judgeRest(report *Report, rules *Rules, t *target, marks []mark) {
	for i, m := range marks {
		if m != plan.Unsure {
			continue
		}
		r := &rules.rules[i]
		by := e.judge(r, t)
		e.ratchet(r, t, by)
		e.soften()
		d := &e.judgement.result
		e.noteBound(d, e.judgement.bound)
		if marks[i] = d.mark(r); marks[i] == marksFull {
			last := report.last()
			last.full = append(last.full, *d)
		}
	}
}

// Implied returns the fields of a target that count even if they are not written.
func (e *evaluation) Implied(t *target) *jsonpath.Implied {
	switch {
	case t.IsWhole:
		return e.whole
	case t.Open == 0:
		return e.plain
	case e.open == nil:
		e.open = vmfields.OfOpenVM(e.given.defaults)
	}
	return e.open
}

// Search prepares a search in a target.
func (e *evaluation) Search(t *target, v jsonpath.Visitor) jsonpath.Search {
	w := jsonpath.Search{Meter: &e.budget.Meter, Visitor: v, Root: t.At, Implied: e.Implied(t), Open: t.Open, Thorough: e.given.warning != nil}
	if t.HasParameters {
		w.Placeholders = &templateParameters
	}
	return w
}

// judge decides one rule for one target, and returns the target by which it was validated. What the VM
// names is looked up only if the rule cannot be decided without it. Other kinds than those of the
// format may look at the whole VM.
func (e *evaluation) judge(r *rule, t *target) *target {
	by := t
	if t.Full != nil && t.Full.Refusal == nil && t.Full.Open == 0 || !r.Kind.isOfFormat() {
		by = e.full(t)
	}
	e.judgement = judgement{call: e, rule: r, target: by, result: r.result(t.Name)}
	e.judgement.run()
	if by != t || !e.judgement.isOpen || !e.canExpand(t) {
		return by
	}
	by = e.full(t)
	if d := &e.judgement.result; by.Refusal != nil && (len(d.Violations) > 0 && d.judged() || e.judgement.bound != nil) {
		return t // a value that the VM sets is wrong, or may be
	}
	e.judgement = judgement{call: e, rule: r, target: by, result: r.result(t.Name)}
	e.judgement.run()
	return by
}

// A judgement decides about one rule in one target.
type judgement struct {
	call   *evaluation
	rule   *rule
	target *target

	search jsonpath.Search // for the values of the rule
	set    constraint.Set  // what the rule demands, with its arguments read
	isRead bool            // whether they are read
	value  value.Scalar    // the value that is being checked
	notYet string          // under Partial, what is not filled in yet
	isOpen bool            // whether what the VM names may decide more
	doubt  error           // the first thing that could not be decided
	about  string          // the argument that it is about
	bound  error           // the first such thing that is a bound
	doubts []error         // all of them; only for Ratcheting
	result Result
}

// run decides the rule: whether it applies, and then its values.
func (j *judgement) run() {
	isPartial := j.call.given.partial
	switch {
	case j.rule.unusable != nil:
		j.undecided("", j.rule.unusable)
	case !j.rule.isKnown():
		j.end(OutcomeIgnored, fmt.Sprintf("the kind %s is not known", value.Quoted(string(j.rule.Kind))))
	case j.rule.enforcesNothing():
		j.end(OutcomeIgnored, fmt.Sprintf("the kind %s without any argument enforces nothing", j.rule.Kind))
	case j.target.Refusal != nil:
		j.undecided("", j.target.Refusal)
	case j.target.Nothing != "" && (!isPartial || j.target.HasNoVM):
		j.undecided("", emptiness(j.target))
	case j.target.Nothing != "":
		j.wait(errNotFilledIn.Error())
	case j.applies() && (j.rule.Kind.isOfFormat() || j.check()):
		j.judgeValues()
	}
}

// applies reports whether "valid" is absent or selects something. If not, it ends the judgement.
func (j *judgement) applies() bool {
	if j.rule.Valid.IsZero() {
		return true
	}
	w := j.call.Search(j.target, jsonpath.VisitorFunc(func(*jsonpath.Search, any) bool { return false }))
	err := w.Run(j.rule.Valid.parsed, j.target.Root)
	doubt := doubtOf(j.target, &w)
	switch {
	case err == nil && w.Matches() > 0:
		return true
	case err == nil && isOpen(doubt):
		j.stop(doubt)
	case cmp.Or(err, doubt) != nil:
		j.undecided("", fmt.Errorf("%s cannot be searched: %w", j.rule.Valid.shown(), cmp.Or(err, doubt)))
	default:
		j.end(OutcomeSkipped, j.rule.notThere())
	}
	return false
}

// judgeValues checks what the path selects, and decides.
func (j *judgement) judgeValues() {
	j.search = j.call.Search(j.target, j) // it calls Visit for each value
	w := &j.search
	switch err := w.Run(j.rule.Path.parsed, j.target.Root); {
	case err != nil:
		j.undecided("", err)
		return
	case w.Doubt() != nil:
		j.addDoubt("", doubtOf(j.target, w))
	case w.Matches() == 0:
		j.missing()
		return
	}
	switch {
	case len(j.result.Violations) > 0:
		j.violated()
	case j.doubt != nil:
		j.undecided(j.about, j.doubt)
	case j.notYet != "":
		j.result.Violations = nil
		j.wait(j.notYet)
	default:
		j.result.Outcome = OutcomeSatisfied
	}
}

// Visit checks one value that the path selects.
func (j *judgement) Visit(w *jsonpath.Search, v any) bool {
	j.readArguments()
	var isScalar bool
	s := &j.value
	*s, isScalar = value.ScalarOf(v)
	if !w.Spend(lookWork(j.target, s)) {
		return false
	}
	if err := unfilled(s, j.target.HasParameters); err != nil {
		j.addDoubt("", j.atField(w, err))
		return true
	}
	if j.set.ReadsNumbers() {
		s.ReadQuantity()
	}
	for f := range j.set.Failures(s, isScalar, &j.call.budget) {
		switch {
		case f.Err == nil:
			if j.addViolation(w, v, f); len(j.result.Violations) > 0 && j.call.wantsFirst() {
				return false
			}
		case f.Demand == nil:
			j.addDoubt("", j.atField(w, f.Err))
		default:
			j.addDoubt(f.Key(), j.atValue(w, f.Err))
		}
	}
	return w.Err() == nil
}

// wantsFirst reports whether FirstViolation applies. Ratcheting may forgive the first, and not the next.
func (e *evaluation) wantsFirst() bool { return e.given.first && !e.given.ratchets }

func (j *judgement) addViolation(w *jsonpath.Search, found any, f constraint.Failure) {
	if j.call.given.partial && found == "" {
		j.notYet = cmp.Or(j.notYet, errNotFilledIn.Error())
		return
	}
	b := breach{f.Key(), j.set.Breach(f.Demand, found, &j.value), found, w.StandIn(), j.target.OriginOf(w.At(), w.StandIn())}
	b.Detail += j.rule.origin(b.key)
	if w.Pay(plan.WrongWork, w.At().TextSize()+len(b.Detail)+j.value.RenderedSize()+violationSize) {
		j.result.Violations = append(j.result.Violations, j.rule.broken(b, w.At().Texts()))
	}
}

// origin returns a note of the path that an argument was read from, if it was one path.
func (r *rule) origin(key string) string {
	for _, p := range r.paths {
		if p.key == key {
			return p.origin
		}
	}
	return ""
}

// These end a judgement.

func (j *judgement) end(outcome Outcome, note string) {
	j.result.Outcome, j.result.Note = outcome, note
}

// wait ends the judgement, under Partial, because of what is not filled in yet.
func (j *judgement) wait(note string) {
	j.result.Waits = true
	j.end(OutcomeSkipped, note)
}

func (j *judgement) violated() {
	j.result.Outcome = j.rule.outcomeIfViolated()
	j.result.Waits = j.notYet != ""
	switch {
	case j.doubt != nil:
		j.result.Note = "not decided: " + withArgument(j.about, j.doubt)
	case j.notYet != "" && j.notYet != errNotFilledIn.Error():
		j.result.Note = "not decided: " + j.notYet
	}
}

// missing ends the judgement because the path selects nothing.
func (j *judgement) missing() {
	if j.call.given.partial {
		j.wait(errNotFilledIn.Error())
		return
	}
	text := len(j.rule.Path.parsed.Text())
	if err := j.call.budget.Spend(plan.WrongWork+text*textWork, j.target.At.TextSize()+2*text+violationSize); err != nil {
		j.undecided("", err)
		return
	}
	j.result.Violations = []Violation{j.rule.missing(j.target.At)}
	j.violated()
}

// undecided ends the judgement by a doubt, without blaming a field.
func (j *judgement) undecided(argument string, doubt error) {
	j.isOpen = j.isOpen || isOpen(doubt)
	j.keepDoubt(argument, doubt)
	v := j.rule.violation(ReasonInternal, argument, withArgument(argument, doubt), jsonpath.Texts{})
	_ = j.call.budget.Spend(0, v.size()) // a refusal changes nothing: each rule has at most one such violation
	j.result.Outcome, j.result.Doubt, j.result.Violations = OutcomeUndecided, doubtIn(doubt), []Violation{v}
}

// stop ends the judgement before any value is checked. If the doubt is an open field, a form may still close it.
func (j *judgement) stop(doubt error) {
	if j.doubt, j.isOpen = doubt, isOpen(doubt); j.isOpen && j.call.given.partial {
		j.wait(doubt.Error())
		return
	}
	j.undecided("", doubt)
}

// A doubt is an error that says what could not be decided, and why.

var (
	errNotFilledIn = errors.New("not filled in yet")
	errNotThere    = errors.New("not there")

	errLater = fmt.Errorf("is %w", errNotFilledIn) // of an argument
)

// addDoubt remembers what could not be decided. A violation takes precedence over it, and it
// takes precedence over fields that are not filled in yet.
func (j *judgement) addDoubt(argument string, doubt error) {
	j.isOpen = j.isOpen || isOpen(doubt)
	if j.mayCome(doubt) {
		j.notYet = withArgument(argument, doubt)
		return
	}
	j.keepDoubt(argument, doubt)
	if j.doubt == nil {
		j.about, j.doubt = argument, doubt
	}
}

// keepsDoubts reports whether all doubts of a rule count, and not only the first.
func (e *evaluation) keepsDoubts() bool { return e.given.ratchets || e.given.warning != nil }

// soften makes the result of a rule warn if it is undecided only for the reasons of WarnIfUndecided.
func (e *evaluation) soften() {
	d := &e.judgement.result
	if d.Outcome != OutcomeUndecided || e.given.warning == nil {
		return
	}
	e.judgement.searchAll()
	for _, doubt := range e.judgement.doubts {
		if !e.warnsOf(doubtsIn(doubt)...) {
			return
		}
	}
	for i := range d.Violations {
		d.Violations[i].Warned = true
	}
}

// searchAll searches all paths of the rule for further doubts: the first may have ended the judgement.
func (j *judgement) searchAll() {
	paths := []Path{j.rule.Valid, j.rule.Path}
	for _, argument := range j.rule.paths {
		for _, a := range argument.of.items() {
			paths = append(paths, a.path)
		}
	}
	for _, path := range paths {
		if path.IsZero() || j.target.Nothing != "" {
			continue
		}
		w := j.call.Search(j.target, jsonpath.VisitorFunc(func(*jsonpath.Search, any) bool { return true }))
		if err := cmp.Or(w.Run(path.parsed, j.target.Root), doubtOf(j.target, &w)); err != nil {
			j.keepDoubt("", err)
		}
	}
}

// warnsOf reports whether WarnIfUndecided has all of the doubts.
func (e *evaluation) warnsOf(doubts ...Doubt) bool {
	return !slices.ContainsFunc(doubts, func(d Doubt) bool { return !slices.Contains(e.given.warning, d) })
}

// keepDoubt keeps a doubt that is a bound, and any other so that those of an update can be compared.
func (j *judgement) keepDoubt(argument string, doubt error) {
	if j.bound == nil && doubtIn(doubt) == DoubtBound {
		j.bound = errors.New(withArgument(argument, doubt))
	}
	if j.call.keepsDoubts() {
		doubt = reworded(doubt, errors.New(withArgument(argument, doubt)))
		_ = j.call.budget.Spend(0, len(doubt.Error())) // ratchet sees a refusal
		j.doubts = append(j.doubts, doubt)
	}
}

// mayCome reports whether a form may still bring what is missing.
func (j *judgement) mayCome(doubt error) bool {
	return j.call.given.partial && (errors.Is(doubt, errNotFilledIn) || isOpen(doubt))
}

// atField adds the location of the value that could not be decided.
func (j *judgement) atField(w *jsonpath.Search, doubt error) error {
	return fmt.Errorf("%s: %w", w.At().Shown(), doubt)
}

// atValue is atField for the doubt about an argument, whose key comes before the message.
func (j *judgement) atValue(w *jsonpath.Search, doubt error) error {
	if j.mayCome(doubt) {
		return doubt
	}
	return fmt.Errorf("cannot be decided for %w", j.atField(w, doubt))
}

func withArgument(argument string, doubt error) string {
	if argument == "" {
		return doubt.Error()
	}
	return argument + " " + doubt.Error()
}
