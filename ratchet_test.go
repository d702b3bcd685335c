package vmrules_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// ratchetRules are a rule for each way in which an update can be judged.
const ratchetRules = `[
	{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 4},
	{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "m", "values": ["virtio"]},
	{"name": "order", "rule": "integer", "path": "jsonpath::.spec.domain.devices.inputs[*].order", "message": "m", "max": 1},
	{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m"},
	{"name": "guest", "rule": "integer", "path": "jsonpath::.spec.domain.memory.max", "message": "m", "min": "jsonpath::.spec.domain.memory.least"},
	{"name": "text", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "m"}]`

const ratchetVM = `{"kind": "VirtualMachine", "apiVersion": "kubevirt.io/v1", "spec": {"template": {"spec": {
	"hostname": {"a": 1},
	"domain": {"cpu": {"cores": 8}, "memory": {"max": 1}, "devices": {
		"disks": [{"name": "a", "disk": {"bus": "sata"}}, {"name": "b", "disk": {"bus": "virtio"}}],
		"inputs": [{"order": 2}, {"order": 1}]}}}}}}`

func TestRatcheting(t *testing.T) {
	rules := mustParseRules(t, ratchetRules)
	replaced := func(pairs ...string) string {
		text := ratchetVM
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("the VM has no %s", pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
	for _, test := range []struct{ name, now, want string }{
		{"nothing changes", ratchetVM, ""},
		{"another value is wrong", replaced(`"cores": 8`, `"cores": 9`), "cores"},
		{"a wrong value becomes right", replaced(`"cores": 8`, `"cores": 4`), ""},
		{"a disk moves", replaced(
			`{"name": "a", "disk": {"bus": "sata"}}, {"name": "b", "disk": {"bus": "virtio"}}`,
			`{"name": "b", "disk": {"bus": "virtio"}}, {"name": "a", "disk": {"bus": "sata"}}`), ""},
		{"a disk gets another name", replaced(`"name": "a"`, `"name": "c"`), "bus"},
		{"another disk gets wrong", replaced(`"bus": "virtio"`, `"bus": "sata"`), "bus"},
		{"a second disk of the same name", replaced(`{"name": "b", "disk": {"bus": "virtio"}}`, `{"name": "a", "disk": {"bus": "sata"}}`), "bus"},
		{"an item of another list moves", replaced(`{"order": 2}, {"order": 1}`, `{"order": 1}, {"order": 2}`), "order"},
		{"what was missing is wrong", replaced(`"memory": {"max": 1}`, `"memory": {"max": 1, "guest": "x"}`), "memory"},
		{"an argument cannot be read for another reason", replaced(`{"max": 1}`, `{"max": 1, "least": "x"}`), "guest"},
		{"an argument can be read", replaced(`{"max": 1}`, `{"max": 1, "least": 2}`), "guest"},
		{"an object of a wrong type changes", replaced(`{"a": 1}`, `{"a": 2}`), "text"},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := object(ratchetVM)
			report := vmrules.Validate(rules, object(test.now), vmrules.WithOldObject(old), vmrules.Ratcheting())
			var names []string
			for _, v := range report.Violations() {
				names = append(names, v.Rule)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("the update fails by %q, want %q:\n%s", got, test.want, report)
			}
			if report.Valid() != (test.want == "") {
				t.Errorf("valid: %t", report.Valid())
			}
			if diff := cmp.Diff(object(ratchetVM), old); diff != "" {
				t.Errorf("the old object has changed:\n%s", diff)
			}
		})
	}
}

// Without the option, or without an old object, nothing is forgiven.
func TestNoRatcheting(t *testing.T) {
	rules := mustParseRules(t, ratchetRules)
	plain := vmrules.Validate(rules, object(ratchetVM))
	for name, opts := range map[string][]vmrules.ValidateOption{
		"no old object":  {vmrules.Ratcheting()},
		"no ratcheting":  {vmrules.WithOldObject(object(ratchetVM))},
		"an empty VM":    {vmrules.Ratcheting(), vmrules.WithOldObject(object(`{"kind": "VirtualMachine"}`))},
		"another object": {vmrules.Ratcheting(), vmrules.WithOldObject(object(`{"kind": "List", "items": [` + ratchetVM + `]}`))},
	} {
		if got := vmrules.Validate(rules, object(ratchetVM), opts...); !got.Equal(plain) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, plain)
		}
	}
}

// The notes and outcomes tell what is old from what is new.
func TestRatchetingInWords(t *testing.T) {
	rules := mustParseRules(t, ratchetRules)
	now := strings.Replace(ratchetVM, `"bus": "virtio"`, `"bus": "scsi"`, 1)
	report := vmrules.Validate(rules, object(now), vmrules.WithOldObject(object(ratchetVM)), vmrules.Ratcheting())
	type told struct {
		Rule     string
		Outcome  vmrules.Outcome
		Note     string
		Warnings []bool
	}
	var got []told
	for _, r := range report.Results() {
		result := told{Rule: r.Rule, Outcome: r.Outcome, Note: r.Note}
		for _, v := range r.Violations {
			result.Warnings = append(result.Warnings, v.Warning)
		}
		got = append(got, result)
	}
	const old = "not changed by this update"
	want := []told{
		{"cores", vmrules.Warned, old, []bool{true}},
		{"bus", vmrules.Violated, "", []bool{true, false}},
		{"order", vmrules.Warned, old, []bool{true}},
		{"memory", vmrules.Warned, old, []bool{true}},
		{"guest", vmrules.Warned, old, []bool{true}},
		{"text", vmrules.Warned, old, []bool{true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each VM is expanded with what it names itself.
func TestRatchetingWithInstancetypes(t *testing.T) {
	rules := mustParseRules(t, "["+memoryRule+"]")
	find := func(vm map[string]any) (map[string]any, map[string]any, error) {
		name := vm["spec"].(map[string]any)["instancetype"].(map[string]any)["name"].(string)
		it := object(strings.ReplaceAll(smallType, `"small"`, `"`+name+`"`))
		if name == "tiny" {
			it["spec"].(map[string]any)["memory"] = map[string]any{"guest": "512Mi"}
		}
		return it, object(linuxPref), nil
	}
	for now, want := range map[string]bool{"small": true, "alike": true, "tiny": false} {
		vm := object(strings.Replace(bothNamed, `{"name": "small"}`, `{"name": "`+now+`"}`, 1))
		report := vmrules.Validate(rules, vm, vmrules.WithOldObject(object(bothNamed)), vmrules.Ratcheting(), vmrules.WithInstancetypes(find))
		if report.Valid() != want {
			t.Errorf("from small to %s: valid: %t\n%s", now, report.Valid(), report)
		}
	}
}

// A budget that is too small for the comparison forgives nothing.
func TestRatchetingInABudget(t *testing.T) {
	rules := mustParseRules(t, `[{"name": "n", "rule": "integer", "path": "jsonpath::.spec.domain.devices.disks[*].n", "message": "m", "max": 4}]`)
	vm := func(last string) map[string]any {
		return object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"devices": {"disks": [` +
			strings.Repeat(`{"name": "a", "n": 1}, `, 300) + `{"name": "b", "n": ` + last + `}]}}}}}}`)
	}
	was, is := vm("2"), vm("8")
	outcomes := map[vmrules.Outcome]bool{}
	for work := 1000; work < 2_000_000; work += work / 50 {
		report := vmrules.Validate(rules, is, vmrules.WithOldObject(was), vmrules.Ratcheting(), vmrules.WithBudget(vmrules.Budget{Work: work}))
		if report.Valid() {
			t.Fatalf("with a budget of %d:\n%s", work, report)
		}
		outcomes[report.Results()[0].Outcome] = true
	}
	if len(outcomes) < 2 {
		t.Errorf("only %v", outcomes)
	}
}

// A disk whose name cannot be read may be any disk, so nothing about disks is forgiven.
func TestRatchetingWithoutReadableNames(t *testing.T) {
	rules := mustParseRules(t, ratchetRules)
	diskNamed := func(name any) map[string]any {
		vm := object(ratchetVM)
		devices := vm["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["domain"].(map[string]any)["devices"].(map[string]any)
		devices["disks"] = []any{map[string]any{"name": name, "disk": map[string]any{"bus": "sata"}}}
		return vm
	}
	for _, test := range []struct {
		name     string
		old, now any
		want     bool
	}{
		{"no names", nil, nil, true},
		{"the new one", nil, math.NaN(), false},
		{"the old one", math.NaN(), nil, false},
		{"both", math.NaN(), math.NaN(), false},
	} {
		report := vmrules.Validate(rules, diskNamed(test.now), vmrules.WithOldObject(diskNamed(test.old)), vmrules.Ratcheting())
		if report.Valid() != test.want {
			t.Errorf("%s: valid: %t\n%s", test.name, report.Valid(), report)
		}
	}
}
