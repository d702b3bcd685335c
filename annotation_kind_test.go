package vmrules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// TestOwnCheckersApart: no VM of a list is Undecided because of the others, whether they are
// large, spend much, or have a value that JSON does not have.
func TestOwnCheckersApart(t *testing.T) {
	kind := vmrules.WithKind("any", func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return satisfied{}, nil })
	const one = `{"name": "one", "rule": "any", "path": "jsonpath::.spec", "message": "m"}`
	hungry := ""
	for i := range 200 {
		hungry += fmt.Sprintf(`{"name": "%d", "rule": "integer", "path": "jsonpath::..x", "message": "m"}, `, i)
	}
	vm := func(rules string, size int) map[string]any {
		return map[string]any{
			"kind":     "VirtualMachine",
			"metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: "[" + rules + "]"}},
			"spec":     map[string]any{"template": map[string]any{"spec": map[string]any{"list": make([]bool, size)}}},
		}
	}
	odd := vm(one, 1)
	odd["odd"] = func() {}
	var many []map[string]any
	for range 300 {
		many = append(many, vm(one, 4000))
	}
	for name, test := range map[string]struct {
		vms  []map[string]any
		want map[vmrules.Outcome]int // of the rule "one"
	}{
		"many": {many, map[vmrules.Outcome]int{vmrules.Satisfied: 300}},
		"hungry": {[]map[string]any{vm(hungry+one, 9000), vm(one, 1)},
			map[vmrules.Outcome]int{vmrules.Undecided: 1, vmrules.Satisfied: 1}},
		"odd": {[]map[string]any{vm(one, 1), odd}, map[vmrules.Outcome]int{vmrules.Satisfied: 1, vmrules.Undecided: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := vmrules.ValidateOwn(map[string]any{"kind": "List", "items": test.vms}, vmrules.WithParseOptions(kind))
			if err != nil {
				t.Fatal(err)
			}
			got := map[vmrules.Outcome]int{}
			for _, result := range report.Results() {
				if result.Rule == "one" {
					got[result.Outcome]++
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

type satisfied struct{}

func (satisfied) Check(*vmrules.Input) vmrules.Verdict {
	return vmrules.Verdict{Outcome: vmrules.Satisfied}
}
