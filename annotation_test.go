package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/plan"

	"github.com/vmrules/vmrules/internal/meter"
)

func TestTemplateOf(t *testing.T) {
	tests := []struct {
		name            string
		metadata        any
		wantNS, wantTpl string
	}{
		{"labels", map[string]any{"labels": map[string]any{TemplateLabel: "win", TemplateNamespaceLabel: "openshift"}}, "openshift",
			"win"},
		{"old key", map[string]any{"labels": map[string]string{TemplateLabel: "win", OldTemplateNamespaceLabel: "old"}}, "old", "win"},
		{"new key before old",
			map[string]any{"labels": map[string]any{TemplateLabel: "win", TemplateNamespaceLabel: "new",
				OldTemplateNamespaceLabel: "old"}},
			"new", "win"},
		{"annotations", map[string]any{"annotations": map[string]any{TemplateLabel: "win", TemplateNamespaceLabel: "ns"}}, "ns", "win"},
		{"annotations, old key", map[string]any{"annotations": map[string]any{TemplateLabel: "win", OldTemplateNamespaceLabel: "ns"}},
			"ns", "win"},
		{"labels before annotations",
			map[string]any{"labels": map[string]any{TemplateLabel: "a", TemplateNamespaceLabel: "na"},
				"annotations": map[string]any{TemplateLabel: "b", TemplateNamespaceLabel: "nb"}},
			"na", "a"},
		{"labels without a namespace, complete annotations",
			map[string]any{"labels": map[string]any{TemplateLabel: "a"},
				"annotations": map[string]any{TemplateLabel: "b", TemplateNamespaceLabel: "ns"}},
			"ns", "b"},
		{"labels without a name, complete annotations",
			map[string]any{"labels": map[string]any{TemplateNamespaceLabel: "na"},
				"annotations": map[string]any{TemplateLabel: "b", TemplateNamespaceLabel: "nb"}},
			"nb", "b"},
		{"an empty namespace, complete annotations",
			map[string]any{"labels": map[string]any{TemplateLabel: "a", TemplateNamespaceLabel: ""},
				"annotations": map[string]any{TemplateLabel: "b", TemplateNamespaceLabel: "ns"}},
			"ns", "b"},
		{"an empty namespace, and the old key",
			map[string]any{"labels": map[string]any{TemplateLabel: "a", TemplateNamespaceLabel: "", OldTemplateNamespaceLabel: "old"}},
			"old", "a"},
		{"never mixed",
			map[string]any{"labels": map[string]any{TemplateLabel: "a"}, "annotations": map[string]any{TemplateNamespaceLabel: "ns"}}, "",
			""},
		{"never mixed, the other way",
			map[string]any{"labels": map[string]any{TemplateNamespaceLabel: "ns"}, "annotations": map[string]any{TemplateLabel: "a"}}, "",
			""},
		{"a name alone", map[string]any{"labels": map[string]any{TemplateLabel: "a"}, "annotations": map[string]any{TemplateLabel: "a"}},
			"", ""},
		{"none", map[string]any{"labels": map[string]any{"app": "x"}}, "", ""},
		{"wrong types", map[string]any{"labels": []any{}, "annotations": map[string]any{TemplateLabel: 7}}, "", ""},
		{"no metadata", nil, "", ""},
	}
	for _, test := range tests {
		ns, tpl, ok := TemplateOf(map[string]any{"metadata": test.metadata})
		if ns != test.wantNS || tpl != test.wantTpl || ok != (test.wantTpl != "") {
			t.Errorf("%s: %q, %q, %v", test.name, ns, tpl, ok)
		}
	}
}

func TestToObject(t *testing.T) {
	type spec struct {
		Cores uint64           `json:"cores"`
		Guest resourceQuantity `json:"guest"`
		None  *int             `json:"none,omitempty"`
	}
	got, err := ToObject(struct {
		Spec spec `json:"spec"`
	}{spec{math.MaxUint64, resourceQuantity{"2Gi"}, nil}})
	if err != nil {
		t.Fatal(err)
	}
	rules := mustParse(t,
		`[{"name": "c", "rule": "integer", "path": "jsonpath::.spec.cores", "message": "m", "values": [18446744073709551615]},
		{"name": "g", "rule": "integer", "path": "jsonpath::.spec.guest", "message": "m", "min": 2147483648, "max": 2147483648}]`)
	if report := Validate(rules, got); !report.Valid() {
		t.Error(report)
	}
	for want, bad := range map[string]any{"is an array in JSON": []int{1}, "is nothing in JSON": nil, "no JSON form": func() {},
		"is 7 in JSON": 7} {
		if object, err := ToObject(bad); err == nil || object != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %v; want %s", bad, object, err, want)
		}
	}
}

func TestToObjectOfText(t *testing.T) {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, test := range []struct {
		in   any
		want string // JSON, or what the error says
	}{
		{raw(` {"a": 12345678901234567890.10, "b": 1e400}`), `{"a":12345678901234567890.10,"b":1e400}`},
		{pointerTo(raw(`{"a": 1}`)), `{"a":1}`}, {raw(`{"a": 1, "b": 2, "a": 3}`), `{"a":3,"b":2}`},
		{raw("not json"), "the text is not JSON: line 1, column 2: invalid character 'o'"},
		{raw("{\n  \"é\": x}"), "the text is not JSON: line 2, column 8: invalid character 'x'"},
		{pointerTo(raw("{]")), "the text is not JSON: line 1, column 2"},
		{raw(`{"a": 1`), "the text is not JSON: line 1, column 7: unexpected end"},
		{raw(`{"a": 1} {"b": 2}`), "the text is not JSON: line 1, column 10"},
		{raw(``), "the text is not JSON: line 1, column 1: unexpected end"},
		{raw(`null`), "is nothing in JSON"}, {json.RawMessage(nil), "is nothing in JSON"}, {(*json.RawMessage)(nil), "is nothing in JSON"},
		{raw(`[1]`), "is an array in JSON"}, {[]byte(`{}`), "pass a json.RawMessage"},
		{&panics{}, "*vmrules.panics has no JSON form: writing it panics: half built"},
		{map[string]any{"a": []any{&panics{}}}, "has no JSON form: writing it panics: half built"},
		{broken{}, "vmrules.broken has no JSON form"},
	} {
		object, err := ToObject(test.in)
		if err != nil {
			if object != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v: %v, want %s", test.in, err, test.want)
			}
			continue
		}
		if diff := cmp.Diff(test.want, string(mustJSON(object))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.in, diff)
		}
	}
}

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
		if err != nil && !strings.Contains(err.Error(), "VM: the VirtualMachines inside have different rules: use ValidateOwn") {
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
