package crd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
)

// maxViolations is how many violations of one rule are told.
const maxViolations = 1000

// findings are what a Checker finds about the values of one Input.
type findings struct {
	in    *vmrules.Input
	exact exactObjects

	violations []vmrules.Violation
	doubtful   string // what could not be judged first
	more       int    // violations that are not told
}

func newFindings(in *vmrules.Input) *findings { return &findings{in: in, exact: exactIn(in)} }

// missing is the verdict where the path selects nothing.
func (f *findings) missing() vmrules.Verdict {
	v := f.in.Violation(-1)
	v.Reason, v.Detail = vmrules.ReasonRequired, "the field is not set"
	return vmrules.Verdict{Outcome: vmrules.Violated, Violations: []vmrules.Violation{v}}
}

// doubt remembers what could not be judged.
func (f *findings) doubt(format string, args ...any) {
	if f.doubtful == "" {
		f.doubtful = fmt.Errorf(format, args...).Error()
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

// verdict sums up. Kubernetes' validators go through maps, so what they find is
// put in order.
func (f *findings) verdict() vmrules.Verdict {
	switch {
	case len(f.violations) == 0 && f.doubtful != "":
		return vmrules.Verdict{Outcome: vmrules.Undecided, Note: f.doubtful}
	case len(f.violations) == 0:
		return vmrules.Verdict{Outcome: vmrules.Satisfied}
	}
	slices.SortStableFunc(f.violations, func(a, b vmrules.Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Detail, b.Detail), cmp.Compare(a.Message, b.Message))
	})
	verdict := vmrules.Verdict{Outcome: vmrules.Violated, Violations: f.violations}
	switch {
	case f.doubtful != "":
		verdict.Note = "not judged: " + f.doubtful
	case f.more > 0:
		verdict.Note = fmt.Sprintf("%d more violations are not listed", f.more)
	}
	return verdict
}
