package vmrules

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A Version is a version of the annotation format.
type Version string

const (
	// V201902 is 201902-2, the current one.
	V201902 Version = "201902-2"
	// V201901 is 201901-1: paths without prefix, on the template.
	V201901 Version = "201901-1"
	// VDetected is V201902 if the path or valid of any rule has the prefix of paths, and
	// V201901 otherwise. RulesFor and ValidateOwn read a template's own annotation so.
	VDetected Version = "detected"
)

// A ParseOption changes how an annotation is read.
type ParseOption interface{ changeReading(*parseOptions) }

type parseOption func(*parseOptions)

func (f parseOption) changeReading(o *parseOptions) { f(o) }

// An Option changes both how an annotation is read and how an object is judged.
type Option interface {
	ParseOption
	ValidateOption
}

type parseOptions struct {
	version Version // "": not said
	strict  bool
	root    Root
	kinds   []namedKind
	limits  Budget
	budget  *budget // what is left of that

	inGo bool // rules that were built in Go, and not read from an annotation
}

func parseOptionsOf(opts []ParseOption) parseOptions {
	var o parseOptions
	for _, opt := range opts {
		opt.changeReading(&o)
	}
	o.budget = &budget{Meter: o.limits.meter()}
	return o
}

// WithVersion says which version of the format the annotation has. Without it,
// that is V201902, and VDetected for a template's own annotation. Two options with
// the same version are equal.
func WithVersion(v Version) ParseOption { return versionOption(v) }

type versionOption Version

func (v versionOption) changeReading(o *parseOptions) {
	o.version = Version(v)
}

// Strict makes problems of what is otherwise ignored, as the format demands:
// unknown keys and kinds, and rules without arguments. It is for those who
// write rules, not for those who meet them. Whatever Strict returns is equal to what
// it returned before, so that a package can find it among its options.
func Strict() ParseOption { return strictOption{} }

type strictOption struct{}

func (strictOption) changeReading(o *parseOptions) { o.strict = true }

// problems are what is wrong with the options themselves.
func (o *parseOptions) problems() []Problem {
	var all []Problem
	add := func(format string, args ...any) {
		all = append(all, Problem{Index: -1, Line: 1, Column: 1, Reason: ReasonNotSupported, Message: fmt.Sprintf(format, args...)})
	}
	switch o.version {
	case "", V201902, V201901, VDetected:
	default:
		add("there is no version %s of the format: it is %s or %s", value.Quoted(string(o.version)), V201902, V201901)
	}
	if o.root != RootTemplate && o.root != RootObject {
		add("there is no root %s: it is RootTemplate or RootObject", value.Quoted(string(o.root)))
	}
	for _, k := range o.kinds {
		if why := k.wrong(); why != "" {
			add("%s", why)
		}
	}
	return all
}

// bounds returns how long the text and how deep its values may be.
func (o *parseOptions) bounds() (bytes, nesting int) {
	if o.inGo {
		return maxBuilt, value.MaxDepth
	}
	return maxAnnotation, maxNesting
}

// ParseRules reads the text of a validations annotation. A blank text has no
// rules. Any error is a *ParseError: text that is not JSON, or beyond the
// bounds, gives one problem; otherwise all problems of all rules come
// together, and no rules.
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

// NewRules makes Rules of rules built in Go, with the checks of ParseRules.
// Any error is a *ParseError, whose problems have no line and column; the Offset
// of one inside the value of a key in Unknown counts from the beginning of that.
func NewRules(rules []Rule, opts ...ParseOption) (Rules, error) {
	var problems []Problem
	writable := make([]Rule, 0, len(rules))
	for i, r := range rules {
		r, wrong := r.writable()
		writable = append(writable, r)
		for _, message := range wrong {
			problems = append(problems, Problem{Rule: r.Name, Index: i, Reason: ReasonInvalid, Message: message})
		}
	}
	o := parseOptionsOf(opts)
	if o.version == V201901 || o.version == VDetected {
		o.version = V201902 // which is how they are written here
	}
	o.inGo = true
	made, nodes, more := readRules(annotationOf(writable), o)
	problems = append(problems, withinKeys(more, made, nodes)...)
	if problems != nil {
		slices.SortStableFunc(problems, func(a, b Problem) int { return a.Index - b.Index })
		return Rules{}, asParseError(problems)
	}
	return newRules(made, o.root), nil
}

// A ValidateOption changes how an object is judged.
type ValidateOption interface{ changeJudging(*settings) }

type validateOption func(*settings)

func (f validateOption) changeJudging(s *settings) { f(s) }

// DefaultRegexBudget is how long the backtracking regular expressions of one
// Validate call may take together. The last of them may take 200 ms longer.
const DefaultRegexBudget = 500 * time.Millisecond

// WithRegexBudget sets how long all matches of one Validate call that need
// backtracking may take together; when it is spent, further ones are
// Undecided. Most regular expressions need none: they count by the work that
// they do, within a bound of its own.
func WithRegexBudget(d time.Duration) ValidateOption {
	return validateOption(func(s *settings) { s.budget.Backtracking = d })
}

// Partial is for a form that is not complete: what is missing is Skipped, with
// the note "not filled in yet". So is an empty string that does not satisfy its
// rule, or cannot be used as its argument, since that is what an empty input
// gives. An object without kind that does not show by its shape what it holds
// is a VirtualMachine.
func Partial() ValidateOption { return validateOption(func(s *settings) { s.partial = true }) }

// A Default is what a field counts as where its object is there and the field is
// not. It is made by NewDefault; the zero value is no default, and changes nothing.
type Default struct{ of vmfields.Default }

// NewDefault makes a Default of a field, which a path of names and [*] names, such
// as "jsonpath::.spec.domain.devices.disks[*].io"; a path of another form is an
// error. The value may be anything that an object may hold there, and must not be
// changed afterwards; nil means that the field has no default.
func NewDefault(path Path, value any) (Default, error) {
	if path.IsZero() {
		return Default{}, errors.New("a default needs the path of its field: the zero Path names none")
	}
	field, ok := path.parsed.AsField()
	if !ok {
		return Default{}, fmt.Errorf("%s cannot have a default: write a path of names and [*] that ends in a name, such as %s",
			path.shown(), jsonpath.Prefix+".spec.domain.devices.disks[*].io")
	}
	return Default{vmfields.Default{Field: field, Value: value}}, nil
}

// IsZero reports whether there is no default.
func (d Default) IsZero() bool { return d.of.Field.Path() == nil }

// WithDefaults says what fields count as where they are not set, over the fields
// that the format lists. Of two defaults of one field the later counts.
// Spec: Optional Keys, valid.
func WithDefaults(defaults ...Default) ValidateOption {
	return validateOption(func(s *settings) {
		for _, d := range defaults {
			if !d.IsZero() {
				s.defaults = append(s.defaults, d.of)
			}
		}
	})
}

// WithOldObject gives the object as it was before an update, for kinds that
// compare both. The kinds of the format do not.
func WithOldObject(object map[string]any) ValidateOption {
	return validateOption(func(s *settings) { s.old = object })
}

// WithParseOptions says how ValidateOwn reads annotations, such as with which kinds. A
// Root is not among that: those rules are about a VM's spec.template.
func WithParseOptions(opts ...ParseOption) ValidateOption {
	return validateOption(func(s *settings) {
		for _, opt := range opts {
			opt.changeReading(&s.reading)
		}
		s.reading.root = RootTemplate
	})
}

// Validate judges an object by rules: one Result for each target in the object
// and each rule. It does not change the object, and whatever the object holds,
// it ends: what is beyond the bounds is Undecided. Without rules, every object is
// valid. It is safe to call concurrently with the same rules, and with the same
// object while nobody changes it.
func Validate(rules Rules, object map[string]any, opts ...ValidateOption) *Report {
	e := newEvaluation(opts)
	defer e.release()
	e.targets = e.appendTargets(e.targets, value.Resolve(object), rules.root)
	report := newReport()
	for i := range e.targets {
		rest := e.share(len(e.targets) - i)
		e.judgeAll(report, &rules, &e.targets[i])
		e.settle(rest)
	}
	return report
}

var (
	plainFields    = vmfields.OfVM(nil)
	settableInTree = vmfields.OfOpenVM(nil)
)

// evaluations are kept, since they and their buffers are most of what a call
// that finds nothing wrong would allocate.
var evaluations = sync.Pool{New: func() any { return &evaluation{} }}

func newEvaluation(opts []ValidateOption) *evaluation {
	e := evaluations.Get().(*evaluation)
	e.settings = settings{
		budget: budget{Backtracking: DefaultRegexBudget},
		plain:  plainFields, settable: settableInTree,
	}
	for _, opt := range opts {
		opt.changeJudging(&e.settings)
	}
	e.budget.Meter = e.limits.meter()
	if e.defaults == nil {
		return e
	}
	e.whole = vmfields.OfObject(e.defaults)
	e.plain = vmfields.OfVM(e.defaults)
	e.settable = nil // until it is needed
	return e
}

// release gives an evaluation back, with nothing of the caller's in it.
func (e *evaluation) release() {
	clear(e.targets)
	e.targets = e.targets[:0]
	e.planWalk.Release()
	e.decision = decision{}
	e.settings = settings{}
	evaluations.Put(e)
}

// share leaves half of the budget for the next target, unless it is the last one:
// no target should suffer for what the one before it asks for. It returns the
// other half, for settle.
func (e *evaluation) share(targets int) (rest meter.Meter) {
	if targets > 1 {
		half := e.budget.Half()
		rest, e.budget.Meter = e.budget.Meter, half
	}
	return rest
}

// settle brings the budget back together.
func (e *evaluation) settle(rest meter.Meter) {
	rest.Return(e.budget.Meter)
	e.budget.Meter = rest
}

// judgeAll judges one target. Where the budget does not suffice for a result of
// each rule, one result says that the target is undecided.
func (e *evaluation) judgeAll(report *Report, rules *Rules, t *target) {
	if err := e.budget.Spend(rules.Len()*plan.Work, rules.Len()*resultSize); err != nil {
		report.addUnjudged(t.Name, "nothing of this VM is judged: "+err.Error())
		return
	}
	e.walkPlan(rules, t)
	marks := report.add(rules, t.Name)
	left := e.mark(marks)
	for i := 0; left > 0; i++ {
		if marks[i] == marksTold {
			left--
			marks[i] = e.tell(report, rules, i, t, left)
		}
	}
}

// walkPlan walks the plan of the rules through a target. It may spend half of the budget,
// so that the judgement, which takes one rule after the other, still decides some of them
// where the budget does not suffice for all.
func (e *evaluation) walkPlan(rules *Rules, t *target) {
	if t.Nothing != "" || t.Others != 0 || t.HasParameters || e.defaults != nil {
		e.planWalk.Forget(rules.plan)
		return
	}
	e.budget.Return(e.planWalk.Run(rules.plan, t.Root, t.At, e.budget.Half()))
}

// mark marks what the walk settled, and returns how many rules it left to the judgement.
func (e *evaluation) mark(marks []mark) (left int) {
	for i := range marks {
		switch e.planWalk.Verdict(i) {
		case plan.Holds:
			marks[i] = marksSatisfied
		case plan.NotNeeded:
			marks[i] = marksNotThere
		default:
			marks[i] = marksTold
			left++
		}
	}
	return left
}

// tell judges a rule, after which so many others are left, and tells the report
// what it needs to know beside the mark.
func (e *evaluation) tell(report *Report, rules *Rules, i int, t *target, left int) mark {
	e.decision = decision{}
	e.judge(&rules.rules[i], t, e.planWalk.Wrong(i))
	m := e.decision.mark(&rules.rules[i])
	if m == marksTold {
		report.tell(&e.decision, left)
	}
	return m
}
