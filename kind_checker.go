package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
)

// A Checker checks what a rule of its kind selects. It must be safe for concurrent
// use. Rules and objects are hostile input, so it must bound its own time.
type Checker interface {
	// Check checks one target. It must not change or keep anything that the
	// Input holds. If it panics, the rule is Undecided.
	//
	// It is called if the path selects something. If it selects nothing, the rule is
	// violated, as those of the format are; unless the Checker has a method
	// ChecksAbsence(), with which it is called then, too.
	Check(*Input) Verdict
}

// A Checker with this method is also called if the path selects nothing.
type absenceChecker interface{ ChecksAbsence() }

// An Input is what a Checker sees. However the object was decoded, all values
// have the types of Kubernetes' unstructured objects: map[string]any, []any,
// string, bool, nil, int64 for every whole number that fits, float64 for every
// other number whose digits it keeps, and json.Number for the rest. They are
// shared, with other rules and with the caller of Validate.
type Input struct {
	Root any // where the rule's paths begin
	// Object is the VM that Root is part of, without the template or list around it; or
	// Root itself. WithInstancetypes expands both Object and OldObject.
	Object any
	// OldObject is Object before the update, from WithOldObject; nil if there is none.
	OldObject any
	// Values are what the rule's path selects, in document order. Each Field
	// starts at the object that Validate was given. A field that always exists is
	// among them if the path names it. Nothing is added below a value: it has
	// only the fields that the object has. If an instance type or a preference
	// may set a field inside a value, the rule is Undecided and Check is not called.
	Values []Match
	// OldValue is what the path selects in OldObject; nil if it selects nothing.
	// It is always nil unless the path has only names: after an update, an index
	// may select another item.
	OldValue any
	// OldObjectUnknown means that there is an old object, but that its VM cannot be
	// found, because the new VM is an item of a list or template, or that OldValue
	// cannot be known, because an instance type or a preference may set it.
	OldObjectUnknown bool

	judgement *judgement
	places    []located // of Values
	err       error     // why the verdict does not count
}

// A located value is written at a location, or is a default for it.
type located struct {
	at      jsonpath.Location
	standIn jsonpath.StandIn
}

// A Verdict is what a Checker decides. The zero Verdict leaves the rule Undecided.
type Verdict struct {
	// Outcome is OutcomeSatisfied, OutcomeViolated, OutcomeSkipped, OutcomeIgnored or
	// OutcomeUndecided. Any other value counts as OutcomeUndecided. If there are
	// Violations, so does any Outcome except OutcomeViolated.
	Outcome Outcome
	// Note says why the rule is skipped, ignored or undecided. If it is violated,
	// Note says what could not be decided.
	Note string
	// Doubt is why the rule is undecided; "" means DoubtKind.
	Doubt Doubt
	// Violations say what is wrong if the Outcome is OutcomeViolated. Start each with
	// Input.Violation.
	Violations []Violation
}

// Violation returns a violation by Values[i], or by the value at the names (string)
// and indexes (int) below it. If i is -1, or there is no such value, the violation is
// about the path itself, which selects nothing. The Checker then sets the Reason
// (FieldValueInvalid if empty), the Detail, and the Argument and Limit that are broken.
// It may set a Message to use instead of the rule's.
func (in *Input) Violation(i int, below ...any) Violation {
	if in == nil || i < 0 || i >= len(in.Values) {
		if in.isHandmade() {
			return Violation{}
		}
		t, path := in.judgement.target, in.judgement.rule.Path.parsed
		return Violation{Field: t.At.Field(path), Pointer: t.At.PointerOf(path)}
	}
	m := in.Values[i]
	if i >= len(in.places) { // an Input made by a test
		return Violation{Field: m.Field, Value: value.Canonical(m.Value)}
	}
	from := in.places[i]
	at := slices.Clone(from.at)
	for _, step := range below {
		at = append(at, jsonpath.ElementOf(step))
	}
	found := jsonpath.Lookup(m.Value, at[len(from.at):])
	return Violation{
		Field: at.String(), Pointer: at.Pointer(), Value: value.Canonical(found), Origin: in.judgement.target.OriginOf(at, from.standIn),
	}
}

// isHandmade reports whether the Input is not from a call of Validate but, for instance, from a test.
func (in *Input) isHandmade() bool { return in == nil || in.judgement == nil }

// Find returns what another path selects in Root, with defaults, in document order. It
// pays from the Budget of the call. An error says why the values cannot be known, for
// instance because an instance type may set the field, or one inside it. After an error the rule is
// Undecided with the right Doubt, whatever the Checker says; so the error has no type of its own.
func (in *Input) Find(path Path) ([]Match, error) {
	if in == nil {
		return nil, nil
	}
	j := in.judgement
	if in.isHandmade() {
		return path.Find(in.Root)
	}
	var matches []Match
	var open error
	w := j.call.Search(j.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		if open = j.openInside(w, v); open != nil || !w.Pay(matchWork, w.At().TextSize()+matchSize) {
			return false
		}
		matches = append(matches, Match{w.At().String(), j.plain(w, v)})
		return true
	}))
	err := w.Run(path.parsed, in.Root) // which sets open
	if err = cmp.Or(err, doubtOf(j.target, &w), open); err != nil {
		in.err = cmp.Or(in.err, err)
		return nil, err
	}
	return matches, nil
}

// UnfilledParameter returns the first template parameter, such as ${NAME}, that is not
// filled in inside a value of the Input; "" if there is none. If there is one in Values,
// the rule is Undecided and Check is not called. A Checker that looks at other values
// must ask.
func (in *Input) UnfilledParameter(v any) string {
	if in.isHandmade() || !in.judgement.target.HasParameters {
		return ""
	}
	name := parameter.Inside(v, true, &in.judgement.call.budget.Meter)
	in.err = cmp.Or(in.err, in.judgement.call.budget.Err())
	return name
}

// Spend pays from the Budget of the call for what a Checker is about to do: about the time that
// it takes on a usual core, and the bytes that it keeps. It returns an error, which has no
// type of its own, if the Budget is too small. The rule is then Undecided, whatever the Checker says.
func (in *Input) Spend(time time.Duration, bytes int64) error {
	if in.isHandmade() {
		return nil
	}
	err := in.judgement.call.budget.Pay(time, bytes)
	in.err = cmp.Or(in.err, err)
	return err
}

// checking is what the Checkers see of one target.
type checking struct {
	of          *target
	object, old any // with the types of an Input; nil: none
	err         error
}

// startChecking prepares the target for Checkers when the first one needs it. It
// prepares each target separately, so that no target pays or fails for another.
func (e *evaluation) startChecking(t *target) *checking {
	c := &e.checking
	if c.of == t {
		return c
	}
	*c = checking{of: t}
	c.object, c.err = value.Plain(t.VM, len(t.VMAt), &e.budget.Meter)
	if c.err == nil && e.given.old != nil && !t.IsItem() {
		c.old, c.err = value.Plain(e.oldVM(t), len(t.VMAt), &e.budget.Meter)
	}
	return c
}

// oldVM returns the VM of a target as it was before the update, expanded if the new one is.
func (e *evaluation) oldVM(t *target) any {
	if e.given.find != nil {
		if old := e.oldTarget(t); old != nil {
			return e.full(old).VM
		}
	}
	return jsonpath.Lookup(e.given.old, t.VMAt)
}

// check asks the Checker of a kind that is not one of the format. It returns false to end the judgement.
func (j *judgement) check() bool {
	c := j.call.startChecking(j.target)
	if c.err != nil {
		j.undecided("", c.err)
		return false
	}
	in := &Input{judgement: j, OldObjectUnknown: j.call.given.old != nil && j.target.IsItem()}
	in.Root, in.Object = jsonpath.Lookup(c.object, j.target.At[len(j.target.VMAt):]), c.object
	if err := cmp.Or(in.selectValues(), in.selectOld()); err != nil {
		j.stop(err)
		return false
	}
	if _, ok := j.rule.checker.(absenceChecker); !ok && len(in.Values) == 0 {
		j.missing()
		return false
	}
	var verdict Verdict
	if panics := safely(func() { verdict = j.rule.checker.Check(in) }); panics != nil {
		verdict = Verdict{Outcome: OutcomeUndecided, Note: fmt.Sprintf("the kind %s failed: %s", value.Quoted(string(j.rule.Kind)), panics)}
	}
	if in.err != nil {
		j.undecided("", in.err)
		return false
	}
	return j.conclude(in, verdict)
}

// selectValues finds what the rule's path selects. It pays for everything inside the
// values, since the Checker will look at it.
func (in *Input) selectValues() error {
	j := in.judgement
	var doubt error
	w := j.call.Search(j.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		why := unfilledParameter(parameter.Inside(v, j.target.HasParameters, &j.call.budget.Meter))
		if why != nil {
			why = j.atField(w, why)
		} else {
			why = j.openInside(w, v)
		}
		if why != nil {
			j.keepDoubt("", why)
			doubt = cmp.Or(doubt, why)
			return j.call.keepsDoubts()
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
	return cmp.Or(err, doubtOf(j.target, &w), doubt)
}

// openInside returns an error if an instance type or a preference may set a field inside a value.
func (j *judgement) openInside(w *jsonpath.Search, v any) error {
	if by := w.SetInside(v); by != 0 {
		return openField("fields of "+w.At().String(), by, j.target.WhyOpen)
	}
	return nil
}

// plain returns a value that was found in a plain object, and makes a default plain, too.
func (j *judgement) plain(w *jsonpath.Search, v any) any {
	if w.StandIn() == jsonpath.Written {
		return v
	}
	converted, _ := value.Plain(v, 0, &j.call.budget.Meter)
	return converted
}

// selectOld finds what the path selects in the old object, if the path has only names.
func (in *Input) selectOld() error {
	j := in.judgement
	if j.call.checking.old == nil {
		return nil
	}
	in.OldObject = j.call.checking.old
	if _, ok := j.rule.Path.parsed.Names(); !ok {
		return nil
	}
	old := j.target
	if before := j.call.oldTarget(old); before != nil {
		old = j.call.full(before)
	}
	w := j.call.Search(old, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		in.OldValue, in.OldObjectUnknown = j.plain(w, v), w.SetInside(v) != 0
		return false
	}))
	err := w.Run(j.rule.Path.parsed, jsonpath.Lookup(j.call.checking.old, j.target.At[len(j.target.VMAt):]))
	if in.OldObjectUnknown = in.OldObjectUnknown || w.Doubt() != nil; in.OldObjectUnknown {
		in.OldValue = nil
	}
	return err
}

// conclude makes a verdict the rule's result; true if the rule's arguments still have to be checked.
func (j *judgement) conclude(in *Input, v Verdict) bool {
	switch {
	case v.Outcome == OutcomeSatisfied && len(v.Violations) == 0:
		j.result.Outcome = OutcomeSatisfied
		return j.rule.hasArguments()
	case len(v.Violations) == 0 && (v.Outcome == OutcomeSkipped || v.Outcome == OutcomeIgnored):
		j.end(v.Outcome, v.Note)
	case v.Outcome == OutcomeViolated:
		j.checkViolated(in, v)
	default:
		note := cmp.Or(v.Note, fmt.Sprintf("the kind %s gave no verdict", value.Quoted(string(j.rule.Kind))))
		j.undecided("", doubtful(cmp.Or(v.Doubt, DoubtKind), errors.New(note)))
	}
	return false
}

// checkViolated reports what a Checker found. Under Partial, a missing value may still be filled in.
func (j *judgement) checkViolated(in *Input, v Verdict) {
	found := v.Violations
	if len(found) == 0 {
		found = []Violation{in.Violation(0)}
		found[0].Detail = v.Note
		v.Note = ""
	}
	for _, violation := range found {
		if j.call.given.partial && (violation.Reason == ReasonRequired || violation.Value == "") {
			j.notYet = errNotFilledIn.Error()
			continue
		}
		violation = in.complete(violation)
		if err := j.call.budget.Spend(plan.WrongWork, violation.size()); err != nil {
			j.undecided("", err)
			return
		}
		j.result.Violations = append(j.result.Violations, violation)
	}
	if len(j.result.Violations) == 0 {
		j.wait(errNotFilledIn.Error())
		return
	}
	j.violated()
	if j.result.Note = v.Note; v.Note != "" {
		j.keepDoubt("", doubtful(cmp.Or(v.Doubt, DoubtKind), errors.New(v.Note)))
	}
}

// complete fills in what a Checker left empty in a violation.
func (in *Input) complete(v Violation) Violation {
	j := in.judgement
	v.Rule, v.Warned = j.rule.Name, j.rule.JustWarning
	v.Value, v.Limit = value.Canonical(value.Resolve(v.Value)), jsontext.Writable(v.Limit)
	v.Message = cmp.Or(v.Message, j.rule.Message)
	v.Detail = cmp.Or(v.Detail, fmt.Sprintf("the kind %s does not allow it", value.Quoted(string(j.rule.Kind))))
	if v.Reason == ReasonInternal || reasonWords[v.Reason] == "" {
		v.Reason = ReasonInvalid
	}
	if v.Origin != OriginDefault {
		return v
	}
	for i, m := range in.Values {
		if m.Field == v.Field {
			v.Detail = explained(in.places[i].standIn, "", value.Describe(m.Value), v.Detail)
		}
	}
	return v
}
