package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// TestSpans checks the text between Offset and End of the first finding.
func TestSpans(t *testing.T) {
	tests := []struct{ rule, id, want string }{
		{`"path": "jsonpath::.spec.domain.cpu.corse", "min": 1`, "misspelt-field", ".corse"},
		{`"path": "jsonpath::spce.domain.cpu.cores", "min": 1`, "misspelt-field", "spce"},
		{`"path": "jsonpath::{ $.spce.domain.cpu.cores }", "min": 1`, "misspelt-field", ".spce"},
		{`"path": "jsonpath::\u002espec\u002edomian.cpu.cores", "min": 1`, "misspelt-field", `\u002edomian`},
		{`"path": "jsonpath::.metadata.labels['\ud83d\ude00é'].x", "min": 1`, "misspelt-field", `['\ud83d\ude00é']`},
		{`"path": "jsonpath::.spec['dömäin'].cpu.cores", "min": 1`, "misspelt-field", "['dömäin']"},
		{`"path": "jsonpath::.spec.domain.devices.disks[?(@.disk.bsu == \"x\")].bootOrder", "min": 1`, "misspelt-field", ".bsu"},
		{`"path": "jsonpath::.spec.domain.devices.disks[?( @['nam']=='x' )].bootOrder", "min": 1`, "misspelt-field", `[?( @['nam']=='x' )]`},
		{`"path": "jsonpath::.spec.domain.cpu", "min": 1`, "not-a-scalar", ".cpu"},
		{`"path": "jsonpath::.spec.template.spec.hostname", "min": 1`, "path-from-vm", ".spec.template"},
		{`"path": "jsonpath::.spec.do main.cpu.cores", "min": 1`, "invalid-path", ".do main"},
		{`"path": "jsonpath::.spec.disks[x].name", "min": 1`, "invalid-path", "[x]"},
		{`"path": "jsonpath::.spec.disks[?(@.a && @.b)].name", "min": 1`, "invalid-path", "[?(@.a && @.b)]"},
		{`"path": "jsonpath::.spec..", "min": 1`, "invalid-path", ".."},
		{`"path": "jsonpath::{.spec}{.metadata}", "min": 1`, "invalid-path", ".spec}{"},
		{`"path": ".spec.domain.cpu.cores", "min": 1`, "invalid-path", `".spec.domain.cpu.cores"`},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "min": "jsonpath::.a\\"`, "invalid-argument", `.a\\`},
		{`"path": "jsonpath::.spec.hostname", "rule": "enum", "values": ["a", "jsonpath::.spec.hostnmae"]`, "misspelt-field", ".hostnmae"},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "min": 3, "max": 2`, "unsatisfiable-range", "3"},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "minn": 3, "max": 2`, "misspelt-key", `"minn"`},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "min": 1, "regex": "^a$"`, "foreign-argument", `"regex"`},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "min": 1, "min": 2`, "duplicate", `"min"`},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "min": {"a": "}"}`, "wrong-type", `{"a": "}"}`},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "min" 1`, "unreadable", "1"},
		{`"path": "jsonpath::.spec.domain.cpu.cores", "min": 1,`, "unreadable", ","},
	}
	for _, test := range tests {
		rule := sspTest{rule: test.rule}.annotation()
		var got []string
		for _, f := range lint.Annotation(rule) {
			if f.ID == test.id {
				got = append(got, rule[f.Offset:f.End])
			}
		}
		if diff := cmp.Diff([]string{test.want}, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", rule, test.id, diff)
		}
		checkFindings(t, rule, lint.Annotation(rule))
	}
}

// TestSpanOfOldArgument checks the place of an argument under its old name.
func TestSpanOfOldArgument(t *testing.T) {
	const text = `[{"name": "r", "rule": "integer", "path": "/spec.domain.cpu.cores", "message": "m", "included": [1]}]`
	for _, f := range lint.Annotation(text, vmrules.V201901()) {
		if f.ID == "foreign-argument" && text[f.Offset:f.End] == `"included"` {
			return
		}
	}
	t.Error("no finding is at the key")
}
