package vmrules

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
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

// validateUsual is Validate for the most usual form of object and no options. If the plan
// settles all rules, it allocates nothing except the report.
func validateUsual(rules *Rules, object, template map[string]any) *Report {
	report := &Report{judged: true}
	marks := report.add(rules, "")
	b := Budget{}.whole()
	wrong, isSure := rules.plan.Run(template, &b, marks)
	report.keep(wrong, vmtarget.UsualAt)
	if isSure {
		return report
	}
	e := newEvaluation(nil)
	defer e.release()
	e.budget = b
	e.targets = append(e.targets, vmtarget.UsualTarget(object, template))
	e.judgeRest(report, rules, &e.targets[0], marks)
	return report
}

// ValidateOwn judges every VM inside an object by the rules in its own annotation or, if it
// has none, in the annotation of the template around it. VMs that SkipAnnotation exempts,
// and VMs without rules, have no results. A part of the object that may hold VMs but cannot
// be looked into, such as a list in too many lists, has one Undecided result. Any error is a
// *ParseError with the problems of all annotations that cannot be used; the report is then
// about the other VMs.
//
// The VM of a replica set has its annotations in the metadata of spec.template, and that of
// a pool in the metadata of spec.virtualMachineTemplate.
//
// WithParseOptions sets how the annotations are read; each text is read once. One Budget
// pays for reading and judging all VMs. What Checkers share, they share for all VMs.
func ValidateOwn(object map[string]any, opts ...ValidateOption) (*Report, error) {
	e := newEvaluation(opts)
	defer e.release()
	report := &Report{judged: true}
	var problems []Problem
	e.given.reading.budget = &e.budget
	reader := ownReader{options: e.given.reading, known: map[annotationText]ownRules{}}
	targets := e.appendTargets(nil, value.Resolve(object), false)
	if e.isSpent() {
		report.addUnjudged("", emptiness(&targets[0]))
		return report, nil
	}
	for i := range targets {
		if t := &targets[i]; t.Cause != vmtarget.Empty {
			report.addUnjudged(t.Name, emptiness(t))
			continue
		}
		rest := e.share(len(targets) - i)
		rules, wrong := reader.read(&targets[i])
		problems = append(problems, wrong...)
		e.judgeAll(report, &rules, &targets[i])
		e.settle(rest)
	}
	return report, asParseError(problems)
}

// An ownReader reads the rules of the VMs inside an object, each text once.
type ownReader struct {
	options parseOptions
	last    annotationText // the text of rules
	rules   ownRules
	known   map[annotationText]ownRules
}

type annotationText struct{ key, text string }

// ownRules are the rules of one text, or what is wrong with it.
type ownRules struct {
	rules    Rules
	problems []Problem
}

// read reads the rules for the VM of a target.
func (r *ownReader) read(t *target) (Rules, []Problem) {
	if isExempt(t) {
		return Rules{}, nil
	}
	found := annotationFor(t)
	text, isText := found.value.(string)
	if !isText {
		return found.parse(r.options)
	}
	read := r.readText(annotationText{found.key, text}, found)
	return read.rules, r.problemsOf(found.source, read.problems)
}

func (r *ownReader) readText(text annotationText, found annotation) ownRules {
	if text == r.last { // this costs nothing if the VMs share the text of their template
		return r.rules
	}
	_ = r.options.budget.Spend(len(text.text)/10, 0)
	rules, ok := r.known[text]
	if !ok {
		rules.rules, rules.problems = found.parse(r.options)
		r.known[text] = rules
	}
	r.last, r.rules = text, rules
	return rules
}

// problemsOf returns the problems of a text as those of one more VM.
func (r *ownReader) problemsOf(source string, problems []Problem) []Problem {
	if len(problems) == 0 {
		return nil
	}
	if err := r.options.budget.Spend(len(problems)*problemWork, len(problems)*problemSize); err != nil {
		return []Problem{{Index: -1, Reason: ReasonTooLong, Code: codeTooLong, Source: source, Message: tooMuchToRead(err)}}
	}
	all := slices.Clone(problems)
	for i := range all {
		all[i].Source = source
	}
	return all
}

// annotationFor returns the annotation for the VM of a target: its own, or its template's.
func annotationFor(t *target) annotation {
	found := ownAnnotation(t, strings.TrimSpace("VM "+t.Name))
	if found.isBlank() {
		found = annotationAt(t.Template, OldAnnotation, strings.TrimSpace("template "+t.TemplateName))
	}
	return found
}

// ParseObject reads the text of a JSON object into the form that Validate takes. Numbers
// become json.Numbers, which keep every digit. The text must hold one object and nothing
// else.
//
// ParseObject refuses what different decoders read differently: a key that appears twice in
// one object, half of a surrogate pair, and bytes that are not UTF-8. It also refuses more
// than 1,000 levels. An error gives the line and column of each problem, and says what
// would be right.
//
// The caller limits the length of the text. Reading takes time in proportion to the length,
// and at most about 100 bytes of memory for each byte.
func ParseObject(text []byte) (map[string]any, error) {
	format := jsontext.Format{Name: "the object", Root: "a JSON object", MaxItems: math.MaxInt, MaxDepth: value.MaxDepth, Plain: true}
	unlimited := meter.New(math.MaxInt, math.MaxInt)
	root, wrong := jsontext.Read(string(text), format, &unlimited)
	if len(wrong) > 0 {
		return nil, placed(wrong, string(text))
	}
	object, ok := root.Value.(map[string]any)
	if !ok {
		message := describeNode(root) + " is not an object { … }"
		return nil, placed([]jsontext.Error{{Offset: root.Start, Message: message}}, string(text))
	}
	return object, nil
}

// placed returns one error for everything that is wrong with a text, each with its line
// and column.
func placed(wrong []jsontext.Error, text string) error {
	slices.SortStableFunc(wrong, func(a, b jsontext.Error) int { return a.Offset - b.Offset })
	all := make([]error, 0, len(wrong))
	c := jsontext.NewCursor(text)
	for _, e := range wrong {
		line, column := c.MoveTo(e.Offset)
		all = append(all, fmt.Errorf("line %d, column %d: %s", line, column, value.OneLine(e.Message)))
	}
	return errors.New(value.ErrorList("the text cannot be used as an object", all))
}

// ToObject turns a typed VM, or any other value that JSON writes as an object, into the form
// that Validate takes. Numbers keep every digit. Pass JSON text as a json.RawMessage. If a
// key appears twice in the text, the last one counts; ParseObject refuses such a text.
func ToObject(v any) (object map[string]any, err error) {
	// The methods of v belong to the caller, and may panic if v is only half built.
	defer func() {
		if failure := recover(); failure != nil {
			object, err = nil, fmt.Errorf("%T has no JSON form: writing it panics: %s", v, value.Shortened(fmt.Sprint(failure)))
		}
	}()
	if err := jsontext.CheckRaw(v); err != nil {
		return nil, err
	}
	decoded, err := value.ThroughJSON(v)
	if err != nil {
		return nil, fmt.Errorf("%T has no JSON form: %w", v, err)
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is %s in JSON, not an object (for JSON text, pass a json.RawMessage)", v, value.Describe(decoded))
	}
	return object, nil
}
