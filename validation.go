package vmrules

import (
	"slices"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// ParseRules reads the text of a validations annotation. A blank text has no rules. Any error
// is a *ParseError, and then there are no rules, except with LeaveOutUnusable. Text that is not JSON,
// or exceeds the bounds, has one problem. For other texts, the error lists all problems of all rules.
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
	o.inGo, o.isOld, o.detects = true, false, false // annotationOf writes the current version
	made, nodes, more := readRules(annotationOf(writable), o)
	problems = append(problems, withinKeys(more, made, nodes)...)
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Index - b.Index })
	return o.usable(made, problems), asParseError(problems)
}

// Validate validates an object by rules. The Report has one Result for each target in the object
// and each rule. Without rules, every object is valid. Validate does not change the object, and may be
// called concurrently with the same rules and object while nothing changes it.
func Validate(rules Rules, object map[string]any, opts ...ValidateOption) *Report {
	if len(opts) == 0 && !rules.isWhole {
		if template := vmtarget.Usual(object); template != nil {
			return validateUsual(&rules, object, template)
		}
	}
	e := newEvaluation(opts)
	defer e.Release()
	e.targets = e.appendTargets(e.targets, value.Resolve(object), rules.isWhole)
	report := &Report{whose: givens}
	e.each(e.targets, func(t *target) { e.judgeAll(report, &rules, nil, t) })
	return report
}

// usualBudget is that of a call without options, which need not be worked out for each.
var usualBudget = Budget{}.whole()

// validateUsual is Validate for the most usual form of object and no options. If the plan
// settles all rules, it allocates nothing except the report.
func validateUsual(rules *Rules, object map[string]any, template any) *Report {
	report := &Report{whose: givens}
	marks := report.add(rules, "", nil)
	b := usualBudget
	wrong, isSure := rules.plan.Run(template, &b, marks, false)
	report.keep(wrong, vmtarget.UsualAt)
	if isSure {
		return report
	}
	e := newEvaluation(nil)
	defer e.Release()
	e.budget = b
	e.targets = append(e.targets, vmtarget.UsualTarget(object, template))
	e.judgeRest(report, rules, &e.targets[0], marks)
	return report
}

// ValidateOwn validates every VM inside an object by its own rules. These are, in this order: none if
// SkipAnnotation exempts the VM, those of its own annotation, those of the template around it, and
// those of the template that it names, if WithTemplates finds that. The report has a Target for
// each VM, which says what became of it. One without results is Valid only if it is exempt, has no rules,
// or names a template that nobody looks for: Passed tells these apart.
//
// If there is no VM in the object, the report has one Target, CoverageNotVM. A part of the object
// that may hold VMs but cannot be looked into, such as a list in too many lists, is a Target that
// is Undecided.
//
// The VM of a replica set has its annotations in the metadata of spec.template, and that of
// a pool in the metadata of spec.virtualMachineTemplate.
//
// KeepRules and WithParseOptions set how the annotations are read; each text is read once. One
// Budget covers reading and validating all VMs.
func ValidateOwn(object map[string]any, opts ...ValidateOption) *Report {
	e := newEvaluation(opts)
	defer e.Release()
	report := &Report{whose: givens}
	e.isOwn, e.given.reading.budget = true, &e.budget
	rules := ruleFinder{call: e, texts: map[annotationText]*ownRules{}, templates: map[TemplateRef]*ownRules{}}
	targets := e.appendTargets(nil, value.Resolve(object), false)
	if e.budget.Err() != nil {
		targets = targets[:1] // it says so
	}
	e.each(targets, func(t *target) { e.judgeOwn(report, &rules, t) })
	return report
}

func (e *evaluation) judgeOwn(report *Report, rules *ruleFinder, t *target) {
	if why := notVM(t, e.given.partial); why != nil {
		report.add(&Rules{}, t.Name, why)
		return
	}
	if t.Cause != vmtarget.Empty || t.VM == nil {
		report.addUnjudged(nil, t.Name, &Target{}, unjudged(emptiness(t)))
		return
	}
	found := rules.of(t)
	if found.err != nil {
		report.addUnjudged(nil, t.Name, found.about, e.ratchetSource(t, unjudged(found.err)))
		return
	}
	e.judgeAll(report, &found.rules, found.about, t)
}

// ParseObject reads the text of a JSON object into the form that Validate takes. Numbers
// become json.Numbers, which keep every digit. The text must hold one object and nothing
// else.
//
// ParseObject refuses what different decoders read differently: a key that appears twice in
// one object, half of a surrogate pair, and bytes that are not UTF-8. It also refuses more
// than 1,000 levels. An error gives the line and column of each problem, and says what
// would be right, in words: it has no type of its own.
//
// The caller limits the length of the text. Reading takes time in proportion to the length,
// and at most about 100 bytes of memory for each byte.
func ParseObject(text []byte) (map[string]any, error) { return jsontext.ReadObject(string(text)) }

// ToObject turns a typed VM, or any other value that JSON writes as an object, into the form
// that Validate takes. Numbers keep every digit. Pass JSON text as a json.RawMessage. If a
// key appears twice in the text, the last one counts; ParseObject refuses such a text. It is an error,
// which has no type of its own, if the value has no JSON form, or another one than an object.
func ToObject(v any) (map[string]any, error) { return jsontext.ObjectOf(v) }
