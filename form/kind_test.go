package form_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// anything is the Checker of a kind that allows everything.
type anything struct{}

func (anything) Check(*vmrules.Input) vmrules.Verdict {
	return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
}

// TestLimitsOfOtherKinds checks that limits and schemas say that only the rule's kind can judge
// a value.
func TestLimitsOfOtherKinds(t *testing.T) {
	most := func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return anything{}, nil }
	rules := mustParse(t, `[{"name": "n", "rule": "most", "path": "jsonpath::.spec.domain.disks", "message": "m", "max": 3}]`,
		vmrules.WithKind("most", most))
	object := vmWith(`{"disks": []}`)
	limits := form.Limits(rules, object)
	want := []form.RuleNote{{Rule: "n", Message: "m", Note: "only the rule's kind knows which values it allows"}}
	if diff := cmp.Diff(want, limits[0].Must.Undecided); diff != "" || limits[0].Must.Max != "" {
		t.Errorf("%v (-want +got):\n%s", limits, diff)
	}
	left := form.Schema(rules, object)[form.SchemaUnexpressed]
	if diff := cmp.Diff([]any{map[string]any{"rule": "n", "reason": "only the rule's kind knows which values it allows"}},
		left); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
