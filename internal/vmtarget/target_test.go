package vmtarget_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/internal/vmsource"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A finder is one of the functions that find targets.
type finder func([]vmtarget.Target, any, *meter.Meter) []vmtarget.Target

// A shown is a target with its values as text.
type shown struct {
	Name, At, VMAt, Nothing string
	Flags                   string
}

func show(targets []vmtarget.Target) []shown {
	var all []shown
	for i := range targets {
		t := &targets[i]
		s := shown{Name: t.Name, At: t.At.String(), VMAt: t.VMAt.String(), Nothing: t.Nothing}
		for _, flag := range []struct {
			name  string
			isSet bool
		}{
			{"beyond", t.Cause == vmtarget.Beyond}, {"unfilled", t.Cause == vmtarget.Unfilled}, {"none", t.HasNoVM}, {"whole", t.IsWhole}, {"open", t.Open != 0},
			{"item", t.IsItem()}, {"parameters", t.HasParameters}, {"template:" + vmsource.NameOf(t.Template), t.Template != nil},
		} {
			if flag.isSet {
				s.Flags += " " + flag.name
			}
		}
		all = append(all, s)
	}
	return all
}

func object(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

const (
	vm         = `{"kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}`
	instance   = `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance"}`
	pool       = `{"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": {"spec": {"template": {}}}}}`
	service    = `{"kind": "Service"}`
	openShift  = `{"kind": "Template", "metadata": {"name": "linux"}, "objects": [` + service + `, ` + vm + `]}`
	ofKubeVirt = `{"apiVersion": "template.kubevirt.io/v1", "kind": "VirtualMachineTemplate", "metadata": {"name": "windows"},
		"spec": {"virtualMachine": {"spec": {"template": {}}}}}`
)

func list(items ...string) string {
	return `{"kind": "List", "items": [` + strings.Join(items, ", ") + `]}`
}

// in returns a value inside a number of nested lists.
func in(lists int, v string) string {
	for range lists {
		v = list(v)
	}
	return v
}

func TestFind(t *testing.T) {
	itself := []shown{{At: "$", VMAt: "$"}}
	ofVM := []shown{{At: "spec.template", VMAt: "$"}}
	for _, test := range []struct {
		name   string
		find   finder
		object string
		want   []shown
	}{
		{"nil", vmtarget.Append, `null`, []shown{{At: "$", VMAt: "$", Nothing: "there is no object"}}},
		{"a VM", vmtarget.Append, vm, ofVM},
		{"a VM by its shape", vmtarget.Append, `{"kind": "", "spec": {"template": {"spec": {}}}}`, ofVM},
		{"a VM without a template", vmtarget.Append, `{"kind": "VirtualMachine"}`,
			[]shown{{At: "spec.template", VMAt: "$", Nothing: "the object has no spec.template"}}},
		{"a VM of an instance type", vmtarget.Append, `{"kind": "VirtualMachine", "spec": {"instancetype": {}, "template": {}}}`,
			[]shown{{At: "spec.template", VMAt: "$", Flags: " open"}}},
		{"an instance", vmtarget.Append, instance, itself},
		{"an instance by its shape", vmtarget.Append, `{"spec": {"domain": {}}}`, itself},
		{"another API group", vmtarget.Append, `{"apiVersion": "example.com/v1", "kind": "VirtualMachine", "spec": {"template": {}}}`,
			itself},
		{"another kind", vmtarget.Append, service, itself},
		{"a replica set", vmtarget.Append, `{"kind": "VirtualMachineInstanceReplicaSet", "spec": {"template": {}}}`,
			[]shown{{At: "spec.template", VMAt: "spec.template"}}},
		{"a pool", vmtarget.Append, pool, []shown{{At: "spec.virtualMachineTemplate.spec.template", VMAt: "spec.virtualMachineTemplate"}}},
		{"a pool by its shape", vmtarget.Append, `{"spec": {"virtualMachineTemplate": {}}}`, []shown{{
			At: "spec.virtualMachineTemplate.spec.template", VMAt: "spec.virtualMachineTemplate",
			Nothing: "the object has no spec.virtualMachineTemplate.spec.template",
		}}},

		{"an OpenShift template", vmtarget.Append, openShift,
			[]shown{{"objects[1]", "objects[1].spec.template", "objects[1]", "", " item parameters template:linux"}}},
		{"a template without a VM", vmtarget.Append, `{"kind": "Template", "objects": [` + service + `, "${A}"]}`,
			[]shown{{"", "$", "$", "the template holds no VirtualMachine", " none parameters template:"}}},
		{"other holders of VMs in a template", vmtarget.Append, `{"kind": "Template", "objects": [` + instance + `, ` + list(vm, openShift) + `]}`,
			[]shown{
				{"objects[0]", "objects[0]", "objects[0]", "", " item parameters template:"},
				{"objects[1].items[0]", "objects[1].items[0].spec.template", "objects[1].items[0]", "", " item parameters template:"},
				{"objects[1].items[1].objects[1]", "objects[1].items[1].objects[1].spec.template", "objects[1].items[1].objects[1]", "",
					" item parameters template:linux"},
			}},
		{"a parameter that decides what an object is", vmtarget.Append, `{"kind": "Template", "objects": [{"kind": "${KIND}"},
			{"apiVersion": "${GROUP}/v1", "kind": "VirtualMachine"}, "${{VM}}", {"kind": "List", "items": "${{ITEMS}}"}, {"apiVersion": "${A}", "kind": "Service"}]}`,
			[]shown{
				{"objects[0]", "objects[0]", "objects[0]", "the template's parameter ${KIND} is not filled in", " unfilled none item parameters template:"},
				{"objects[1]", "objects[1]", "objects[1]", "the template's parameter ${GROUP} is not filled in", " unfilled none item parameters template:"},
				{"objects[2]", "objects[2]", "objects[2]", "the template's parameter ${{VM}} is not filled in", " unfilled none item parameters template:"},
				{"objects[3]", "objects[3]", "objects[3]", "the template's parameter ${{ITEMS}} is not filled in",
					" unfilled none item parameters template:"},
			}},
		{"a template of KubeVirt", vmtarget.Append, ofKubeVirt,
			[]shown{{"", "spec.virtualMachine.spec.template", "spec.virtualMachine", "", " parameters template:windows"}}},
		{"a list", vmtarget.Append, list(vm, service, `1`, instance, openShift, ofKubeVirt), []shown{
			{"items[0]", "items[0].spec.template", "items[0]", "", " item"},
			{"items[3]", "items[3]", "items[3]", "", " item"},
			{"items[4].objects[1]", "items[4].objects[1].spec.template", "items[4].objects[1]", "", " item parameters template:linux"},
			{"items[5]", "items[5].spec.virtualMachine.spec.template", "items[5].spec.virtualMachine", "",
				" item parameters template:windows"},
		}},
		{"a list of one kind", vmtarget.Append, `{"kind": "VirtualMachineList", "items": [{"spec": {"template": {}}}]}`,
			[]shown{{"items[0]", "items[0].spec.template", "items[0]", "", " item"}}},
		{"items without kind or shape", vmtarget.Append, list(`{}`), []shown{{"items[0]", "items[0]", "items[0]", "", " item"}}},
		{"a list without a VM", vmtarget.Append, list(service), []shown{{"", "$", "$", "the list holds no VirtualMachine", " none"}}},
		{"lists that are not too deep", vmtarget.Append, in(4, instance), []shown{{
			"items[0].items[0].items[0].items[0]", "items[0].items[0].items[0].items[0]", "items[0].items[0].items[0].items[0]", "",
			" item",
		}}},
		{"lists that are too deep", vmtarget.Append, in(5, instance), []shown{{
			"items[0].items[0].items[0].items[0]", "items[0].items[0].items[0].items[0]", "items[0].items[0].items[0].items[0]",
			"lists are nested too deep", " beyond none item",
		}}},

		{"a form without kind", vmtarget.AppendForm, `{}`,
			[]shown{{At: "spec.template", VMAt: "$", Nothing: "the object has no spec.template"}}},
		{"a form with a shape", vmtarget.AppendForm, `{"spec": {"domain": {}}}`, itself},
		{"a form with a kind", vmtarget.AppendForm, service, itself},

		{"no object at all", vmtarget.AppendObjects, `null`, []shown{{At: "$", VMAt: "$", Nothing: "there is no object"}}},
		{"an object", vmtarget.AppendObjects, vm, []shown{{At: "$", VMAt: "$", Flags: " whole"}}},
		{"the objects of a list", vmtarget.AppendObjects, `{"kind": "ServiceList", "items": [{}, 1, ` + list(vm) + `]}`, []shown{
			{"items[0]", "items[0]", "items[0]", "", " whole item"},
			{"items[2].items[0]", "items[2].items[0]", "items[2].items[0]", "", " whole item"},
		}},
		{"the objects of an OpenShift template", vmtarget.AppendObjects, openShift, []shown{
			{"objects[0]", "objects[0]", "objects[0]", "", " whole item parameters"},
			{"objects[1]", "objects[1]", "objects[1]", "", " whole item parameters"},
		}},
		{"the VM of a template of KubeVirt", vmtarget.AppendObjects, ofKubeVirt,
			[]shown{{"", "spec.virtualMachine", "spec.virtualMachine", "", " whole parameters"}}},
		{"a list without objects", vmtarget.AppendObjects, list(`1`), []shown{{"", "$", "$", "there are no objects in items", " none"}}},
		{"lists of objects that are too deep", vmtarget.AppendObjects, in(5, vm), []shown{{
			"items[0].items[0].items[0].items[0]", "items[0].items[0].items[0].items[0]", "items[0].items[0].items[0].items[0]",
			"lists are nested too deep", " beyond none item",
		}}},
	} {
		m := meter.OrDefault(0, 0)
		if diff := cmp.Diff(test.want, show(test.find(nil, object(t, test.object), &m))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestValues checks that a target has the values at its locations in the object.
func TestValues(t *testing.T) {
	v := object(t,
		`{"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": {"metadata": {"name": "n"}, "spec": {"preference": {},
			"template": {"spec": {}}}}}}`)
	m := meter.OrDefault(0, 0)
	found := vmtarget.Append(nil, v, &m)
	want := []any{
		object(t, `{"spec": {}}`),
		object(t, `{"metadata": {"name": "n"}, "spec": {"preference": {}, "template": {"spec": {}}}}`),
		vmfields.ByPreference,
	}
	if diff := cmp.Diff(want, []any{found[0].Root, found[0].VM, found[0].Open}); diff != "" {
		t.Errorf("Root, VM, Open (-want +got):\n%s", diff)
	}
}

// TestBehind checks that targets already in the slice are kept.
func TestBehind(t *testing.T) {
	for _, find := range []finder{vmtarget.Append, vmtarget.AppendForm, vmtarget.AppendObjects} {
		m := meter.OrDefault(0, 0)
		found := find([]vmtarget.Target{{Name: "first"}}, object(t, service), &m)
		if diff := cmp.Diff([]shown{{Name: "first", At: "$", VMAt: "$"}}, show(found[:1])); diff != "" || len(found) != 2 {
			t.Errorf("%d targets; the first (-want +got):\n%s", len(found), diff)
		}
	}
}

// TestBudget checks that targets are discarded if the meter refuses, and that a search in an
// object that contains itself terminates.
func TestBudget(t *testing.T) {
	many := object(t, list(vm, vm, vm, vm))
	around := map[string]any{"kind": "List"}
	around["items"] = []any{around, around, around, around, around, around, around, around}
	for name, v := range map[string]any{"many": many, "itself": around} {
		for _, find := range []finder{vmtarget.Append, vmtarget.AppendForm, vmtarget.AppendObjects} {
			m := meter.New(3*vmtarget.Work, 1<<30)
			want := []shown{{"", "$", "$", vmtarget.TooMany(meter.ErrWork), " beyond none"}}
			if diff := cmp.Diff(want, show(find(nil, v, &m))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// What Usual returns is the Root of the only target that Append returns.
func TestUsual(t *testing.T) {
	for text, want := range map[string]bool{
		`{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","spec":{"template":{}}}`:                         true,
		`{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","spec":{"template":{},"running":true}}`:          true,
		`{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","spec":{"template":{},"instancetype":null}}`:     false,
		`{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","spec":{"template":{},"preference":{"name":1}}}`: false,
		`{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","spec":{"template":null}}`:                       false,
		`{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1"}`:                                                false,
		`{"kind":"VirtualMachine","apiVersion":"kubevirt.iox/v1","spec":{"template":{}}}`:                        false,
		`{"kind":"VirtualMachine","apiVersion":"pool.kubevirt.io/v1","spec":{"template":{}}}`:                    false,
		`{"kind":"VirtualMachine","spec":{"template":{}}}`:                                                       false,
		`{"kind":"VirtualMachineInstanceReplicaSet","apiVersion":"kubevirt.io/v1","spec":{"template":{}}}`:       false,
		`{"kind":1,"apiVersion":2,"spec":[]}`:                                                                    false,
		`null`:                                                                                                   false,
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		template := vmtarget.Usual(object)
		if got := template != nil; got != want {
			t.Errorf("%s: usual: %t, want %t", text, got, want)
		}
		if template == nil {
			continue
		}
		m := meter.OrDefault(0, 0)
		got := []vmtarget.Target{vmtarget.UsualTarget(object, template)}
		if diff := cmp.Diff(vmtarget.Append(nil, object, &m), got, cmp.AllowUnexported(jsonpath.Element{})); diff != "" {
			t.Errorf("%s (-appended +usual):\n%s", text, diff)
		}
	}
}

// TestDoubtAboutPlaces checks that a name without JSON form leaves open which item is which, wherever
// it is in the list.
func TestDoubtAboutPlaces(t *testing.T) {
	for name, isDoubted := range map[string]bool{"first": false, "NaN": true} {
		var readable any = name
		if isDoubted {
			readable = math.NaN()
		}
		vm := map[string]any{"disks": []any{map[string]any{"name": readable}, map[string]any{"name": "second"}}}
		m := meter.OrDefault(0, 0)
		places := vmtarget.NewPlaces(&vmtarget.Target{VM: vm}, &m)
		at, found := places.Of("/disks/1/bus")
		if diff := cmp.Diff([]any{`/disks/"second"#0/bus`, nil, isDoubted}, []any{at, found, places.Doubt}); diff != "" {
			t.Errorf("%s: place, value, doubt (-want +got):\n%s", name, diff)
		}
	}
}
