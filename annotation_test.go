package vmrules_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

func TestSourceOf(t *testing.T) {
	const named = `"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"`
	vm := func(labels, annotations string) string {
		return fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"labels": {%s}, "annotations": {%s}}, "spec": {"template": {"spec": {}}}}`, labels, annotations)
	}
	const own, skip = `"vm.kubevirt.io/validations": "[]"`, `"vm.kubevirt.io/skip-validations": ""`
	const ownField = `metadata.annotations.vm\.kubevirt\.io/validations`
	for _, test := range []struct {
		name, object string
		want         vmrules.Source
	}{
		{"nothing", vm("", ""), vmrules.Source{}},
		{"no object", "null", vmrules.Source{}},
		{"exempt", vm(named, own+","+skip), vmrules.Source{
			From: vmrules.SourceExempt, Field: `metadata.annotations.vm\.kubevirt\.io/skip-validations`, Namespace: "templates", Name: "linux"}},
		{"not exempt by null", vm("", `"vm.kubevirt.io/skip-validations": null`), vmrules.Source{}},
		{"its own", vm(named, own), vmrules.Source{
			From: vmrules.SourceOwn, Field: ownField, Annotation: "[]", Namespace: "templates", Name: "linux"}},
		{"its own, and half a template", vm(`"vm.kubevirt.io/template": "linux"`, own), vmrules.Source{
			From: vmrules.SourceOwn, Field: ownField, Annotation: "[]", Name: "linux"}},
		{"a blank one", vm(named, `"vm.kubevirt.io/validations": " "`), vmrules.Source{
			From: vmrules.SourceTemplate, Field: `metadata.labels.vm\.kubevirt\.io/template`, Namespace: "templates", Name: "linux"}},
		{"one that is not a string", vm(named, `"vm.kubevirt.io/validations": [7]`), vmrules.Source{
			From: vmrules.SourceUnknown, Field: ownField, Namespace: "templates", Name: "linux"}},
		{"a template in annotations", vm(`"vm.kubevirt.io/template": "other"`, named), vmrules.Source{
			From: vmrules.SourceTemplate, Field: `metadata.annotations.vm\.kubevirt\.io/template`, Namespace: "templates", Name: "linux"}},
		{"half a template", vm(`"vm.kubevirt.io/template": "linux"`, ""), vmrules.Source{
			From: vmrules.SourceTemplate, Field: `metadata.labels.vm\.kubevirt\.io/template`, Name: "linux"}},
		{"a pool", `{"kind": "VirtualMachinePool", "metadata": {}, "spec": {"virtualMachineTemplate": ` + vm("", own) + `}}`, vmrules.Source{
			From: vmrules.SourceOwn, Field: "spec.virtualMachineTemplate." + ownField, Annotation: "[]"}},
		{"the template of a pool", `{"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": ` + vm(named, "") + `}}`, vmrules.Source{
			From: vmrules.SourceTemplate, Field: `spec.virtualMachineTemplate.metadata.labels.vm\.kubevirt\.io/template`, Namespace: "templates", Name: "linux"}},
		{"VMs that differ", `{"kind": "List", "items": [` + vm("", own) + `, ` + vm("", skip) + `]}`, vmrules.Source{From: vmrules.SourceUnknown}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, vmrules.SourceOf(conformance.DecodeExactly(json.RawMessage(test.object)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	labels := map[string]any{vmrules.TemplateLabel: math.NaN()}
	unreadable := map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"labels": labels}, "spec": map[string]any{"template": map[string]any{}}}
	if got := vmrules.SourceOf(unreadable); got.From != vmrules.SourceUnknown {
		t.Errorf("a label that cannot be read: %+v", got)
	}
}

// TestOwnCheckersApart: no VM of a list is Undecided because of the others, whether they are
// large, spend much, or have a value that JSON does not have.
func TestOwnCheckersApart(t *testing.T) {
	kind := vmrules.WithKind("any", always(satisfied))
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

func TestTemplateOf(t *testing.T) {
	tests := []struct {
		name            string
		metadata        any
		wantNS, wantTpl string
	}{
		{"labels", map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "openshift"}},
			"openshift",
			"win"},
		{"old key", map[string]any{"labels": map[string]string{vmrules.TemplateLabel: "win", vmrules.OldTemplateNamespaceLabel: "old"}},
			"old", "win"},
		{"new key before old",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "new",
				vmrules.OldTemplateNamespaceLabel: "old"}},
			"new", "win"},
		{"annotations", map[string]any{"annotations": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "ns"}},
			"ns", "win"},
		{"annotations, old key",
			map[string]any{"annotations": map[string]any{vmrules.TemplateLabel: "win", vmrules.OldTemplateNamespaceLabel: "ns"}},
			"ns", "win"},
		{"labels before annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a", vmrules.TemplateNamespaceLabel: "na"},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "nb"}},
			"na", "a"},
		{"labels without a namespace, complete annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a"},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "ns"}},
			"ns", "b"},
		{"labels without a name, complete annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateNamespaceLabel: "na"},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "nb"}},
			"nb", "b"},
		{"an empty namespace, complete annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a", vmrules.TemplateNamespaceLabel: ""},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "ns"}},
			"ns", "b"},
		{"an empty namespace, and the old key",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a", vmrules.TemplateNamespaceLabel: "",
				vmrules.OldTemplateNamespaceLabel: "old"}},
			"old", "a"},
		{"never mixed",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a"},
				"annotations": map[string]any{vmrules.TemplateNamespaceLabel: "ns"}},
			"",
			""},
		{"never mixed, the other way",
			map[string]any{"labels": map[string]any{vmrules.TemplateNamespaceLabel: "ns"},
				"annotations": map[string]any{vmrules.TemplateLabel: "a"}},
			"",
			""},
		{"a name alone",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a"},
				"annotations": map[string]any{vmrules.TemplateLabel: "a"}},
			"", ""},
		{"none", map[string]any{"labels": map[string]any{"app": "x"}}, "", ""},
		{"wrong types", map[string]any{"labels": []any{}, "annotations": map[string]any{vmrules.TemplateLabel: 7}}, "", ""},
		{"no metadata", nil, "", ""},
	}
	for _, test := range tests {
		ns, tpl, ok := vmrules.TemplateOf(map[string]any{"metadata": test.metadata})
		if ns != test.wantNS || tpl != test.wantTpl || ok != (test.wantTpl != "") {
			t.Errorf("%s: %q, %q, %v", test.name, ns, tpl, ok)
		}
	}
}
