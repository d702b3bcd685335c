package vmrules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

func mustParseRules(t *testing.T, text string) vmrules.Rules {
	t.Helper()
	rules, err := vmrules.ParseRules(text)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

const (
	smallType = `{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "small"},
		"spec": {"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}}}`
	oneCPU    = `{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "small"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}}`
	linuxPref = `{"kind": "VirtualMachineClusterPreference", "metadata": {"name": "linux"},
		"spec": {"cpu": {"preferredCPUTopology": "cores"}, "devices": {"preferredDiskBus": "virtio"}}}`
	bothNamed = `{"kind": "VirtualMachine", "apiVersion": "kubevirt.io/v1", "spec": {
		"instancetype": {"name": "small"}, "preference": {"name": "linux"},
		"template": {"spec": {"domain": {"devices": {"disks": [{"name": "a"}, {"name": "b", "disk": {"bus": "scsi"}}]}}}}}}`
)

var (
	memoryRule  = `{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": "2Gi"}`
	busRule     = `{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "m", "values": ["sata"]}`
	coresRule   = `{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": 4}`
	threadsRule = `{"name": "threads", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.threads", "message": "m", "max": 1}`
)

// A judged is what a test compares of a result.
type judged struct {
	Rule    string
	Outcome vmrules.Outcome
	Doubt   vmrules.Doubt
	Details []string
}

func judgedIn(r *vmrules.Report) []judged {
	var all []judged
	for _, result := range r.Results() {
		j := judged{Rule: result.Rule, Outcome: result.Outcome, Doubt: result.Undecided}
		for _, v := range result.Violations {
			j.Details = append(j.Details, strings.TrimPrefix(v.Origin+": "+v.Detail, ": "))
		}
		all = append(all, j)
	}
	return all
}

func TestWithInstancetype(t *testing.T) {
	rules := "[" + strings.Join([]string{memoryRule, busRule, coresRule, threadsRule}, ",") + "]"
	small, linux := object(smallType), object(linuxPref)
	other := object(strings.ReplaceAll(smallType, `"small"`, `"large"`))
	namespaced := object(strings.ReplaceAll(smallType, "Cluster", ""))
	memory := judged{"memory", vmrules.Violated, "", []string{`instancetype small: "1Gi", from instance type small, is less than min 2Gi`}}
	threads := judged{Rule: "threads", Outcome: vmrules.Satisfied}
	open := func(rule, field string, doubt vmrules.Doubt, by, why string) judged {
		return judged{rule, vmrules.Undecided, doubt, []string{fmt.Sprintf("spec.template.spec.domain.%s may be set by the %s: %s", field, by, why)}}
	}
	allOpen := func(why string) []judged {
		return []judged{
			open("memory", "memory.guest", vmrules.DoubtInstancetype, "instance type", why),
			{"bus", vmrules.Violated, "", []string{`"scsi" is not "sata"`}},
			open("cores", "cpu.cores", vmrules.DoubtInstancetype, "instance type", why),
			open("threads", "cpu.threads", vmrules.DoubtInstancetype, "instance type", why),
		}
	}
	for _, test := range []struct {
		name string
		opt  vmrules.ValidateOption
		want []judged
	}{
		{"both", vmrules.WithInstancetype(small, linux), []judged{
			memory,
			{"bus", vmrules.Violated, "", []string{`preference linux: "virtio", from preference linux, is not "sata"`, `"scsi" is not "sata"`}},
			{"cores", vmrules.Violated, "", []string{"instancetype small: 2, from instance type small, is less than min 4"}},
			threads,
		}},
		{"no preference", vmrules.WithInstancetype(small, nil), []judged{
			memory,
			{"bus", vmrules.Violated, "", []string{`"scsi" is not "sata"`}},
			open("cores", "cpu.cores", vmrules.DoubtPreference, "preference", "the VirtualMachineClusterPreference linux is not given"),
			open("threads", "cpu.threads", vmrules.DoubtPreference, "preference", "the VirtualMachineClusterPreference linux is not given"),
		}},
		{"no preference, and one vCPU", vmrules.WithInstancetype(object(oneCPU), nil), []judged{
			memory,
			{"bus", vmrules.Violated, "", []string{`"scsi" is not "sata"`}},
			{"cores", vmrules.Violated, "", []string{"instancetype small: 1, from instance type small, is less than min 4"}},
			threads,
		}},
		{"no instance type", vmrules.WithInstancetype(nil, linux), allOpen("the VirtualMachineClusterInstancetype small is not given")},
		{"neither", vmrules.WithInstancetype(nil, nil), allOpen(
			"the VirtualMachineClusterInstancetype small is not given, and the VirtualMachineClusterPreference linux is not given")},
		{"another name", vmrules.WithInstancetype(other, linux), allOpen(
			"the VM names the VirtualMachineClusterInstancetype small, and the VirtualMachineClusterInstancetype large is given")},
		{"another kind", vmrules.WithInstancetype(namespaced, linux), allOpen(
			"the VM names the VirtualMachineClusterInstancetype small, and the VirtualMachineInstancetype small is given")},
		{"an error", vmrules.WithInstancetypes(func(map[string]any) (map[string]any, map[string]any, error) {
			return nil, linux, errors.New("no connection")
		}), allOpen("no connection")},
		{"a panic", vmrules.WithInstancetypes(func(map[string]any) (map[string]any, map[string]any, error) { panic("no cache") }),
			allOpen("what the VM names cannot be found: the search panics: no cache")},
		{"an unusable object", vmrules.WithInstancetype(object(`{"spec": {}}`), linux), allOpen("instancetype: spec.cpu.guest is missing")},
	} {
		t.Run(test.name, func(t *testing.T) {
			vm := object(bothNamed)
			got := judgedIn(vmrules.Validate(mustParseRules(t, rules), vm, test.opt))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(object(bothNamed), vm); diff != "" {
				t.Errorf("the VM has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// The objects are for each VM of a list, however it holds its VM, and only for those that
// name one.
func TestWithInstancetypes(t *testing.T) {
	rules := mustParseRules(t, "["+memoryRule+"]")
	pool := `{"kind": "VirtualMachinePool", "apiVersion": "pool.kubevirt.io/v1beta1", "spec": {"virtualMachineTemplate": ` + bothNamed + `}}`
	plain := `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"memory": {"guest": "4Gi"}}}}}}`
	list := `{"kind": "List", "items": [` + bothNamed + "," + plain + "," + pool + "]}"
	var asked []string
	find := func(vm map[string]any) (map[string]any, map[string]any, error) {
		asked = append(asked, fmt.Sprint(vm["spec"].(map[string]any)["instancetype"]))
		return object(smallType), object(linuxPref), nil
	}
	for name, list := range map[string]any{"as decoded": object(list), "of other types": yamlTypes(object(list))} {
		asked = nil
		report := vmrules.Validate(rules, list.(map[string]any), vmrules.WithInstancetypes(find))
		var got []string
		for _, v := range report.Violations() {
			got = append(got, v.Origin+" "+v.Field)
		}
		want := []string{
			"instancetype small items[0].spec.template.spec.domain.memory.guest",
			"instancetype small items[2].spec.virtualMachineTemplate.spec.template.spec.domain.memory.guest",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]string{"map[name:small]", "map[name:small]"}, asked); diff != "" {
			t.Errorf("%s: asked (-want +got):\n%s", name, diff)
		}
	}
}

// yamlTypes returns an object with the maps of another decoder below its first level.
func yamlTypes(object map[string]any) any {
	converted := map[string]any{}
	for key, v := range object {
		converted[key] = yamlType(v)
	}
	return converted
}

func yamlType(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[any]any{}
		for key, item := range v {
			m[key] = yamlType(item)
		}
		return m
	case []any:
		list := make([]any, 0, len(v))
		for _, item := range v {
			list = append(list, yamlType(item))
		}
		return list
	case json.Number:
		n, _ := v.Int64()
		return int(n)
	}
	return v
}

// KubeVirt refuses a VM that conflicts with its instance type, so no rule is decided.
func TestInstancetypeConflict(t *testing.T) {
	vm := object(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "small"},
		"template": {"spec": {"hostname": "a", "domain": {"memory": {"guest": "8Gi"}}}}}}`)
	rules := mustParseRules(t, "["+memoryRule+`, {"name": "host", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "m"}]`)
	report := vmrules.Validate(rules, vm, vmrules.WithInstancetype(object(smallType), nil))
	why := "KubeVirt refuses the VM: spec.template.spec.domain.memory.guest: instancetype small sets spec.memory.guest, " +
		"so the VM must not set this field: remove it, or use another instance type"
	want := []judged{
		{"memory", vmrules.Undecided, vmrules.DoubtInstancetype, []string{why}},
		{"host", vmrules.Undecided, vmrules.DoubtInstancetype, []string{why}},
	}
	if diff := cmp.Diff(want, judgedIn(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However many VMs a list has, one Budget pays for expanding them.
func TestInstancetypesShareABudget(t *testing.T) {
	vms := make([]any, 3000)
	for i := range vms {
		vms[i] = object(bothNamed)
	}
	annotations := map[string]any{}
	for i := range 1000 {
		annotations[fmt.Sprint("a.example/", i)] = "v"
	}
	large := object(smallType)
	large["spec"].(map[string]any)["annotations"] = annotations
	report := vmrules.Validate(mustParseRules(t, "["+memoryRule+"]"), map[string]any{"kind": "List", "items": vms},
		vmrules.WithInstancetype(large, object(linuxPref)))
	last := report.Results()[len(report.Results())-1]
	if last.Undecided != vmrules.DoubtBound && last.Undecided != vmrules.DoubtInstancetype {
		t.Errorf("the last VM is %s (%s)", last.Outcome, last.Undecided)
	}
}
