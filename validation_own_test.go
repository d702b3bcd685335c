package vmrules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/plan"

	"github.com/vmrules/vmrules/internal/meter"
)

func annotated(validations any) map[string]any {
	return map[string]any{
		"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{Annotation: validations}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}},
	}
}

// TestProblemsOfAllVMs: ValidateOwn judges each VM whose rules it can read, and reports all
// problems of the others.
func TestProblemsOfAllVMs(t *testing.T) {
	list := map[string]any{"kind": "List", "items": []any{
		annotated("{"), annotated(7), annotated(`[{"name": "r", "rule": "string", "path": "jsonpath::.a", "message": "m"}]`),
		annotated(`[1]`),
		map[string]any{"kind": "Template", "metadata": map[string]any{"annotations": map[string]any{OldAnnotation: "[2]"}},
			"objects": []any{map[string]any{"kind": "VirtualMachine"}}},
	}}
	report, err := ValidateOwn(list)
	var parsed *ParseError
	if !errors.As(err, &parsed) {
		t.Fatalf("%v", err)
	}
	var sources []string
	for _, p := range parsed.Problems {
		sources = append(sources, p.Source)
	}
	if diff := cmp.Diff([]string{"VM items[0]", "VM items[1]", "VM items[3]", "template items[4]"}, sources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := only(t, report); got.Target != "items[2]" || got.Outcome != Violated {
		t.Errorf("%s", got)
	}
	want := `VM items[1]: the annotation vm.kubevirt.io/validations must be a string that holds JSON, not 7`
	if got := parsed.Problems[1].Error(); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// TestRulesForSeveral: RulesFor refuses VMs that have different rules.
func TestRulesForSeveral(t *testing.T) {
	const one = `[{"name": "r", "rule": "string", "path": "jsonpath::.a", "message": "m"}]`
	exempt := annotated(one)
	exempt["metadata"].(map[string]any)["annotations"].(map[string]any)[SkipAnnotation] = "true"
	list := func(vms ...any) map[string]any { return map[string]any{"kind": "List", "items": vms} }
	tests := []struct {
		name string
		vms  map[string]any
		want int // rules; -1 for an error
	}{
		{"the same", list(annotated(one), annotated(one)), 1},
		{"some without", list(annotated(nil), annotated(one)), 1},
		{"different", list(annotated(one), annotated("[]")), -1},
		{"some exempt", list(exempt, annotated(one)), -1},
		{"all exempt", list(exempt, exempt), 0},
		{"different types", list(annotated(one), annotated(map[string]any{})), -1},
	}
	for _, test := range tests {
		rules, err := RulesFor(test.vms, nil)
		if (err != nil) != (test.want < 0) || err == nil && rules.Len() != test.want {
			t.Errorf("%s: %d rules, %v", test.name, rules.Len(), err)
		}
		if err != nil && !strings.Contains(err.Error(), "VM: the VirtualMachines inside have different rules: judge each by its own") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestFullReportOfOwn: if the budget is too small for a VM, the VM has a result that says so,
// and the others are still judged.
func TestFullReportOfOwn(t *testing.T) {
	many := make([]string, 2500)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"%d","rule":"integer","path":"jsonpath::.spec","message":"m","valid":"jsonpath::.a"}`, i)
	}
	hungry := annotated("[" + strings.Join(many, ",") + "]")
	modest := annotated("[" + many[0] + "]")
	list := map[string]any{"kind": "List", "items": []any{modest, hungry, modest, modest}}
	text := "[" + strings.Join(many, ",") + "]"
	reading := parseOptionsOf(nil)
	if _, problems := parseRules(text, reading); problems != nil {
		t.Fatal(problems)
	}
	_, left := reading.budget.Left()
	report, err := ValidateOwn(list, WithBudget(Budget{Kept: 2*(meter.DefaultKept-left) + len(many)*resultSize}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range report.Results() {
		got[fmt.Sprint(r.Target, " ", r.Outcome, " ", detailOf(r))]++
	}
	want := map[string]int{
		"items[0] Skipped ": 1, "items[2] Skipped ": 1, "items[3] Skipped ": 1,
		"items[1] Undecided this VM is not judged: the budget for memory is used up": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// TestBudgetOfOwn: all VMs share one budget, and each rule has the outcome that it has without
// a budget, or is undecided.
func TestBudgetOfOwn(t *testing.T) {
	vm := annotated(`[{"name":"n","rule":"string","path":"jsonpath::.spec.hostname","message":"m"}]`)
	vm["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["hostname"] = strings.Repeat("x", 100_000)
	vms := slices.Repeat([]any{vm}, 12)
	report, err := ValidateOwn(map[string]any{"kind": "List", "items": vms}, WithBudget(Budget{Work: 12 * 1000 * plan.Work}))
	if err != nil {
		t.Fatal(err)
	}
	judged := len(vms) - len(report.Results(Undecided))
	if judged < 3 || judged > 11 || report.Valid() {
		t.Errorf("%d of %d are judged: %s", judged, len(vms), report)
	}
}
