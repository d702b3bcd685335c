package instancetype_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/racetest"
)

type object = map[string]any

// TestErrors checks what Expand refuses, and that the error says where.
func TestErrors(t *testing.T) {
	const (
		vm     = `{"kind": "VirtualMachine", "spec": {"template": {}}}`
		i      = `{"metadata": {"name": "i"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}}`
		p      = `{"metadata": {"name": "p"}, "spec": {}}`
		iPlus  = `{"spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}, %s}}`
		pWith  = `{"spec": {%s}}`
		domain = `{"spec": {"template": {"spec": {"domain": %s}}}}`
	)
	for _, test := range []struct{ name, vm, instancetype, preference, want string }{
		{"no VM", `null`, i, p, "the VM is nil"},
		{"another kind of VM", `{"kind": "Template"}`, i, p, `the VM is of the kind "Template", not a VirtualMachine`},
		{"no template", `{"spec": {}}`, i, `null`, "the VM has no spec.template"},
		{"a template of another type", `{"spec": {"template": []}}`, `null`, p, "the VM has no spec.template"},
		{"a spec of another type", `{"spec": {"template": {"spec": 1}}}`, i, p, "the VM's spec.template.spec is 1, not an object"},
		{"a domain of another type", fmt.Sprintf(domain, `"d"`), i, p, `the VM's spec.template.spec.domain is "d", not an object`},
		{"disks of another type", fmt.Sprintf(domain, `{"devices": {"disks": {}}}`), `null`, fmt.Sprintf(pWith, `"devices": {}`),
			"the VM's spec.template.spec.domain.devices.disks is an object, not a list"},
		{"a disk of another type", fmt.Sprintf(domain, `{"devices": {"disks": [true]}}`), `null`, fmt.Sprintf(pWith, `"devices": {}`),
			"the VM's spec.template.spec.domain.devices.disks[0] is true, not an object"},
		{"a disk that is null", fmt.Sprintf(domain, `{"devices": {"disks": [null]}}`), `null`, fmt.Sprintf(pWith, `"devices": {}`),
			"the VM's spec.template.spec.domain.devices.disks[0] is null, not an object"},
		{"CPU features of another type", fmt.Sprintf(domain, `{"cpu": {"features": "vmx"}}`), `null`,
			fmt.Sprintf(pWith, `"cpu": {"preferredCPUFeatures": [{}]}`), `the VM's spec.template.spec.domain.cpu.features is "vmx", not a list`},

		{"a preference as an instance type", vm, `{"kind": "VirtualMachinePreference"}`, `null`,
			`instancetype: it is of the kind "VirtualMachinePreference", not a VirtualMachineInstancetype or a VirtualMachineClusterInstancetype`},
		{"an instance type as a preference", vm, `null`, `{"kind": "VirtualMachineInstancetype", "metadata": {"name": "i"}}`,
			`preference i: it is of the kind "VirtualMachineInstancetype"`},
		{"a revision", vm, `{"kind": "ControllerRevision"}`, `null`, `instancetype: it is of the kind "ControllerRevision"`},
		{"another API group", vm, `{"apiVersion": "example.com/v1", "metadata": {"name": "i"}}`, `null`,
			`instancetype i: its apiVersion "example.com/v1" is not of the group instancetype.kubevirt.io`},
		{"no API group", vm, `null`, `{"apiVersion": "v1"}`, `preference: its apiVersion "v1" is not of the group`},
		{"a kind of another type", vm, `{"kind": 1}`, `null`, `instancetype: it is of the kind 1`},
		{"no vCPUs", vm, `{"metadata": {"name": "i"}, "spec": {"memory": {"guest": "1Gi"}}}`, `null`,
			"instancetype i: spec.cpu.guest is missing"},
		{"no memory", vm, `{"spec": {"cpu": {"guest": 1}, "memory": {}}}`, `null`, "instancetype: spec.memory.guest is missing"},
		{"an empty instance type", vm, `{}`, `null`, "instancetype: spec.cpu.guest is missing"},
		{"a spec of another type", vm, `{"spec": []}`, `null`, "instancetype: spec is an array, not an object"},
		{"a section of another type", vm, `null`, `{"spec": {"devices": "d"}}`, `preference: spec.devices is "d", not an object`},
		{"a section in a section", vm, `null`, fmt.Sprintf(pWith, `"cpu": {"spreadOptions": []}`),
			"preference: spec.cpu.spreadOptions is an array, not an object"},
		{"a count below 0", vm, `{"spec": {"cpu": {"guest": -1}, "memory": {"guest": "1Gi"}}}`, `null`,
			"spec.cpu.guest is -1, not a whole number from 0 to 4294967295"},
		{"a count above 32 bits", vm, `{"spec": {"cpu": {"guest": 4294967296}, "memory": {"guest": "1Gi"}}}`, `null`,
			"spec.cpu.guest is 4294967296"},
		{"a count with a fraction", vm, `{"spec": {"cpu": {"guest": 1.5}, "memory": {"guest": "1Gi"}}}`, `null`, "spec.cpu.guest is 1.5"},
		{"maxSockets below 0", vm, `{"spec": {"cpu": {"guest": 1, "maxSockets": -1}, "memory": {"guest": "1Gi"}}}`, `null`,
			"spec.cpu.maxSockets is -1"},
		{"I/O threads below 0", vm, fmt.Sprintf(iPlus, `"ioThreads": {"supplementalPoolThreadCount": -1}`), `null`,
			"spec.ioThreads.supplementalPoolThreadCount is -1"},
		{"a ratio below 0", vm, `null`, fmt.Sprintf(pWith, `"cpu": {"spreadOptions": {"ratio": -1}}`), "spec.cpu.spreadOptions.ratio is -1"},
		{"an older ratio below 0", vm, `null`, fmt.Sprintf(pWith, `"preferSpreadSocketToCoreRatio": -1`),
			"spec.preferSpreadSocketToCoreRatio is -1"},
		{"memory that is no quantity", vm, `{"spec": {"cpu": {"guest": 1}, "memory": {"guest": "1GB"}}}`, `null`,
			`spec.memory.guest is "1GB", not a quantity such as 2Gi`},
		{"memory that is an object", vm, `{"spec": {"cpu": {"guest": 1}, "memory": {"guest": {}}}}`, `null`,
			`spec.memory.guest is an object, not a quantity`},
		{"memory below 0", vm, `{"spec": {"cpu": {"guest": 1}, "memory": {"guest": "-1Gi"}}}`, `null`,
			`spec.memory.guest is "-1Gi", not a quantity from 0`},
		{"memory above 64 bits", vm, `{"spec": {"cpu": {"guest": 1}, "memory": {"guest": "8Ei"}}}`, `null`,
			`spec.memory.guest is "8Ei", not a quantity from 0`},
		{"a string", vm, fmt.Sprintf(iPlus, `"schedulerName": 1`), `null`, "spec.schedulerName is 1, not a string"},
		{"a flag", vm, `null`, fmt.Sprintf(pWith, `"devices": {"preferredBlockMultiQueue": "yes"}`),
			`spec.devices.preferredBlockMultiQueue is "yes", not true or false`},
		{"a list", vm, fmt.Sprintf(iPlus, `"gpus": {}`), `null`, "spec.gpus is an object, not a list"},
		{"an object", vm, fmt.Sprintf(iPlus, `"launchSecurity": []`), `null`, "spec.launchSecurity is an array, not an object"},
		{"a whole number", vm, `null`, fmt.Sprintf(pWith, `"preferredTerminationGracePeriodSeconds": "30"`), `is "30", not a whole number`},
		{"an annotation", vm, fmt.Sprintf(iPlus, `"annotations": {"a": "1", "b": 2}`), `null`, `spec.annotations has 2 for "b", not a string`},
		{"an annotation that is null", vm, `null`, fmt.Sprintf(pWith, `"annotations": {"b": null}`), `spec.annotations has nothing for "b"`},
		{"a list as annotations", vm, `null`, fmt.Sprintf(pWith, `"annotations": []`), `spec.annotations is an array, not an object`},
		{"a CPU feature", `{"spec": {"template": {"spec": {"domain": {"cpu": {}}}}}}`, `null`,
			fmt.Sprintf(pWith, `"cpu": {"preferredCPUFeatures": [{"name": "a"}, "b"]}`), `spec.cpu.preferredCPUFeatures[1] is "b", not an object`},
	} {
		got, err := instancetype.Expand(conformance.DecodeExactly([]byte(test.vm)), conformance.DecodeExactly([]byte(test.instancetype)),
			conformance.DecodeExactly([]byte(test.preference)))
		if err == nil || !strings.Contains(err.Error(), test.want) || got != nil {
			t.Errorf("%s: got the error %v, want %q", test.name, err, test.want)
		}
	}
}

func TestNothingGiven(t *testing.T) {
	vm := object{"spec": object{"instancetype": object{"name": "i"}}}
	got, err := instancetype.Expand(vm, nil, nil)
	if diff := cmp.Diff(&instancetype.Expansion{VM: vm}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestIgnored(t *testing.T) {
	it := `{"spce": 1, "apiVersion": "instancetype.kubevirt.io/v1", "metadata": {"x": 1}, "status": {"x": 1},
		"spec": {"cpu": {"guest": 1, "Guest": 2}, "memory": {"guest": "1Gi"}, "nodeSelector": {"any": "1"},
			"ioThreads": {"a.b": 1}, "gpus": [{"x": 1}], "zz": {"cpu": {}}}}`
	p := `{"spec": {"devices": {"preferedDiskBus": "sata", "preferredRng": {"x": 1}}, "requirements": {"cpu": {"guest": 1, "x": 1}}}}`
	got, err := instancetype.Expand(object{"spec": object{"template": object{}}}, conformance.DecodeExactly([]byte(it)),
		conformance.DecodeExactly([]byte(p)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`instancetype.spce`, `instancetype.spec.cpu.Guest`, `instancetype.spec.ioThreads.a\.b`, `instancetype.spec.zz`,
		`preference.spec.devices.preferedDiskBus`, `preference.spec.requirements.cpu.x`}
	if diff := cmp.Diff(want, got.Ignored); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHostile checks that objects that Go code may build, and that no decoder returns, have an
// error.
func TestHostile(t *testing.T) {
	racetest.SkipLong(t)
	cycle := object{}
	cycle["spec"] = cycle
	var shared any = "a"
	for range 40 {
		shared = []any{shared, shared}
	}
	large := make([]any, 100_000)
	for i := range large {
		large[i] = object{"name": "n"}
	}
	disks := object{"spec": object{"template": object{"spec": object{"domain": object{"devices": object{"disks": large}}}}}}
	nics := object{"spec": object{"template": object{"spec": object{"networks": large,
		"domain": object{"devices": object{"interfaces": large}}}}}}
	for i := range large {
		large[i].(object)["name"] = fmt.Sprint(i)
	}
	vm, size := object{"spec": object{"template": object{}}}, object{"cpu": object{"guest": 1}, "memory": object{"guest": "1Gi"}}
	for _, test := range []struct {
		name       string
		vm         object
		it, prefer object
	}{
		{"a cycle in the VM", cycle, nil, nil},
		{"a cycle in the instance type", vm, cycle, nil},
		{"a cycle in the preference", vm, nil, cycle},
		{"shared parts", object{"a": shared}, nil, nil},
		{"shared parts in the preference", vm, nil, object{"spec": object{"unknown": shared}}},
		{"a function", vm, object{"spec": object{"f": func() {}}}, nil},
		{"NaN", vm, nil, object{"spec": object{"f": math.NaN()}}},
		{"a large object for each disk", disks, nil,
			object{"spec": object{"devices": object{"preferredDiskBlockSize": object{"a": large[:9999]}}}}},
		{"each interface and each network", nics, nil, object{"spec": object{"devices": object{"preferredInterfaceMasquerade": object{}}}}},
		{"a panic in MarshalJSON", vm, object{"spec": object{"cpu": panics{}, "memory": size["memory"]}}, nil},
	} {
		if _, err := instancetype.Expand(test.vm, test.it, test.prefer); err == nil {
			t.Errorf("%s: no error", test.name)
		}
		instancetype.CheckRequirements(test.vm, test.it, test.prefer)
	}
	if got := instancetype.CheckRequirements(cycle, nil, object{}); len(got) != 1 || got[0].Field != "spec.template" {
		t.Errorf("the requirements of a VM that is a cycle: %v", got)
	}
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("half built") }

// TestLargeObjects checks that the objects of a real cluster are far within the bounds.
func TestLargeObjects(t *testing.T) {
	disks := make([]any, 500)
	for i := range disks {
		disks[i] = object{"name": fmt.Sprint(i)}
	}
	vm := object{"spec": object{"template": object{"spec": object{"networks": disks, "domain": object{"devices": object{"disks": disks,
		"interfaces": disks}}}}}}
	p := object{"spec": object{"devices": object{"preferredDiskBus": "virtio", "preferredInterfaceMasquerade": object{}}}}
	got, err := instancetype.Expand(vm, nil, p)
	if err != nil || len(got.Origins) != 1000 {
		t.Fatalf("%v, and %d fields are set, want 1000", err, len(got.Origins))
	}
}

// TestProperties checks each case with the types of other decoders, and that the arguments
// do not change.
func TestProperties(t *testing.T) {
	for _, c := range expansions(t) {
		var texts [3]string
		vm, it, preference := c.objects()
		for i, o := range []object{vm, it, preference} {
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = string(text)
		}
		checkProperties(t, c.Name, texts)
	}
}

func FuzzExpand(f *testing.F) {
	for _, c := range expansions(f) {
		var texts [3]string
		vm, it, preference := c.objects()
		for i, o := range []object{vm, it, preference} {
			text, _ := json.Marshal(o)
			texts[i] = string(text)
		}
		f.Add(texts[0], texts[1], texts[2])
	}
	f.Fuzz(func(t *testing.T, vm, it, preference string) {
		for _, text := range []string{vm, it, preference} {
			var o object
			if json.Unmarshal([]byte(text), &o) != nil {
				t.Skip("not an object")
			}
		}
		checkProperties(t, "fuzz", [3]string{vm, it, preference})
	})
}

// checkProperties checks what holds for any three objects.
func checkProperties(t *testing.T, name string, texts [3]string) {
	t.Helper()
	decode := func(from func(json.RawMessage) map[string]any) (objects [3]object) {
		for i, text := range texts {
			if text != "null" {
				objects[i] = from([]byte(text))
			}
		}
		return objects
	}
	given, odd := decode(conformance.DecodeExactly), decode(conformance.DecodeOddly)
	want, wantErr := instancetype.Expand(given[0], given[1], given[2])
	got, err := instancetype.Expand(odd[0], odd[1], odd[2])
	if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(wantErr) != fmt.Sprint(err) {
		t.Errorf("%s, by another decoder: %v, want %v (-want +got):\n%s", name, err, wantErr, diff)
	}
	required := instancetype.CheckRequirements(given[0], given[1], given[2])
	if diff := cmp.Diff(required, instancetype.CheckRequirements(odd[0], odd[1], odd[2])); diff != "" {
		t.Errorf("%s: requirements by another decoder (-want +got):\n%s", name, diff)
	}
	if diff := cmp.Diff(decode(conformance.DecodeOddly), odd); diff != "" {
		t.Errorf("%s: the arguments have changed (-before +after):\n%s", name, diff)
	}
	if want != nil && want.VM != nil {
		spoil(want.VM)
	}
	if diff := cmp.Diff(decode(conformance.DecodeExactly), given); diff != "" {
		t.Errorf("%s: a change to the expanded VM has changed the arguments (-before +after):\n%s", name, diff)
	}
}

// spoil changes everything in a value.
func spoil(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, next := range v {
			spoil(next)
		}
		v["spoilt"] = true
	case []any:
		for i, next := range v {
			spoil(next)
			v[i] = "spoilt"
		}
	}
}

// TestTwice checks that a preference has nothing to set in a VM that it has expanded, firmware
// apart: there it takes its own EFI for the user's.
func TestTwice(t *testing.T) {
	for _, c := range expansions(t) {
		vm, it, preference := c.objects()
		once, err := instancetype.Expand(vm, it, preference)
		if err != nil || len(once.Conflicts) > 0 || strings.HasPrefix(c.Name, "firmware: preferredEfi") {
			continue
		}
		twice, err := instancetype.Expand(once.VM, nil, preference)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		} else if diff := cmp.Diff(once.VM, twice.VM); diff != "" {
			t.Errorf("%s (-once +twice):\n%s", c.Name, diff)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var all sync.WaitGroup
	c := expansions(t)[0]
	vm, it, preference := c.objects()
	for range 8 {
		all.Go(func() {
			if _, err := instancetype.Expand(vm, it, preference); err != nil {
				t.Error(err)
			}
			instancetype.CheckRequirements(vm, it, preference)
		})
	}
	all.Wait()
}
