package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// The annotation in the README of the repository says what it is said to say.
func TestReadmeAnnotation(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## More than the four kinds")
	_, section, _ = strings.Cut(section, "```json\n")
	annotation, _, _ := strings.Cut(section, "```")
	opts := []vmrules.ParseOption{vmrules.Strict()}
	for name, compiler := range full.Kinds {
		opts = append(opts, vmrules.WithKind(name, compiler))
	}
	rules, err := vmrules.ParseRules(annotation, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, domain string
		want         []vmrules.Outcome
	}{
		{
			"well", `{"cpu": {"cores": 8, "sockets": 2}, "devices": {"disks": [{"name": "a", "disk": {"bus": "sata"}}, {"name": "b", "bootOrder": 1}]},
				"firmware": {"bootloader": {"efi": {"secureBoot": true}}}, "features": {"smm": {"enabled": true}}}`,
			[]vmrules.Outcome{vmrules.Satisfied, vmrules.Satisfied, vmrules.Satisfied, vmrules.Satisfied},
		},
		{
			"no secure boot", `{"cpu": {}, "devices": {"disks": []}, "firmware": {"bootloader": {"efi": {"secureBoot": false}}}}`,
			[]vmrules.Outcome{vmrules.Satisfied, vmrules.Satisfied, vmrules.Satisfied, vmrules.Skipped},
		},
		{
			"all wrong", `{"cpu": {"cores": 9, "sockets": 2}, "devices": {"disks": [{"name": "a"}, {"name": "a"}]},
				"firmware": {"bootloader": {"efi": {"secureBoot": true}}}, "features": {}}`,
			[]vmrules.Outcome{vmrules.Violated, vmrules.Violated, vmrules.Violated, vmrules.Violated},
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
