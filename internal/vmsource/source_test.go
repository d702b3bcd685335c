package vmsource_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/vmsource"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

func sourceOf(object any) vmsource.Source {
	m := meter.OrDefault(0, 0)
	targets := vmtarget.Append(nil, object, &m)
	return vmsource.Of(&targets[0])
}

func TestOf(t *testing.T) {
	const named = `"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"`
	const half = `"vm.kubevirt.io/template": "linux"`
	const own, skip = `"vm.kubevirt.io/validations": "[]"`, `"vm.kubevirt.io/skip-validations": ""`
	vm := func(labels, annotations string) string {
		return fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"namespace": "vms", "labels": {%s}, "annotations": {%s}}, "spec": {"template": {"spec": {}}}}`, labels, annotations)
	}
	in := func(kind, metadata, spec string) string {
		return fmt.Sprintf(`{"apiVersion": "x.kubevirt.io/v1", "kind": %q, "metadata": %s, "spec": %s}`, kind, metadata, spec)
	}
	text := vmsource.Text{Value: "[]", Key: vmsource.Annotation, Of: vmsource.OfVM}
	linux := vmsource.Ref{Namespace: "templates", Name: "linux", VMNamespace: "vms"}
	for name, test := range map[string]struct {
		object string
		want   vmsource.Source
	}{
		"nothing":                    {vm("", ""), vmsource.Source{}},
		"no object":                  {"null", vmsource.Source{}},
		"exempt":                     {vm(named, own+","+skip), vmsource.Source{From: vmsource.Exempt}},
		"not exempt by null":         {vm("", `"vm.kubevirt.io/skip-validations": null`), vmsource.Source{}},
		"its own":                    {vm(named, own), vmsource.Source{From: vmsource.Own, Text: text}},
		"a blank one":                {vm(named, `"vm.kubevirt.io/validations": " "`), vmsource.Source{From: vmsource.Template, Template: linux}},
		"one that is not a string":   {vm(named, `"vm.kubevirt.io/validations": 7`), vmsource.Source{From: vmsource.Own, Text: vmsource.Text{Value: 7.0, Key: vmsource.Annotation, Of: vmsource.OfVM}}},
		"a template in annotations":  {vm(`"vm.kubevirt.io/template": "other"`, named), vmsource.Source{From: vmsource.Template, Template: linux}},
		"half a template":            {vm(half, ""), vmsource.Source{From: vmsource.Template, Template: vmsource.Ref{Name: "linux", VMNamespace: "vms"}}},
		"a pool of another group":    {in("VirtualMachinePool", `{}`, `{"virtualMachineTemplate": `+vm("", own)+`}`), vmsource.Source{}},
		"the template of a pool":     {`{"kind": "VirtualMachinePool", "metadata": {"namespace": "pools"}, "spec": {"virtualMachineTemplate": {"metadata": {"labels": {` + half + `}}, "spec": {}}}}`, vmsource.Source{From: vmsource.Template, Template: vmsource.Ref{Name: "linux", VMNamespace: "pools"}}},
		"the template around it":     {`{"kind": "VirtualMachineTemplate", "metadata": {"annotations": {"validations": "[]"}}, "spec": {"virtualMachine": ` + vm(named, "") + `}}`, vmsource.Source{From: vmsource.Around, Text: vmsource.Text{Value: "[]", Key: vmsource.OldAnnotation, Of: vmsource.OfTemplate}}},
		"its own in a template":      {`{"kind": "VirtualMachineTemplate", "metadata": {"annotations": {"validations": "[]"}}, "spec": {"virtualMachine": ` + vm(named, own) + `}}`, vmsource.Source{From: vmsource.Own, Text: text}},
		"names without a namespace":  {vm(half, half), vmsource.Source{From: vmsource.Template, Template: vmsource.Ref{Name: "linux", VMNamespace: "vms"}}},
		"a namespace without a name": {vm(`"vm.kubevirt.io/template.namespace": "templates"`, ""), vmsource.Source{}},
	} {
		t.Run(name, func(t *testing.T) {
			var object any
			if err := json.Unmarshal([]byte(test.object), &object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, sourceOf(object)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestWrong: what cannot be read is told from what has another shape.
func TestWrong(t *testing.T) {
	vm := func(metadata any) map[string]any {
		return map[string]any{"kind": "VirtualMachine", "metadata": metadata, "spec": map[string]any{"template": map[string]any{}}}
	}
	for name, test := range map[string]struct {
		metadata any
		from     vmsource.Kind
		want     string
	}{
		"metadata":    {"text", vmsource.Own, "metadata must be an object, not \"text\""},
		"annotations": {map[string]any{"annotations": []any{}}, vmsource.Own, "metadata.annotations must be an object, not an array"},
		"labels":      {map[string]any{"labels": 7}, vmsource.Unreadable, "metadata.labels must be an object, not 7"},
		"a label": {map[string]any{"labels": map[string]any{vmsource.TemplateLabel: math.NaN()}}, vmsource.Unreadable,
			"vm.kubevirt.io/template cannot be read: it is, or is inside, something that is not a JSON number"},
		"an annotation": {map[string]any{"annotations": map[string]any{vmsource.Annotation: 7}}, vmsource.Own,
			"the annotation vm.kubevirt.io/validations must be a string that holds JSON, not 7"},
	} {
		t.Run(name, func(t *testing.T) {
			got := sourceOf(vm(test.metadata))
			if diff := cmp.Diff([]string{string(test.from), test.want}, []string{string(got.From), got.Text.Wrong()}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestIsSame: an update may not replace the rules by which its VM is judged unnoticed.
func TestIsSame(t *testing.T) {
	ref := func(namespace, name, of string) vmsource.Source {
		return vmsource.Source{From: vmsource.Template, Template: vmsource.Ref{Namespace: namespace, Name: name, VMNamespace: of}}
	}
	own := func(v any) vmsource.Source {
		return vmsource.Source{From: vmsource.Own, Text: vmsource.Text{Value: v, Key: vmsource.Annotation, Of: vmsource.OfVM}}
	}
	around := vmsource.Source{From: vmsource.Around, Text: vmsource.Text{Value: "[]"}}
	unreadable := vmsource.Source{From: vmsource.Unreadable}
	for _, test := range []struct {
		old, now vmsource.Source
		want     bool
	}{
		{vmsource.Source{}, vmsource.Source{}, true},
		{own("[]"), own("[]"), true},
		{own("[]"), own("[ ]"), false},
		{own(7), own(7), false},
		{own("[]"), vmsource.Source{}, false},
		{own("[]"), ref("a", "t", "v"), false},
		{around, vmsource.Source{From: vmsource.Around, Text: vmsource.Text{Value: "[ ]"}}, true},
		{ref("a", "t", "v"), ref("a", "t", "w"), true},
		{ref("a", "t", "v"), ref("b", "t", "v"), false},
		{ref("a", "t", "v"), ref("a", "u", "v"), false},
		{ref("", "t", "v"), ref("", "t", "v"), true},
		{ref("", "t", "v"), ref("", "t", "w"), false},
		{ref("", "t", "v"), ref("a", "t", "v"), false},
		{unreadable, unreadable, false},
	} {
		if got := test.now.IsSame(test.old); got != test.want {
			t.Errorf("%+v, %+v: %t, want %t", test.old, test.now, got, test.want)
		}
	}
}
