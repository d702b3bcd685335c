package crd

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

func TestDoubt(t *testing.T) {
	for _, test := range []struct {
		name     string
		violated bool
		doubts   []error
		want     vmrules.Verdict // without the violations
	}{
		{"an error", false, []error{errors.New("a"), errors.New("b")}, vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: "a", Doubt: vmrules.DoubtKind}},
		{"a limit, and an error", false, []error{boundError("a"), errors.New("b")}, vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: "a", Doubt: vmrules.DoubtBound}},
		{"an error, and limits", false, []error{errors.New("a"), boundError("b"), boundError("c")},
			vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: "b", Doubt: vmrules.DoubtBound}},
		{"a violation, and a limit", true, []error{errHostileQuantity},
			vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Note: "not decided: " + errHostileQuantity.Error(), Doubt: vmrules.DoubtBound}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &findings{in: &vmrules.Input{}}
			if test.violated {
				f.violate(0, nil, vmrules.ReasonInvalid, "is wrong", "")
			}
			for _, err := range test.doubts {
				f.doubt("%w", err)
			}
			got := f.verdict()
			got.Violations = nil
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
