package vmrules

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Checker judges what a rule of its kind selects. It is safe for concurrent
// use. Rules and objects are hostile input: it bounds its own time.
type Checker interface {
	// Check judges one target. It changes nothing that the Input holds, and
	// keeps nothing of it. It is called also where the path selects nothing.
	// Where it panics, the rule is Undecided.
	Check(*Input) Verdict
}

// An Input is what a Checker sees. However the object was decoded, all values
// have the types of Kubernetes' unstructured objects: map[string]any, []any,
// string, bool, nil, int64 for every whole number that fits, float64 for every
// other number whose digits it keeps, and json.Number for the rest. They are
// shared, with other rules and with the caller of Validate.
type Input struct {
	Root any // what the rule's paths call $
	// Object is what Root is part of: the VM, also where that stands in a
	// template or list; or Root itself.
	Object any
	// OldObject is Object in what WithOldObject gave; nil for none.
	OldObject any
	// Values is what the rule's path selects, in document order. Their Field
	// begins at the object that Validate was given. A field that always exists
	// is there where the path names it; below the values, nothing is added to
	// what the object has. A value in which an instance type or a preference
	// may set a field makes the rule Undecided without a Check.
	Values []Match
	// OldValue is what the path selects in OldObject; nil for nothing. Only a
	// path of names has one: an item of an array may be another one by now.
	OldValue any
	// OldObjectUnknown means that there is an old object, but not where in it the old
	// VM is, because the new one is an item of a list or template.
	OldObjectUnknown bool
	// IsPartial means that the object is a form that is not complete, as Partial says: a
	// violation with ReasonRequired, or by an empty string, is Skipped.
	IsPartial bool

	judgement *judgement
	places    []located // of Values
	err       error     // why what the Checker finds does not count
}

// Something located is at a place in an object, or counts there.
type located struct {
	at      jsonpath.Location
	standIn jsonpath.StandIn
}

// A Verdict is what a Checker says. The zero Verdict decides nothing.
type Verdict struct {
	// Outcome is Satisfied, Violated, Skipped, Ignored or Undecided. Any other
	// counts as Undecided, and so does one but Violated with violations.
	Outcome Outcome
	// Note says why the rule is skipped, ignored or undecided, and what of a
	// violated one could not be judged.
	Note string
	// Doubt is why the rule is undecided; DoubtKind if it is empty.
	Doubt Doubt
	// Violations are what is wrong, where the outcome is Violated. Each begins
	// as Input.Violation.
	Violations []Violation
}

// Violation begins a violation by Values[i], or by what is below it by
// the names (string) and indexes (int) that follow; by -1, or where there is no
// such value, it is about the path itself, which selects nothing. What is left
// to say is the Reason (FieldValueInvalid if empty), the Detail, a Message in
// place of the rule's, and what Argument and Limit it breaks.
func (in *Input) Violation(i int, below ...any) Violation {
	if i < 0 || i >= len(in.Values) {
		return in.pathViolation()
	}
	m := in.Values[i]
	if i >= len(in.places) { // an Input of somebody's test
		return Violation{Field: m.Field, Value: value.Canonical(m.Value)}
	}
	from := in.places[i]
	at := slices.Clone(from.at)
	for _, step := range below {
		at = append(at, elementOf(step))
	}
	found := jsonpath.Lookup(m.Value, at[len(from.at):])
	return Violation{
		Field: at.String(), Pointer: at.Pointer(), Value: value.Canonical(found), Origin: originOf(from.standIn),
	}
}

func (in *Input) pathViolation() Violation {
	if in.judgement == nil {
		return Violation{}
	}
	t, path := in.judgement.target, in.judgement.rule.Path
	return Violation{Field: t.At.Field(path.parsed), Pointer: pointerIn(t, path)}
}

// elementOf is a step as a Checker writes it. Another type than a string or an int
// is named by its type alone: what is in it may contain itself.
func elementOf(step any) jsonpath.Element {
	switch step := step.(type) {
	case int:
		return jsonpath.Item(max(step, 0))
	case string:
		return jsonpath.Member(step)
	}
	return jsonpath.Member(fmt.Sprintf("%T", step))
}

// Find selects what another path selects in Root, with defaults, in document order, and
// pays for it out of the Budget of the call. An error says why that cannot be known, for
// instance because an instance type may set the field; then, whatever the Checker says,
// the rule is Undecided.
func (in *Input) Find(path Path) ([]Match, error) {
	j := in.judgement
	if j == nil { // an Input of somebody's test
		return path.Find(in.Root)
	}
	var matches []Match
	w := j.walk(j.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		if !w.Pay(matchWork, w.At().TextSize()+matchSize) {
			return false
		}
		matches = append(matches, Match{w.At().String(), j.plain(w, v)})
		return true
	}))
	if err := cmp.Or(w.Run(path.parsed, in.Root), doubtOf(&w)); err != nil {
		in.err = cmp.Or(in.err, err)
		return nil, err
	}
	return matches, nil
}

// UnfilledParameter is the first parameter of a template, such as ${NAME}, that is not
// filled in somewhere inside a value of the Input; "" for none. A rule one of
// whose Values has one is Undecided without a Check; a Checker that looks
// elsewhere asks for itself.
func (in *Input) UnfilledParameter(v any) string {
	if in.judgement == nil || !in.judgement.target.HasParameters {
		return ""
	}
	w := in.judgement.walk(in.judgement.target, nil)
	name := in.judgement.inspect(&w, v)
	in.err = cmp.Or(in.err, w.Err())
	return name
}

// Spend pays for what a Checker is about to do, out of the Budget of the call:
// work in units of about a nanosecond, and bytes that it keeps. Where the budget
// does not suffice, it returns an error, and whatever the Checker then says, the
// rule is Undecided.
func (in *Input) Spend(work, kept int) error {
	if in.judgement == nil {
		return nil
	}
	err := in.judgement.budget.Spend(work, kept)
	in.err = cmp.Or(in.err, err)
	return err
}

// Shared is what Checkers keep during one call of Validate, such as a budget
// that they share: the value of a key, made by create where there is none yet.
// The key should have a type that nobody else has.
func (in *Input) Shared(key any, create func() any) any {
	if in.judgement == nil {
		return create()
	}
	c := in.judgement.checking
	if _, ok := c.kept[key]; !ok {
		c.kept[key] = create()
	}
	return c.kept[key]
}

// checking is what the Checkers of one call of Validate share.
type checking struct {
	kept map[any]any

	// What follows is of one target.
	of          *target
	object, old any // in the types of an Input; nil: none
	err         error
}

// startChecking prepares the target for Checkers, once it turns out that there
// are any: each for itself, so that none pays or fails for what stands beside it.
func (e *evaluation) startChecking(t *target) *checking {
	if e.checking == nil {
		e.checking = &checking{kept: map[any]any{}}
	}
	c := e.checking
	if c.of == t {
		return c
	}
	*c = checking{kept: c.kept, of: t}
	c.object, c.err = value.Plain(t.VM, len(t.VMAt), &e.budget.Meter)
	if c.err == nil && e.old != nil && !t.IsItem() {
		c.old, c.err = value.Plain(jsonpath.Lookup(e.old, t.VMAt), len(t.VMAt), &e.budget.Meter)
	}
	return c
}

// check asks the Checker of a kind that is not the format's. It returns false
// where that ends the judgement.
func (j *judgement) check() bool {
	c := j.startChecking(j.target)
	if c.err != nil {
		j.undecided("", c.err)
		return false
	}
	in := &Input{judgement: j, IsPartial: j.partial, OldObjectUnknown: j.old != nil && j.target.IsItem()}
	in.Root, in.Object = jsonpath.Lookup(c.object, j.target.At[len(j.target.VMAt):]), c.object
	err := cmp.Or(in.selectValues(), in.selectOld())
	switch {
	case isLeftOut(err):
		j.leftOut(err)
		return false
	case err != nil:
		j.undecided("", err)
		return false
	}
	verdict := checkSafely(j.rule, in)
	if in.err != nil {
		j.undecided("", in.err)
		return false
	}
	return j.conclude(in, verdict)
}

// selectValues finds what the rule's path selects. All that is in the values is
// paid for: the Checker will look at it.
func (in *Input) selectValues() error {
	j := in.judgement
	var doubt error
	w := j.walk(j.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		if name := j.inspect(w, v); name != "" {
			doubt = j.atField(w, unfilledParameter(name))
			return false
		}
		if by := w.SetInside(v); by != 0 {
			doubt = &leftOut{"fields of " + w.At().String(), by}
			return false
		}
		if !w.Pay(matchWork, w.At().TextSize()+matchSize+len(w.At())*jsonpath.ElementSize) {
			return false
		}
		at := slices.Clone(w.At())
		in.Values = append(in.Values, Match{at.String(), j.plain(w, v)})
		in.places = append(in.places, located{at, w.StandIn()})
		return w.Err() == nil
	}))
	err := w.Run(j.rule.Path.parsed, in.Root)
	return cmp.Or(err, doubtOf(&w), doubt)
}

// plain is a value that is found in a plain object, where a default is not.
func (j *judgement) plain(w *jsonpath.Search, v any) any {
	if w.StandIn() == jsonpath.Written {
		return v
	}
	converted, _ := value.Plain(v, 0, &j.budget.Meter)
	return converted
}

// inspect looks at all that is in a plain value, and finds the first parameter
// of a template that is not filled in; "" for none.
func (j *judgement) inspect(w *jsonpath.Search, v any) string {
	if !w.Pay(value.PlainWork, 0) {
		return ""
	}
	switch v := v.(type) {
	case string:
		if w.Pay(len(v)/100*value.PlainWork, 0) && j.target.HasParameters {
			return parameter.First(v)
		}
	case []any:
		for _, next := range v {
			if found := j.inspect(w, next); found != "" {
				return found
			}
		}
	case map[string]any:
		if !j.target.HasParameters { // then the order does not matter
			for _, next := range v {
				j.inspect(w, next)
			}
			return ""
		}
		for _, name := range value.Names(v) {
			if found := cmp.Or(j.inspect(w, name), j.inspect(w, v[name])); found != "" {
				return found
			}
		}
	}
	return ""
}

// selectOld finds what the path selects in the old object, if the way there
// names each step.
func (in *Input) selectOld() error {
	j := in.judgement
	if j.checking.old == nil {
		return nil
	}
	in.OldObject = j.checking.old
	if _, ok := j.rule.Path.Names(); !ok {
		return nil
	}
	w := j.walk(j.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		in.OldValue = j.plain(w, v)
		return false
	}))
	return w.Run(j.rule.Path.parsed, jsonpath.Lookup(j.checking.old, j.target.At[len(j.target.VMAt):]))
}

// checkSafely keeps a controller up when a Checker goes down.
func checkSafely(r *rule, in *Input) (verdict Verdict) {
	defer func() {
		if failure := recover(); failure != nil {
			verdict = Verdict{Outcome: Undecided, Note: fmt.Sprintf("the kind %s failed: %s", value.Quoted(string(r.Kind)), value.Shortened(fmt.Sprint(failure)))}
		}
	}()
	return r.checker.Check(in)
}

// conclude makes a verdict the rule's result. It returns true where the rule's
// arguments still have to be judged.
func (j *judgement) conclude(in *Input, v Verdict) bool {
	switch {
	case v.Outcome == Satisfied && len(v.Violations) == 0:
		j.result.Outcome = Satisfied
		return j.rule.hasArguments()
	case len(v.Violations) == 0 && (v.Outcome == Skipped || v.Outcome == Ignored):
		j.end(v.Outcome, v.Note)
	case v.Outcome == Violated:
		j.checkViolated(in, v)
	default:
		note := cmp.Or(v.Note, fmt.Sprintf("the kind %s gave no verdict", value.Quoted(string(j.rule.Kind))))
		j.undecided("", doubtful{cmp.Or(v.Doubt, DoubtKind), errors.New(note)})
	}
	return false
}

// checkViolated reports what a Checker found. Under Partial, what is not there
// may come.
func (j *judgement) checkViolated(in *Input, v Verdict) {
	found := v.Violations
	if len(found) == 0 {
		found = []Violation{in.Violation(0)}
		found[0].Detail = v.Note
		v.Note = ""
	}
	for _, violation := range found {
		if j.partial && (violation.Reason == ReasonRequired || violation.Value == "") {
			continue
		}
		violation = in.complete(violation)
		if err := j.budget.Spend(violationWork, violation.size()); err != nil {
			j.undecided("", err)
			return
		}
		j.result.Violations = append(j.result.Violations, violation)
	}
	if len(j.result.Violations) == 0 {
		j.end(Skipped, errNotFilledIn.Error())
		return
	}
	j.violated()
	j.result.Note = v.Note
}

// writableLimit is a limit, or nil for one that JSON cannot write: a report has to
// be written whatever a Checker puts into it.
func writableLimit(limit any) any {
	switch limit.(type) {
	case nil, string, bool, json.Number, []string:
		return limit
	}
	if _, err := json.Marshal(limit); err != nil {
		return nil
	}
	return limit
}

// complete says of a Checker's violation what it left open.
func (in *Input) complete(v Violation) Violation {
	j := in.judgement
	v.Rule, v.Warning = j.rule.Name, j.rule.JustWarning
	v.Value, v.Limit = value.Canonical(value.Resolve(v.Value)), writableLimit(v.Limit)
	v.Message = cmp.Or(v.Message, j.rule.Message)
	v.Detail = cmp.Or(v.Detail, fmt.Sprintf("the kind %s does not allow it", value.Quoted(string(j.rule.Kind))))
	if !v.Reason.isOfValue() {
		v.Reason = ReasonInvalid
	}
	if v.Origin != OriginDefault {
		return v
	}
	for i, m := range in.Values {
		if m.Field == v.Field {
			v.Detail = explain(in.places[i].standIn, m.Value, v.Detail)
		}
	}
	return v
}
