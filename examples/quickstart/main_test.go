package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "quickstart")
	write := func(content string) string {
		file := filepath.Join(t.TempDir(), "file.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	vm, template := filepath.Join(folder, "vm.json"), filepath.Join(folder, "template.json")
	tests := []struct {
		name, vm, template string
		report, err        string // the beginning of one, a part of the other
	}{
		{"a VM that is not valid", vm, template, "invalid: 2 violated, 1 warned, 1 skipped, 3 satisfied\n", ""},
		{"a valid VM", filepath.Join(folder, "vm-valid.json"), template, "valid: 1 skipped, 6 satisfied\n", ""},
		{"every digit counts",
			write(`{"spec": {"template": {"spec": {"n": 9007199254740993}}}, "metadata": {"annotations": {"vm.kubevirt.io/validations":
			"[{\"name\": \"n\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.n\", \"message\": \"m\", \"max\": 9007199254740992}]"}}}`),
			template, "invalid: 1 violated\n", ""},
		{"a template without rules", vm, write(`{"kind": "Template", "objects": []}`), "valid: there are no rules", ""},
		{"no such VM", "none.json", template, "", "none.json"},
		{"no such template", vm, "none.json", "", "none.json"},
		{"a VM that is not an object", write("null"), template, "", "not an object"},
		{"rules that are none", write(`{"metadata": {"annotations": {"vm.kubevirt.io/validations": "{}"}}}`), template, "",
			"must be a JSON array"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			report, err := judge(test.vm, test.template)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(report.String(), test.report) {
				t.Errorf("got\n%s\nwant\n%s", report, test.report)
			}
		})
	}
}
