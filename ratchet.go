package vmrules

import (
	"reflect"
	"slices"

	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// Ratcheting makes an update fail only by what it changes. It needs WithOldObject: without an
// old object, as when an object is created, it has no effect.
//
// A violation that the old object has too is a warning. That means the same rule, argument,
// limit and value at the same place, or a value that is missing in both. Items of the lists
// disks, volumes, interfaces and networks are the same if they have the same name, and items of
// other lists if they have the same index. A rule that is Undecided in both objects for the
// same reason is Warned, unless the reason is DoubtBound. If nothing else is wrong with a rule,
// it is Warned, with the Note "not changed by this update".
//
// Both objects are judged by the same rules. With WithInstancetypes, each is expanded with what
// it names itself.
func Ratcheting() ValidateOption { return validateOption(func(s *settings) { s.ratchets = true }) }

const notChanged = "not changed by this update"

// ratchet turns what the old object has too into warnings, in the decision about a rule.
func (e *evaluation) ratchet(r *rule, t *target) {
	d := e.decision
	if !e.ratchets || e.old == nil || !d.fails() || d.Undecided == DoubtBound {
		return
	}
	before := e.oldTarget(t)
	if before == nil {
		return
	}
	old := e.judgeOld(r, before)
	then := vmtarget.NewPlaces(before, &e.budget.Meter)
	known := map[string][]olden{}
	for i := range old.Violations {
		at, found := then.Of(old.Violations[i].Pointer)
		known[at] = append(known[at], olden{&old.Violations[i], found})
	}
	now := vmtarget.NewPlaces(t, &e.budget.Meter)
	for i := range d.Violations {
		v := &d.Violations[i]
		at, found := now.Of(v.Pointer)
		v.Warning = v.Warning || d.Undecided == old.Undecided && slices.ContainsFunc(known[at], func(old olden) bool { return e.isSame(v, found, old) })
	}
	if e.isSpent() {
		return
	}
	if !slices.ContainsFunc(d.Violations, Violation.fails) {
		d.Outcome, d.Undecided, d.Note = Warned, "", notChanged
	}
	e.decision = d
}

// judgeOld judges a rule for the old object, for which there is no older one.
func (e *evaluation) judgeOld(r *rule, before *target) decision {
	old, checking := e.old, e.checking
	e.old, e.checking = nil, nil
	e.decision = decision{}
	e.judge(r, before, nil)
	e.old, e.checking = old, checking
	return e.decision
}

// oldTarget returns the target that a target was before the update; nil if it is new.
func (e *evaluation) oldTarget(t *target) *target {
	if e.before == nil {
		e.before = e.appendTargets([]target{}, value.Resolve(e.old), RootTemplate)
	}
	for i := range e.before {
		if old := &e.before[i]; old.Name == t.Name && slices.Equal(old.At, t.At) {
			return old
		}
	}
	return nil
}

// An olden is a violation by the old object, and what it is about.
type olden struct {
	*Violation
	found any
}

// isSame reports whether a violation says the same as an old one at the same place.
func (e *evaluation) isSame(v *Violation, found any, old olden) bool {
	switch {
	case v.Reason != old.Reason, v.Argument != old.Argument, !reflect.DeepEqual(v.Limit, old.Limit), !reflect.DeepEqual(v.Value, old.Value):
		return false
	case v.Reason == ReasonInternal:
		return v.Detail == old.Detail
	}
	return v.Value != nil || v.Reason == ReasonRequired || value.IsEqual(found, old.found, &e.budget.Meter)
}
