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
		{"exempt", vm(named, own+","+skip), vmrules.Source{From: vmrules.SourceExempt, Field: `metadata.annotations.vm\.kubevirt\.io/skip-validations`}},
		{"not exempt by null", vm("", `"vm.kubevirt.io/skip-validations": null`), vmrules.Source{}},
		{"its own", vm(named, own), vmrules.Source{From: vmrules.SourceOwn, Field: ownField, Annotation: "[]"}},
		{"a blank one", vm(named, `"vm.kubevirt.io/validations": " "`), vmrules.Source{
			From: vmrules.SourceTemplate, Field: `metadata.labels.vm\.kubevirt\.io/template`, Namespace: "templates", Name: "linux"}},
		{"one that is not a string", vm(named, `"vm.kubevirt.io/validations": [7]`), vmrules.Source{From: vmrules.SourceUnknown, Field: ownField}},
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
