package vmrules

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmsource"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// ratchet turns what the old object has too into warnings, in the result of a rule that was
// validated by a target, which is t or its full form.
func (e *evaluation) ratchet(r *rule, t, by *target) {
	d := &e.judgement.result
	if !d.fails() || r.unusable != nil {
		return
	}
	before := e.forgiven(t)
	if before == nil {
		return
	}
	old, doubts, then := e.judgeOld(r, before)
	if d.Doubt != old.Doubt || !e.wasDoubted(before, doubts, t) {
		return
	}
	known := map[string][]oldViolation{}
	for i := range old.Violations {
		at, found := then.Of(old.Violations[i].Pointer)
		known[at] = append(known[at], oldViolation{&old.Violations[i], found})
	}
	now := vmtarget.NewPlaces(by, &e.budget.Meter)
	violations := slices.Clone(d.Violations)
	for i := range violations {
		v := &violations[i]
		at, found := now.Of(v.Pointer)
		_ = e.budget.Spend(len(known[at])*plan.WrongWork, 0)
		v.Warned = v.Warned || slices.ContainsFunc(known[at], func(old oldViolation) bool { return e.isSame(v, found, old) })
	}
	if e.budget.Err() != nil || now.Doubt || then.Doubt {
		return
	}
	d.Violations = violations
	if !slices.ContainsFunc(violations, Violation.fails) {
		d.Outcome, d.Note = OutcomeWarned, unchanged
	}
}

// ratchetSource makes the result of a target without usable rules a warning, if the update
// changes neither the rules nor what they validate.
func (e *evaluation) ratchetSource(t *target, d Result) Result {
	if e.warnsOf(d.Doubt) {
		d.Violations[0].Warned = true
	}
	before := e.forgiven(t)
	if before == nil || d.Doubt != DoubtTemplate &&
		(d.Doubt != DoubtRules || !value.IsEqual(value.At(before.VM, "spec"), value.At(t.VM, "spec"), &e.budget.Meter)) {
		e.noteBound(&d, nil)
		return d
	}
	d.Outcome, d.Note = OutcomeWarned, unchanged
	d.Violations[0].Warned = true
	return d
}

// noteBound notes in a result with violations which bound was met, beyond which it could be another, unless it says so.
func (e *evaluation) noteBound(d *Result, met error) {
	if met = cmp.Or(met, e.budget.Err()); met != nil && d.Note == "" && d.Doubt != DoubtBound && len(d.Violations) > 0 {
		d.Note = "not decided: " + met.Error()
	}
}

const unchanged = "not changed by this update"

// judgeOld decides a rule for the old object, for which there is no older one. It returns the
// result, all that was not decided, and places in the VM as it was validated.
func (e *evaluation) judgeOld(r *rule, before *target) (Result, []error, *vmtarget.Places) {
	older, checked, now := e.given.old, e.checking, e.judgement
	e.given.old, e.checking = nil, checking{}
	by := e.judge(r, before)
	then := e.judgement
	e.given.old, e.checking, e.judgement = older, checked, now
	return then.result, then.doubts, vmtarget.NewPlaces(by, &e.budget.Meter)
}

// wasDoubted reports whether each doubt about a rule in a target was there before, for the same
// reason. The text of a doubt about an instance type or a preference does not name it, so the names are compared too.
func (e *evaluation) wasDoubted(before *target, then []error, t *target) bool {
	known := map[string]bool{}
	for _, doubt := range then {
		known[doubt.Error()] = true
	}
	isNamed := func(what string) bool {
		return value.IsEqual(value.At(before.VM, "spec", what), value.At(t.VM, "spec", what), &e.budget.Meter)
	}
	for _, doubt := range e.judgement.doubts {
		kind := doubtIn(doubt)
		isOthers := kind == DoubtInstancetype || kind == DoubtPreference || kind == DoubtConflict
		if kind == DoubtBound || !known[doubt.Error()] || isOthers && !(isNamed("instancetype") && isNamed("preference")) {
			return false
		}
	}
	return true
}

// forgiven returns the oldTarget whose violations Ratcheting forgives, if the same rules were applied to it; or nil.
func (e *evaluation) forgiven(t *target) *target {
	if !e.given.ratchets || e.given.old == nil {
		return nil
	}
	if old := e.oldTarget(t); old != nil && (!e.isOwn || vmsource.Of(t).IsSame(vmsource.Of(old))) {
		return old
	}
	return nil
}

// oldTarget returns the target that a target was before the update; nil if it is new.
func (e *evaluation) oldTarget(t *target) *target {
	if e.before == nil {
		all := e.appendTargets(nil, value.Resolve(e.given.old), t.IsWhole)
		e.before = make(map[string]*target, len(all))
		for i := range all {
			e.before[all[i].Name] = &all[i]
		}
	}
	old := e.before[t.Name]
	if old == nil || !slices.Equal(old.At, t.At) || !slices.Equal(old.VMAt, t.VMAt) {
		return nil
	}
	return old
}

type oldViolation struct {
	*Violation
	found any
}

// isSame reports whether a violation says the same as an old one at the same place.
func (e *evaluation) isSame(v *Violation, found any, old oldViolation) bool {
	switch {
	case v.Reason != old.Reason, v.Argument != old.Argument, !reflect.DeepEqual(v.Limit, old.Limit), !reflect.DeepEqual(v.Value, old.Value):
		return false
	case v.Reason == ReasonInternal:
		return v.Detail == old.Detail
	}
	return v.Value != nil || v.Reason == ReasonRequired || value.IsEqual(found, old.found, &e.budget.Meter)
}
