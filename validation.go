package vmrules

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/internal/vmtarget"
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
	version  Version // "": not given
	detects  bool    // the version
	strict   bool
	unstrict *budget // pays for problems that only Strict finds, if they do not count; nil: they are not wanted
	others   []any   // the options of other packages
	isWhole  bool    // WholeObjects
	kinds    []namedKind
	limits   Budget
	budget   *budget // what is left of limits

	inGo bool // the rules were built in Go, not read from an annotation
}

func parseOptionsOf(opts []ParseOption) parseOptions {
	var o parseOptions
	for _, opt := range opts {
		if opt != nil {
			opt.changeReading(&o)
		}
	}
	whole := o.limits.whole()
	o.budget = &whole
	return o
}

// Strict reports unknown keys, unknown kinds and rules without arguments as problems. Without
// Strict they are ignored, as the format demands. Use it where rules are written, not where
// objects are judged by them.
func Strict() ParseOption { return parseOption(func(o *parseOptions) { o.strict = true }) }

// findsUnknown reports whether problems that only Strict finds are wanted.
func (o *parseOptions) findsUnknown() bool { return o.strict || o.unstrict != nil }

// problems returns what is wrong with the options themselves.
func (o *parseOptions) problems() []Problem {
	var all []Problem
	add := func(code, message string) {
		all = append(all, Problem{Index: -1, Line: 1, Column: 1, Reason: ReasonNotSupported, Code: code, Message: message})
	}
	switch o.version {
	case "", V201902, V201901:
	default:
		add(codeUnknownVersion, fmt.Sprintf("the format has no version %s: use %s or %s", value.Quoted(string(o.version)), V201902, V201901))
	}
	for _, k := range o.kinds {
		if why := k.wrong(); why != "" {
			add(codeInvalidOption, why)
		}
	}
	return all
}

// bounds returns how many bytes the text may have, and how many levels its values.
func (o *parseOptions) bounds() (bytes, nesting int) {
	if o.inGo {
		return maxBuilt, value.MaxDepth
	}
	return maxAnnotation, maxNesting
}

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

// A ValidateOption changes how an object is judged.
type ValidateOption interface{ changeJudging(*settings) }

type validateOption func(*settings)

func (f validateOption) changeJudging(s *settings) { f(s) }

// Partial is for a form that is not complete. A rule whose value or argument is missing is
// Skipped, with the note "not filled in yet". An empty string that breaks the rule, or cannot
// be its argument, counts as missing, because an empty input of a form gives it. An object
// without a kind is a VirtualMachine, unless its shape is that of something else.
func Partial() ValidateOption { return validateOption(func(s *settings) { s.partial = true }) }

// A Default is the value that a field has where the object around it exists and the field is
// missing. NewDefault makes one. The zero value changes nothing.
type Default struct{ of vmfields.Default }

// NewDefault returns a Default for the field at a path. The path must consist of names and [*],
// and end in a name, such as "jsonpath::.spec.domain.devices.disks[*].io"; any other is an
// error. The value may be anything that an object may hold, and must not be changed afterwards.
// nil means that the field has no default.
func NewDefault(path Path, value any) (Default, error) {
	if path.IsZero() {
		return Default{}, errors.New("a default needs the path of a field, not the zero Path")
	}
	field, ok := path.parsed.AsField()
	if !ok {
		return Default{}, fmt.Errorf("%s cannot have a default: write a path of names and [*] that ends in a name, such as %s",
			path.shown(), jsonpath.Prefix+".spec.domain.devices.disks[*].io")
	}
	return Default{vmfields.Default{Field: field, Value: value}}, nil
}

// isZero reports whether the default is the zero value.
func (d Default) isZero() bool { return d.of.Field.Path() == nil }

// WithDefaults sets defaults of fields. They add to the defaults of the format and override
// them. If a field has two defaults, the later one counts.
// Spec: Optional Keys, valid.
func WithDefaults(defaults ...Default) ValidateOption {
	return validateOption(func(s *settings) {
		for _, d := range defaults {
			if !d.isZero() {
				s.defaults = append(s.defaults, d.of)
			}
		}
	})
}

// WithOldObject gives the object as it was before an update, for Ratcheting, and for kinds that
// compare it with the new one. The kinds of the format do not.
func WithOldObject(object map[string]any) ValidateOption {
	return validateOption(func(s *settings) { s.old = object })
}

// WithParseOptions sets how ValidateOwn reads annotations, for instance with which kinds. It
// ignores WholeObjects: the rules are always about a VM's spec.template.
func WithParseOptions(opts ...ParseOption) ValidateOption {
	return validateOption(func(s *settings) {
		for _, opt := range opts {
			if opt != nil {
				opt.changeReading(&s.reading)
			}
		}
		s.reading.isWhole = false
	})
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
