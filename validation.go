package vmrules

import (
	"fmt"
	"slices"
	"sync"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// ParseRules reads the text of a validations annotation. A blank text has no rules. Any error
// is a *ParseError, and then there are no rules. Text that is not JSON, or exceeds the bounds,
// has one problem. For other texts, the error lists all problems of all rules.
func ParseRules(annotation string, opts ...ParseOption) (Rules, error) {
	rules, problems := parseRules(annotation, parseOptionsOf(opts))
	return rules, asParseError(problems)
}

func asParseError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &ParseError{Problems: problems}
}

// NewRules returns Rules for rules that were built in Go, with the checks of ParseRules. Any
// error is a *ParseError, whose problems have no line and column. If a problem is inside the
// value of a key in Unknown, its Offset counts from the beginning of that value.
func NewRules(rules []Rule, opts ...ParseOption) (Rules, error) {
	var problems []Problem
	writable := make([]Rule, 0, len(rules))
	for i, r := range rules {
		r, wrong := r.writable()
		writable = append(writable, r)
		for _, message := range wrong {
			problems = append(problems, Problem{Rule: r.Name, Index: i, Reason: ReasonInvalid, Code: codeUnwritable, Message: message})
		}
	}
	o := parseOptionsOf(opts)
	if o.version == V201901 {
		o.version = V201902 // in which annotationOf writes them
	}
	o.inGo, o.detects = true, false
	made, nodes, more := readRules(annotationOf(writable), o)
	problems = append(problems, withinKeys(more, made, nodes)...)
	if problems != nil {
		slices.SortStableFunc(problems, func(a, b Problem) int { return a.Index - b.Index })
		return Rules{}, asParseError(problems)
	}
	return newRules(made, o.isWhole), nil
}

// Validate judges an object by rules. The Report has one Result for each target in the object
// and each rule. Validate does not change the object. It ends whatever the object holds: rules
// that exceed the bounds are Undecided. Without rules, every object is valid. Validate may be
// called concurrently with the same rules, and with the same object while nothing changes it.
func Validate(rules Rules, object map[string]any, opts ...ValidateOption) *Report {
	if template := vmtarget.Usual(object); template != nil && len(opts) == 0 && !rules.isWhole {
		return validateUsual(&rules, object, template)
	}
	e := newEvaluation(opts)
	defer e.release()
	e.targets = e.appendTargets(e.targets, value.Resolve(object), rules.isWhole)
	report := &Report{judged: true}
	for i := range e.targets {
		rest := e.share(len(e.targets) - i)
		e.judgeAll(report, &rules, &e.targets[i])
		e.settle(rest)
	}
	return report
}

// validateUsual is Validate for the most usual form of object and no options. If all is well,
// it allocates nothing except the report.
func validateUsual(rules *Rules, object, template map[string]any) *Report {
	report := &Report{judged: true}
	marks := report.add(rules, "")
	rest := Budget{}.whole().Meter
	half := rest.Half()
	wrong, isSettled := rules.plan.Run(template, &half, marks)
	if isSettled {
		return report
	}
	e := newEvaluation(nil)
	defer e.release()
	rest.Return(half)
	e.budget.Meter = rest
	e.targets = append(e.targets, vmtarget.UsualTarget(object, template))
	e.judgeRest(report, rules, &e.targets[0], marks, wrong)
	return report
}

var (
	plainFields    = vmfields.OfVM(nil)
	settableInTree = vmfields.OfOpenVM(nil)
)

// evaluations are reused, because they and their buffers are most of what a call allocates if
// nothing is wrong.
var evaluations = sync.Pool{New: func() any { return &evaluation{} }}

func newEvaluation(opts []ValidateOption) *evaluation {
	e := evaluations.Get().(*evaluation)
	e.settings = settings{
		plain: plainFields, settable: settableInTree,
	}
	for _, opt := range opts {
		if opt != nil {
			opt.changeJudging(&e.settings)
		}
	}
	e.budget = e.limits.whole()
	if e.defaults == nil {
		return e
	}
	e.whole = vmfields.OfObject(e.defaults)
	e.plain = vmfields.OfVM(e.defaults)
	e.settable = nil // made when it is needed
	return e
}

// release returns an evaluation to the pool, and removes everything of the caller from it.
func (e *evaluation) release() {
	clear(e.targets)
	e.targets = e.targets[:0]
	e.decision, e.doubts = decision{}, nil
	clear(e.at)
	e.settings = settings{}
	evaluations.Put(e)
}

// share sets half of the budget aside for later targets, and returns that half for settle. So
// no target takes everything from those after it. The last target gets all that is left.
func (e *evaluation) share(targets int) (rest meter.Meter) {
	if targets > 1 {
		half := e.budget.Half()
		rest, e.budget.Meter = e.budget.Meter, half
	}
	return rest
}

// settle puts the two parts of the budget back together.
func (e *evaluation) settle(rest meter.Meter) {
	rest.Return(e.budget.Meter)
	e.budget.Meter = rest
}

// judgeAll judges one target by all rules. If the budget is too small for a result for each
// rule, the target has one Undecided result instead.
func (e *evaluation) judgeAll(report *Report, rules *Rules, t *target) {
	if err := e.budget.Spend(rules.Len()*plan.Work, rules.Len()*resultSize); err != nil {
		report.addUnjudged(t.Name, fmt.Errorf("this VM is not judged: %w", err))
		return
	}
	marks := report.add(rules, t.Name)
	if wrong, isSettled := e.walkPlan(rules, t, marks); !isSettled {
		e.judgeRest(report, rules, t, marks, wrong)
	}
}

// walkPlan runs the plan of the rules on a target. It may spend half of the budget. The other
// half is for judging rule by rule, which still decides some rules if there is not enough for
// all.
func (e *evaluation) walkPlan(rules *Rules, t *target, marks []mark) ([]plan.Wrong, bool) {
	if t.Nothing != "" || t.Refusal != nil || t.Others != 0 || t.HasParameters || e.defaults != nil {
		return nil, false
	}
	half := e.budget.Half()
	wrong, isSettled := rules.plan.Run(t.Root, &half, marks)
	e.budget.Return(half)
	return wrong, isSettled
}

// judgeRest judges the rules that the plan did not settle, and replaces their marks. It tells
// the report what a mark cannot express.
func (e *evaluation) judgeRest(report *Report, rules *Rules, t *target, marks []mark, wrong []plan.Wrong) {
	for i, m := range marks {
		if m == marksSatisfied || m == marksNotThere {
			continue
		}
		var own []plan.Wrong
		if m == plan.Broken {
			own, wrong = plan.WrongOf(i, wrong)
		}
		e.decision = decision{}
		e.judge(&rules.rules[i], t, own)
		e.ratchet(&rules.rules[i], t)
		if marks[i] = e.decision.mark(&rules.rules[i]); marks[i] == marksTold {
			report.tell(&e.decision)
		}
	}
}
