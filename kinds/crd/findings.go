package crd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
)

// maxViolations is the largest number of violations that are reported for one rule.
const maxViolations = 1000

// findings collects what a Checker finds out about the values of one Input.
type findings struct {
	in *vmrules.Input

	violations []vmrules.Violation
	doubtful   string // why something could not be decided
	why        vmrules.Doubt
	more       int // violations beyond maxViolations
}

// A boundError says which limit is exceeded.
type boundError string

func (e boundError) Error() string { return string(e) }

func boundErrorf(format string, args ...any) error { return boundError(fmt.Sprintf(format, args...)) }

// doubt records why something could not be decided. Only the first reason is kept. A limit that is
// exceeded counts as first, because no update is forgiven for it.
func (f *findings) doubt(format string, args ...any) {
	err, why := fmt.Errorf(format, args...), vmrules.DoubtKind
	if bound := boundError(""); errors.As(err, &bound) {
		why = vmrules.DoubtBound
	}
	if f.doubtful == "" || f.why != why && why == vmrules.DoubtBound {
		f.doubtful, f.why = err.Error(), why
	}
}

func (f *findings) violate(value int, steps []any, reason vmrules.Reason, detail, message string) {
	if len(f.violations) >= maxViolations {
		f.more++
		return
	}
	v := f.in.Violation(value, steps...)
	v.Reason, v.Detail, v.Message = reason, detail, message
	f.violations = append(f.violations, v)
}

// verdict returns the verdict on all values. It sorts the violations, because
// Kubernetes' validators find them in the random order of maps.
func (f *findings) verdict() vmrules.Verdict {
	switch {
	case len(f.violations) == 0 && f.doubtful != "":
		return vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: f.doubtful, Doubt: f.why}
	case len(f.violations) == 0:
		return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
	}
	slices.SortStableFunc(f.violations, func(a, b vmrules.Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Detail, b.Detail), cmp.Compare(a.Message, b.Message))
	})
	verdict := vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: f.violations}
	switch {
	case f.doubtful != "":
		verdict.Note, verdict.Doubt = "not decided: "+f.doubtful, f.why
	case f.more > 0:
		verdict.Note = fmt.Sprintf("%d more violations are not listed", f.more)
	}
	return verdict
}
