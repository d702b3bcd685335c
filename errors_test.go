package vmrules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// A spender is a Checker that spends more than the budget, and gives no verdict.
type spender struct{}

func (spender) Check(in *vmrules.Input) vmrules.Verdict {
	_ = in.Spend(1<<40, 0)
	return vmrules.Verdict{}
}

// TestDoubts covers cases that vectors cannot express: options, kinds, and objects that are
// too large for a file.
func TestDoubts(t *testing.T) {
	const path = `"path": "jsonpath::.spec.domain.n"`
	kind := vmrules.WithKind("spender", func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return spender{}, nil })
	work := func(most int) vmrules.ValidateOption { return vmrules.WithBudget(vmrules.Budget{Work: most}) }
	for _, test := range []struct {
		name, rule  string
		n, argument any
		option      vmrules.ValidateOption
		want        vmrules.Doubt
		about       string
	}{
		{"a path selects too many", `"rule": "integer", "path": "jsonpath::.spec.domain.n[*]"`, make([]int, 10_001), nil, work(0),
			vmrules.DoubtBound, "10,000 values"},
		{"an argument's path selects too many", `"rule": "integer", "max": "jsonpath::.spec.domain.argument[*]", ` + path, 1,
			make([]int, 10_001), work(0), vmrules.DoubtBound, "max cannot be read"},
		{"an argument is too dear", `"rule": "integer", "max": "jsonpath::.spec.domain.argument", ` + path, 1,
			strings.Repeat("9", 1_000_000), work(50_000), vmrules.DoubtBound, "the budget"},
		{"nothing can be paid for", `"rule": "integer", ` + path, 1, nil, work(1), vmrules.DoubtBound, "the budget"},
		{"not UTF-8", `"rule": "regex", "regex": "a", ` + path, "\xff", nil, work(0), vmrules.DoubtBound, "UTF-8"},
		{"a Checker spends too much", `"rule": "spender", ` + path, 1, nil, work(0), vmrules.DoubtBound, "the budget"},
	} {
		rules := rulesOf(t, fmt.Sprintf(`[{"name": "r", "message": "m", %s}]`, test.rule), kind)
		object := map[string]any{"spec": map[string]any{"domain": map[string]any{"n": test.n, "argument": test.argument}}}
		undecided := vmrules.Validate(rules, object, test.option).Results(vmrules.Undecided)
		if len(undecided) != 1 {
			t.Errorf("%s: the rule is decided", test.name)
			continue
		}
		detail := undecided[0].Violations[0].Detail
		if diff := cmp.Diff(test.want, undecided[0].Undecided); diff != "" || !strings.Contains(detail, test.about) {
			t.Errorf("%s: %s (-want +got):\n%s", test.name, detail, diff)
		}
	}
}
