package vmrules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

func TestNewDefaultOfAnotherForm(t *testing.T) {
	for _, path := range []string{"$", ".a[*]", "[*]", ".a[0].b", ".a.*.b", "..a", ".a[?(@.b)].c", ".a['b','c']", ".a[0:1].b"} {
		_, err := vmrules.NewDefault(vmrules.MustParsePath("jsonpath::"+path), 1)
		if err == nil || !strings.Contains(err.Error(), "write a path of names and [*] that ends in a name") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := vmrules.NewDefault(vmrules.Path{}, 1); err == nil {
		t.Errorf("the zero path: %v", err)
	}
}

func TestWithDefaults(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "enum", "path": "jsonpath::.spec.domain.list[*].n", "message": "m", "values": ["x"]}]`)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := vmrules.ToObject(map[string]any{"spec": map[string]any{"domain": map[string]any{"list": []any{map[string]any{}}}}})
	if err != nil {
		t.Fatal(err)
	}
	of := func(value any) vmrules.Default {
		d, err := vmrules.NewDefault(vmrules.MustParsePath("jsonpath::.spec.domain.list[*].n"), value)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tests := []struct {
		name     string
		defaults []vmrules.Default
		want     string
	}{
		{"none", nil, "the field is not set"},
		{"the zero Default", []vmrules.Default{{}}, "the field is not set"},
		{"a string", []vmrules.Default{of("x")}, ""},
		{"the later one", []vmrules.Default{of("x"), {}, of("y")}, `not set, counts as "y": "y" is not "x"`},
		{"none again", []vmrules.Default{of("x"), of(nil)}, "the field is not set"},
		{"an array", []vmrules.Default{of([]any{"x"})}, "not set, counts as an array: an array is not a string, number or boolean"},
	}
	for _, test := range tests {
		detail := ""
		for _, v := range vmrules.Validate(rules, vm, vmrules.WithDefaults(test.defaults...)).Violations() {
			detail += v.Detail
		}
		if diff := cmp.Diff(test.want, detail); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestDefaultBelow: a path may have steps inside an object that is a default.
func TestDefaultBelow(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.x.y", "message": "m", "max": 1}]`)
	if err != nil {
		t.Fatal(err)
	}
	d, err := vmrules.NewDefault(vmrules.MustParsePath("jsonpath::.spec.domain.x"), map[string]any{"y": 1})
	if err != nil {
		t.Fatal(err)
	}
	vm := map[string]any{"spec": map[string]any{"domain": map[string]any{}}}
	if report := vmrules.Validate(rules, vm, vmrules.WithDefaults(d)); !report.Valid() {
		t.Error(report)
	}
}

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	const text = `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.x", "message": "m"}]`
	rules, err := vmrules.ParseRules(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	vm := map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: text}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"x": 1}}}}
	own := vmrules.ValidateOwn(vm, nil, vmrules.WithParseOptions(nil))
	report := vmrules.Validate(rules, vm, nil)
	if !report.Valid() || !cmp.Equal(own.Results(), report.Results()) || len(own.Results()) != 1 {
		t.Errorf("%s\n%s", report, own)
	}
	again, err := vmrules.RulesFor(vm, nil, nil)
	built, builtErr := vmrules.NewRules([]vmrules.Rule{first(rules)}, nil)
	if errors.Join(err, builtErr) != nil || !again.Equal(rules) || !built.Equal(rules) {
		t.Errorf("%s\n%s\n%v", again, built, errors.Join(err, builtErr))
	}
}

func first(rules vmrules.Rules) vmrules.Rule {
	r, _ := rules.ByName("r")
	return r
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
		j := judged{Rule: result.Rule, Outcome: result.Outcome, Doubt: result.Doubt}
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
	memory := judged{"memory", vmrules.OutcomeViolated, "", []string{`instancetype small: "1Gi", from instance type small, is less than min 2Gi`}}
	threads := judged{Rule: "threads", Outcome: vmrules.OutcomeSatisfied}
	open := func(rule, field string, doubt vmrules.Doubt, by, why string) judged {
		return judged{rule, vmrules.OutcomeUndecided, doubt, []string{fmt.Sprintf("spec.template.spec.domain.%s may be set by the %s: %s", field, by, why)}}
	}
	allOpen := func(why string) []judged {
		return []judged{
			open("memory", "memory.guest", vmrules.DoubtInstancetype, "instance type", why),
			{"bus", vmrules.OutcomeViolated, "", []string{`"scsi" is not "sata"`}},
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
			{"bus", vmrules.OutcomeViolated, "", []string{`preference linux: "virtio", from preference linux, is not "sata"`, `"scsi" is not "sata"`}},
			{"cores", vmrules.OutcomeViolated, "", []string{"instancetype small: 2, from instance type small, is less than min 4"}},
			threads,
		}},
		{"no preference", vmrules.WithInstancetype(small, nil), []judged{
			memory,
			{"bus", vmrules.OutcomeViolated, "", []string{`"scsi" is not "sata"`}},
			open("cores", "cpu.cores", vmrules.DoubtPreference, "preference", "the VirtualMachineClusterPreference linux is not given"),
			open("threads", "cpu.threads", vmrules.DoubtPreference, "preference", "the VirtualMachineClusterPreference linux is not given"),
		}},
		{"no preference, and one vCPU", vmrules.WithInstancetype(object(oneCPU), nil), []judged{
			memory,
			{"bus", vmrules.OutcomeViolated, "", []string{`"scsi" is not "sata"`}},
			{"cores", vmrules.OutcomeViolated, "", []string{"instancetype small: 1, from instance type small, is less than min 4"}},
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
			allOpen("the search panics: no cache")},
		{"an unusable object", vmrules.WithInstancetype(object(`{"spec": {}}`), linux), allOpen("instancetype: spec.cpu.guest is missing")},
	} {
		t.Run(test.name, func(t *testing.T) {
			vm := object(bothNamed)
			got := judgedIn(vmrules.Validate(rulesOf(t, rules), vm, test.opt))
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
	rules := rulesOf(t, "["+memoryRule+"]")
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

// Of WithInstancetypes and WithoutInstancetypes, the later one counts. Kinds see the VM as it is, too.
func TestWithoutInstancetypes(t *testing.T) {
	small := vmrules.WithInstancetype(object(smallType), object(linuxPref))
	alone := vmrules.WithoutInstancetypes()
	vm := object(bothNamed)
	vm["metadata"] = map[string]any{"annotations": map[string]any{vmrules.Annotation: "[" + memoryRule + "]"}}
	for name, test := range map[string]struct {
		opts []vmrules.ValidateOption
		want string
	}{
		"neither":      {nil, "Undecided"},
		"without":      {[]vmrules.ValidateOption{alone}, "Violated FieldValueRequired"},
		"without last": {[]vmrules.ValidateOption{small, alone}, "Violated FieldValueRequired"},
		"with last":    {[]vmrules.ValidateOption{alone, small}, "Violated FieldValueInvalid"},
	} {
		for _, report := range []*vmrules.Report{
			vmrules.Validate(rulesOf(t, "["+memoryRule+"]"), vm, test.opts...), vmrules.ValidateOwn(vm, test.opts...),
		} {
			result := report.Results()[0]
			got := string(result.Outcome)
			if result.Doubt == "" {
				got += " " + string(result.Violations[0].Reason)
			}
			if got != test.want {
				t.Errorf("%s: got %s, want %s", name, got, test.want)
			}
		}
	}
	seen := ""
	look := always(func(in *vmrules.Input) vmrules.Verdict {
		seen = fmt.Sprint(in.Root)
		return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
	})
	rules, err := vmrules.ParseRules(`[{"name": "k", "rule": "k", "path": "jsonpath::.spec.domain", "message": "m"}]`, vmrules.WithKind("k", look))
	if err != nil {
		t.Fatal(err)
	}
	if report := vmrules.Validate(rules, vm, small, alone); !report.Valid() || strings.Contains(seen, "guest") {
		t.Errorf("%v, of %s", report, seen)
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

// KubeVirt refuses a VM that conflicts with its instance type: rules that depend on that are undecided.
func TestInstancetypeConflict(t *testing.T) {
	vm := object(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "small"},
		"template": {"spec": {"hostname": "a", "domain": {"memory": {"guest": "8Gi"}}}}}}`)
	rules := rulesOf(t, "["+memoryRule+`, {"name": "sockets", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.maxSockets", "message": "m"}, {"name": "host", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "m"}]`)
	report := vmrules.Validate(rules, vm, vmrules.WithInstancetype(object(smallType), nil))
	why := "KubeVirt refuses the VM: spec.template.spec.domain.memory.guest: instancetype small sets spec.memory.guest, " +
		"so the VM must not set this field: remove it, or use another instance type"
	want := []judged{
		{"memory", vmrules.OutcomeSatisfied, "", nil},
		{"sockets", vmrules.OutcomeUndecided, vmrules.DoubtConflict, []string{why}},
		{"host", vmrules.OutcomeSatisfied, "", nil},
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
	report := vmrules.Validate(rulesOf(t, "["+memoryRule+"]"), map[string]any{"kind": "List", "items": vms},
		vmrules.WithInstancetype(large, object(linuxPref)))
	last := report.Results()[len(report.Results())-1]
	if last.Doubt != vmrules.DoubtBound && last.Doubt != vmrules.DoubtInstancetype {
		t.Errorf("the last VM is %s (%s)", last.Outcome, last.Doubt)
	}
}

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

// Without the option, or without an old object, nothing is forgiven.
func TestNoRatcheting(t *testing.T) {
	rules := rulesOf(t, ratchetRules)
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
	rules := rulesOf(t, ratchetRules)
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
			result.Warnings = append(result.Warnings, v.Warned)
		}
		got = append(got, result)
	}
	const old = "not changed by this update"
	want := []told{
		{"cores", vmrules.OutcomeWarned, old, []bool{true}},
		{"bus", vmrules.OutcomeViolated, "", []bool{true, false}},
		{"order", vmrules.OutcomeWarned, old, []bool{true}},
		{"memory", vmrules.OutcomeWarned, old, []bool{true}},
		{"guest", vmrules.OutcomeWarned, old, []bool{true}},
		{"text", vmrules.OutcomeWarned, old, []bool{true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each VM is expanded with what it names itself.
func TestRatchetingWithInstancetypes(t *testing.T) {
	rules := rulesOf(t, "["+memoryRule+"]")
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
	rules := rulesOf(t, `[{"name": "n", "rule": "integer", "path": "jsonpath::.spec.domain.devices.disks[*].n", "message": "m", "max": 4}]`)
	vm := func(last string) map[string]any {
		return object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"devices": {"disks": [` +
			strings.Repeat(`{"name": "a", "n": 1}, `, 300) + `{"name": "b", "n": ` + last + `}]}}}}}}`)
	}
	was, is := vm("2"), vm("8")
	outcomes := map[vmrules.Outcome]bool{}
	for work := time.Microsecond; work < 2*time.Millisecond; work += work / 50 {
		report := vmrules.Validate(rules, is, vmrules.WithOldObject(was), vmrules.Ratcheting(), vmrules.WithBudget(vmrules.Budget{Time: work}))
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
	rules := rulesOf(t, ratchetRules)
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

// WarnIfUndecided looks for more doubts than Ratcheting compares, which finds the same in old and new.
func TestWarnIfUndecidedAndRatcheting(t *testing.T) {
	const text = `{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "small"}, "template": {"spec": {"domain": {"cpu": {"cores": 2}}}}}}`
	rule := rulesOf(t, `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "max": "jsonpath::.spec.domain.memory.maxGuest"}]`)
	report := vmrules.Validate(rule, object(text), vmrules.WithInstancetype(object(smallType), nil),
		vmrules.WithOldObject(object(text)), vmrules.Ratcheting(), vmrules.WarnIfUndecided(vmrules.DoubtInstancetype))
	if r := report.Results()[0]; r.Outcome != vmrules.OutcomeWarned || r.Doubt != vmrules.DoubtConflict {
		t.Errorf("%+v", r)
	}
}
