package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/scripttest"
)

// TestReadme runs the commands of the README on small files.
func TestReadme(t *testing.T) {
	const vm = `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a"}, "spec": {"template": {"spec": {}}}}`
	folder := t.TempDir()
	const rules = `[{"name": "host", "rule": "string", "path": "jsonpath::.spec.hostname", "valid": "jsonpath::.spec.hostname", "message": "short", "maxLength": 15}]`
	for name, text := range map[string]string{
		"vm.yaml":              vm,
		"manifests/vm.yaml":    vm,
		"templates/linux.yaml": `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "linux", "annotations": {"validations": ` + strconv.Quote(rules) + `}}, "objects": [` + vm + `]}`,
		"rules.yaml":           `[{name: cores, rule: cel, path: "jsonpath::.spec.domain.cpu.cores", message: at most 8 cores, expression: self <= 8}]`,
		"schema.yaml":          `{type: object, required: [spec]}`,
		"policy.yaml": `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: owners}
spec:
  rules:
  - name: owner
    match: {any: [{resources: {kinds: [VirtualMachine]}}]}
    validate: {message: VMs have an owner, pattern: {metadata: {labels: {owner: "?*"}}}}
`,
	} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scripttest.RunShell(t, "README.md", "vmrules-full", folder)
}

// TestReadmeAnnotation validates VMs with the annotation that kinds/README.md names.
func TestReadmeAnnotation(t *testing.T) {
	annotation, err := os.ReadFile("../../kinds/annotation.json")
	if err != nil {
		t.Fatal(err)
	}
	opts := []vmrules.ParseOption{vmrules.Strict()}
	for name, compiler := range full.Kinds {
		opts = append(opts, vmrules.WithKind(name, compiler))
	}
	rules, err := vmrules.ParseRules(string(annotation), opts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, domain string
		want         []vmrules.Outcome
	}{
		{
			"all right", `{"cpu": {"cores": 8, "sockets": 2}, "devices": {"disks": [{"name": "a", "disk": {"bus": "sata"}}, {"name": "b", "bootOrder": 1}]},
				"firmware": {"bootloader": {"efi": {"secureBoot": true}}}, "features": {"smm": {"enabled": true}}}`,
			[]vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeSatisfied, vmrules.OutcomeSatisfied, vmrules.OutcomeSatisfied},
		},
		{
			"no secure boot", `{"cpu": {}, "devices": {"disks": []}, "firmware": {"bootloader": {"efi": {"secureBoot": false}}}}`,
			[]vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeSatisfied, vmrules.OutcomeSatisfied, vmrules.OutcomeSkipped},
		},
		{
			"all wrong", `{"cpu": {"cores": 9, "sockets": 2}, "devices": {"disks": [{"name": "a"}, {"name": "a"}]},
				"firmware": {"bootloader": {"efi": {"secureBoot": true}}}, "features": {}}`,
			[]vmrules.Outcome{vmrules.OutcomeViolated, vmrules.OutcomeViolated, vmrules.OutcomeViolated, vmrules.OutcomeViolated},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var vm map[string]any
			if err := json.Unmarshal([]byte(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": `+test.domain+`}}}}`), &vm); err != nil {
				t.Fatal(err)
			}
			report := vmrules.Validate(rules, vm)
			var got []vmrules.Outcome
			for _, r := range report.Results() {
				got = append(got, r.Outcome)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, report)
			}
		})
	}
}
