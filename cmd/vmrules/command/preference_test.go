package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/lint"
)

// ruleOn returns the JSON of a rule on a path below spec, with more keys.
func ruleOn(name, kind, path, keys string) string {
	return fmt.Sprintf(`{"name": %q, "rule": %q, "path": "jsonpath::.spec.%s", "message": "m"%s}`, name, kind, path, keys)
}

func mustParse(t *testing.T, rules ...string) vmrules.Rules {
	t.Helper()
	parsed, err := vmrules.ParseRules("[" + strings.Join(rules, ",") + "]")
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	memoryPath = "domain.memory.guest"
	diskPath   = "domain.devices.disks[*].disk.bus"
)

func TestPreferenceOf(t *testing.T) {
	tests := []struct {
		name  string
		rules []string
		want  string
		notes []string
	}{
		{"memory", []string{ruleOn("m", "integer", memoryPath, `, "min": 1610612736`)}, `{"requirements":{"memory":{"guest":"1536Mi"}}}`, nil},
		{"memory in bytes", []string{ruleOn("m", "integer", memoryPath, `, "min": 1e3`)}, `{"requirements":{"memory":{"guest":"1000"}}}`, nil},
		{"memory as a quantity", []string{ruleOn("m", "integer", memoryPath, `, "min": "1.5Gi"`)},
			`{"requirements":{"memory":{"guest":"1.5Gi"}}}`, nil},
		{"a fraction", []string{ruleOn("m", "integer", memoryPath, `, "min": 1023.5`)}, `{"requirements":{"memory":{"guest":"1Ki"}}}`, nil},
		{"the larger of two", []string{
			ruleOn("a", "integer", memoryPath, `, "min": "1Gi"`), ruleOn("b", "integer", memoryPath, `, "min": 2147483648, "max": "3Gi"`),
			ruleOn("c", "integer", memoryPath, `, "min": "1G"`),
		}, `{"requirements":{"memory":{"guest":"2Gi"}}}`, []string{"b: min is required, but a preference cannot say max"}},
		{"cores", []string{ruleOn("c", "integer", "domain.cpu.cores", `, "min": 1.5`)},
			`{"cpu":{"preferredCPUTopology":"cores"},"requirements":{"cpu":{"guest":2}}}`, nil},
		{"cores and threads", []string{
			ruleOn("t", "integer", "domain.cpu.threads", `, "min": "2"`), ruleOn("c", "integer", "domain.cpu.cores", `, "min": 4`),
			ruleOn("u", "integer", "domain.cpu.threads", `, "min": "3"`),
		}, `{"cpu":{"preferredCPUTopology":"threads"},"requirements":{"cpu":{"guest":3}}}`,
			[]string{"c: a preference requires only one of sockets, cores and threads, and another rule is about threads"}},
		{"architecture", []string{
			ruleOn("a", "enum", "architecture", `, "values": ["arm64"]`), ruleOn("b", "enum", "architecture", `, "values": ["amd64"]`),
			ruleOn("c", "enum", "architecture", `, "values": ["arm64", "amd64"]`),
		}, `{"requirements":{"architecture":"arm64"}}`, []string{
			"b: a preference requires only one architecture, and another rule is about arm64",
			"c: a preference requires one architecture, so the rule must be an enum of one value",
		}},
		{"no min, or none that can be required", []string{
			ruleOn("a", "integer", memoryPath, ""), ruleOn("b", "integer", memoryPath, `, "min": "jsonpath::.spec.x"`),
			ruleOn("c", "string", memoryPath, `, "min": 1`), ruleOn("d", "integer", memoryPath, `, "min": 0`),
			ruleOn("e", "integer", "domain.cpu.cores", `, "min": -1`), ruleOn("f", "integer", "domain.cpu.cores", `, "min": "1Ki"`),
			ruleOn("g", "integer", memoryPath, `, "min": 1e30`),
		}, `{}`, []string{
			"a: a preference only requires a number that an integer rule has in min",
			"b: a preference only requires a number that an integer rule has in min",
			"c: a preference only requires a number that an integer rule has in min",
			"d: a preference cannot require min 0: it would require nothing, not even that a VM sets its memory",
			"e: a preference cannot require min -1: preference: spec.requirements.cpu.guest is -1, not a whole number from 0 to 4294967295",
			"f: a preference cannot require min 1Ki: it requires a whole number of vCPUs",
			"g: a preference cannot require min 1e30: preference: spec.requirements.memory.guest is " +
				`"931322574615478515625Gi", not a quantity from 0 to 2⁶³-1`,
		}},
		{"not enforced for all VMs", []string{
			ruleOn("a", "integer", memoryPath, `, "min": 1, "justWarning": true`),
			ruleOn("b", "integer", memoryPath, `, "min": 1, "valid": "jsonpath::.spec.domain.memory.guest"`),
			ruleOn("c", "string", "hostname", ""),
		}, `{}`, []string{
			"a: a preference cannot warn: what it requires, KubeVirt enforces",
			"b: a preference requires the same of all VMs, also of those without jsonpath::.spec.domain.memory.guest",
			"c: a preference cannot say anything about jsonpath::.spec.hostname",
		}},
		{"a bus", []string{
			ruleOn("a", "enum", diskPath, `, "values": ["sata", "virtio", "scsi"]`),
			ruleOn("b", "enum", diskPath, `, "values": ["scsi", "virtio"], "justWarning": true`),
			ruleOn("c", "string", diskPath, `, "maxLength": 4, "valid": "jsonpath::.spec.hostname"`),
		}, `{"devices":{"preferredDiskBus":"scsi"}}`, []string{
			"a: spec.devices.preferredDiskBus fills in scsi where a VM sets nothing, but does not refuse other values",
			"b: spec.devices.preferredDiskBus fills in scsi where a VM sets nothing, but does not refuse other values",
			"c: spec.devices.preferredDiskBus fills in scsi where a VM sets nothing, but does not refuse other values",
		}},
		{"a bus with a condition", []string{
			ruleOn("a", "enum", "domain.devices.disks[*].cdrom.bus",
				`, "values": ["sata"], "valid": "jsonpath::.spec.domain.devices.disks[*].cdrom"`),
		}, `{"devices":{"preferredCdromBus":"sata"}}`, []string{
			"a: spec.devices.preferredCdromBus fills in sata where a VM sets nothing, but does not refuse other values",
		}},
		{"a bus of which the rules only warn", []string{
			ruleOn("a", "enum", diskPath, `, "values": ["sata", "virtio"]`),
			ruleOn("b", "enum", diskPath, `, "values": ["scsi"], "justWarning": true`),
		}, `{"devices":{"preferredDiskBus":"sata"}}`, []string{
			"a: spec.devices.preferredDiskBus fills in sata where a VM sets nothing, but does not refuse other values",
			"b: spec.devices.preferredDiskBus fills in sata where a VM sets nothing, but does not refuse other values",
		}},
		{"no bus to prefer", []string{
			ruleOn("a", "enum", diskPath, `, "values": ["sata"]`), ruleOn("b", "enum", diskPath, `, "values": ["scsi"]`),
			ruleOn("c", "enum", "domain.machine.type", `, "values": "jsonpath::.spec.x"`),
			ruleOn("d", "enum", "domain.devices.disks[*].lun.bus", `, "values": ["scsi"], "valid": "jsonpath::.spec.hostname"`),
		}, `{}`, []string{
			"a: a preference does not refuse values, and the rules name no value to prefer",
			"b: a preference does not refuse values, and the rules name no value to prefer",
			"c: a preference does not refuse values, and the rules name no value to prefer",
			"d: a preference does not refuse values, and the rules name no value to prefer",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			spec, notes := preferenceOf(mustParse(t, test.rules...))
			if diff := cmp.Diff(test.want, toJSON(t, spec)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var said []string
			for _, n := range notes {
				said = append(said, n.rule+": "+n.text)
			}
			if diff := cmp.Diff(test.notes, said); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// object returns the object in a text.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	parsed, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestRulesFrom(t *testing.T) {
	tests := []struct{ name, spec, want, note string }{
		{"nothing", `{}`, `[]`, "the preference requires nothing"},
		{"memory 0", `{"requirements": {"memory": {"guest": "0Mi"}}}`, `[]`,
			"requirements.memory: every VM has 0Mi, but a rule would also require that the VM sets its memory"},
		{"spread", `{"cpu": {"preferredCPUTopology": "spread"}, "requirements": {"cpu": {"guest": 4}}}`, `[]`,
			`requirements.cpu: with the topology "spread", KubeVirt does not count sockets, cores or threads alone, but a rule judges one field`},
		{"an empty topology", `{"cpu": {"preferredCPUTopology": ""}, "requirements": {"cpu": {"guest": 4}}}`, `[]`,
			`requirements.cpu: with the topology "", KubeVirt does not count sockets, cores or threads alone, but a rule judges one field`},
		{"a path", `{"requirements": {"architecture": "jsonpath::.spec.x"}}`, `[]`,
			`requirements: "jsonpath::.spec.x" cannot be an argument of a rule`},
		{"a broken path", `{"requirements": {"architecture": "jsonpath::["}}`, `[]`,
			`requirements: "jsonpath::[" cannot be an argument of a rule`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made, notes, err := rulesFrom(object(t, `{"spec": `+test.spec+`}`))
			if err != nil {
				t.Fatal(err)
			}
			rules, err := vmrules.NewRules(made)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, rules.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(notes) != 1 || notes[0].text != test.note {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
		})
	}
	for _, spec := range []string{
		`7`, `{"requirements": 7}`, `{"requirements": {"memory": {"guest": true}}}`, `{"requirements": {"cpu": {"guest": "2"}}}`,
	} {
		if rules, _, err := rulesFrom(object(t, `{"spec": `+spec+`}`)); err == nil {
			t.Errorf("%s: rules %v, want an error", spec, rules)
		}
	}
}

// Both conversions, one after the other, change nothing that both forms can say.
func TestConvertBothWays(t *testing.T) {
	for _, spec := range []string{
		`{"requirements":{"memory":{"guest":"1.5Gi"}}}`,
		`{"requirements":{"architecture":"s390x","memory":{"guest":"512Mi"}}}`,
		`{"cpu":{"preferredCPUTopology":"sockets"},"requirements":{"cpu":{"guest":1},"memory":{"guest":"2G"}}}`,
		`{"cpu":{"preferredCPUTopology":"cores"},"requirements":{"cpu":{"guest":8}}}`,
		`{"cpu":{"preferredCPUTopology":"threads"},"requirements":{"architecture":"","cpu":{"guest":0}}}`,
	} {
		made, notes, err := rulesFrom(object(t, `{"spec": `+spec+`}`))
		if err != nil || notes != nil {
			t.Fatal(err, notes)
		}
		rules, err := vmrules.NewRules(made)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Annotation(rules.String()) {
			if f.Severity != lint.SeverityInfo {
				t.Errorf("%s: %v", spec, f)
			}
		}
		back, notes := preferenceOf(rules)
		if diff := cmp.Diff(spec, toJSON(t, back)); diff != "" || notes != nil {
			t.Errorf("%v (-want +got):\n%s", notes, diff)
		}
		again, _, err := rulesFrom(map[string]any{"spec": back})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made, again); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A VM satisfies the rules exactly if KubeVirt finds that it has what the preference requires,
// which was made from the rules, and from which the rules can be made.
func TestConvertedRulesAgree(t *testing.T) {
	rules := [][]string{
		{ruleOn("m", "integer", memoryPath, `, "min": 1610612736`)},
		{ruleOn("m", "integer", memoryPath, `, "min": "2G"`), ruleOn("c", "integer", "domain.cpu.cores", `, "min": 2`)},
		{ruleOn("s", "integer", "domain.cpu.sockets", `, "min": 4`), ruleOn("a", "enum", "architecture", `, "values": ["arm64"]`)},
		{ruleOn("t", "integer", "domain.cpu.threads", `, "min": 2`), ruleOn("m", "integer", memoryPath, `, "min": "3Gi"`)},
	}
	instancetypes := []string{"", `{"cpu": {"guest": 2}, "memory": {"guest": "1.5Gi"}}`, `{"cpu": {"guest": 4}, "memory": {"guest": "4Gi"}}`}
	verdicts := map[bool]int{}
	for _, annotation := range rules {
		parsed := mustParse(t, annotation...)
		spec, notes := preferenceOf(parsed)
		if notes != nil {
			t.Fatal(notes)
		}
		preference := map[string]any{"metadata": map[string]any{"name": "p"}, "spec": spec}
		made, _, err := rulesFrom(preference)
		if err != nil {
			t.Fatal(err)
		}
		remade, err := vmrules.NewRules(made)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range instancetypes {
			for _, vm := range vmsFor(size != "") {
				var it map[string]any
				if size != "" {
					it = object(t, `{"metadata": {"name": "i"}, "spec": `+size+`}`)
				}
				parsedVM := object(t, vm)
				want := instancetype.CheckRequirements(parsedVM, it, preference) == nil
				verdicts[want]++
				with := vmrules.WithInstancetype(it, preference)
				for which, r := range map[string]vmrules.Rules{"the rules": parsed, "the rules made": remade} {
					if got := vmrules.Validate(r, parsedVM, with).Valid(); got != want {
						t.Errorf("%s, instance type %s: %s are satisfied: %v, but the requirements: %v\n%s", vm, size, which, got, want, toJSON(t, spec))
					}
				}
			}
		}
	}
	if verdicts[true] < 20 || verdicts[false] < 20 {
		t.Errorf("%d VMs have what is required, %d do not: too few of one sort", verdicts[true], verdicts[false])
	}
}

// vmsFor returns VMs with and without what rules ask for. With an instance type, they do not set
// their size.
func vmsFor(hasInstancetype bool) []string {
	var all []string
	for _, architecture := range []string{"", `"architecture": "arm64", `, `"architecture": "amd64", `} {
		if hasInstancetype {
			all = append(all, `{"spec": {"instancetype": {"name": "i"}, "preference": {"name": "p"},
				"template": {"spec": {`+architecture+`"domain": {}}}}}`)
			continue
		}
		for _, memory := range []string{`{}`, `{"guest": "1.5Gi"}`, `{"guest": 2000000000}`, `{"guest": "1610612735"}`, `{"guest": "4Gi"}`} {
			for _, cpu := range []string{
				``, `, "cpu": {}`, `, "cpu": {"cores": 2}`, `, "cpu": {"cores": 1, "sockets": 4, "threads": 2}`, `, "cpu": {"sockets": 3}`,
			} {
				all = append(all, `{"spec": {"preference": {"name": "p"}, "template": {"spec": {`+architecture+
					`"domain": {"memory": `+memory+cpu+`}}}}}`)
			}
		}
	}
	return all
}
