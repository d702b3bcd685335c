package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/rulediff"
)

// A planted mistake is one whose fix gives the text that was there.
type planted struct {
	check       string
	right, text string
	flags       []string
}

var (
	withUnsafe = []string{"--unsafe-fixes"}
	forSSP     = []string{"--for", "ssp"}
)

var plantedMistakes = []planted{
	{"unreadable", `"max": 8`, `"max": 8,`, nil},
	{"unreadable", `"rule": "regex",`, `"rule": "regex"`, nil},
	{"unreadable", `"name": "disk-bus"`, `"name" "disk-bus"`, nil},
	{"unreadable", `"disk-bus"`, `'disk-bus'`, nil},
	{"unreadable", `"name": "disk-bus"`, `“name”: "disk-bus"`, nil},
	{"unreadable", `"virtio", "sata", "scsi"`, `"virtio" "sata" "scsi"`, nil},
	{"unreadable", `"min": 4294967296`, `"min": +04294967296`, nil},
	{"unreadable", `"min": 4294967296`, `"min": 4 Gi`, nil},
	{"unreadable", `"min": 4294967296`, `"min": 0x100000000`, nil},
	{"unreadable", `"rule": "regex",`, `rule: regex,`, nil},
	{"unreadable", `"justWarning": true`, `"justWarning": True`, nil},
	{"unreadable", `"rule": "regex",`, `"rule":` + "\u00a0" + `"regex";`, nil},
	{"unreadable", `"values": ["sata"]`, `"values": ["sata"`, nil},
	{"unreadable", "\n  },\n  {\n    \"name\": \"disk-bus\"", "\n  ,\n  {\n    \"name\": \"disk-bus\"", nil},
	{"invalid-argument", `"min": "jsonpath::.spec.domain.memory.guest"`, `"min": ".spec.domain.memory.guest"`, nil},
	{"unreadable", `digits and \\hyphens`, `digits and \hyphens`, nil},
	{"invalid-path", `"jsonpath::.spec.domain.cpu.cores"`, `".spec.domain.cpu.cores"`, nil},
	{"invalid-path", `"jsonpath::.spec.domain.cpu.cores"`, `"spec/domain/cpu/cores"`, nil},
	{"misspelt-key", `"message": "the licence`, `"mesage": "the licence`, nil},
	{"ssp-bound", `"min": 4294967296`, `"min": "4Gi"`, forSSP},
	{"ssp-values", `"4", "x", "8"`, `4, "x", 8`, forSSP},
	{"ssp-path", `"jsonpath::.spec.domain.cpu.cores"`, `"jsonpath::spec.domain.cpu.cores"`, nil},
	{"misspelt-key", `"justWarning"`, `"justwarning"`, withUnsafe},
	{"misspelt-kind", `"rule": "integer"`, `"rule": "Integer"`, withUnsafe},
	{"misspelt-value", `"values": ["sata"]`, `"values": ["SATA"]`, withUnsafe},
	{"misspelt-field", `cpu.cores`, `cpu.core`, withUnsafe},
	{"misplaced-field", `spec.domain.cpu`, `spec.cpu`, withUnsafe},
	{"missing-wildcard", `disks[*]`, `disks`, withUnsafe},
	{"not-an-array", `cpu.cores`, `cpu[0].cores`, withUnsafe},
	{"path-from-vm", `jsonpath::.spec.domain.cpu`, `jsonpath::.spec.template.spec.domain.cpu`, withUnsafe},
	{"valid-beside-path", `"valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus"`, `"valid": "jsonpath::.spec.domain.devices.disks[*].cdrom.bus"`, withUnsafe},
	{"half-anchored-regex", `^(?:a|'b)$`, `^a|'b$`, withUnsafe},
}

// TestFixPlanted plants mistakes in a real template, written in all forms. The fixed file must be
// the original, byte for byte.
func TestFixPlanted(t *testing.T) {
	head, rules, tail := quickstartTemplate(t)
	rules = strings.ReplaceAll(rules, "digits and hyphens", `digits and \\hyphens, it's`)
	rules = strings.Replace(rules, "\n]", `,
  {
    "name": "tier",
    "rule": "enum",
    "path": "jsonpath::.metadata.labels.tier",
    "message": "tier 4, \u0078 or 8",
    "values": ["4", "x", "8"]
  },
  {
    "name": "vendor",
    "rule": "regex",
    "path": "jsonpath::.metadata.labels.vendor",
    "message": "a vendor: \"ä\"",
    "regex": "^(?:a|'b)$"
  }
]`, 1)
	for name, write := range writtenForms {
		for _, m := range plantedMistakes {
			if !strings.Contains(rules, m.right) {
				t.Fatalf("%s: %q is not in the template", m.check, m.right)
			}
			want := write(head, rules, tail)
			wrong := write(head, strings.Replace(rules, m.right, m.text, 1), tail)
			file := filepath.Join(t.TempDir(), "template"+filepath.Ext(name))
			before := lintText(t, file, wrong, m.flags)
			if !strings.Contains(before, "["+m.check+"]") {
				t.Errorf("%s: %s: %q is not found:\n%s", name, m.check, m.text, before)
			}
			if after := lintText(t, file, wrong, append(m.flags, "--fix")); strings.Contains(after, "["+m.check+"]") {
				t.Errorf("%s: %s is found again:\n%s", name, m.check, after)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("%s: %s: %s (-original +fixed):\n%s", name, m.check, m.text, diff)
			}
		}
	}
}

// writtenForms write a template with rules. Their names end like those of the files.
var writtenForms = map[string]func(head, rules, tail string) string{
	"literal.yaml": func(head, rules, tail string) string { return head + "|\n" + indentedBy(8, rules) + tail },
	"folded.yaml": func(head, rules, tail string) string {
		return head + ">- # comment\n" + indentedBy(8, strings.ReplaceAll(rules, "\n  ", "\n")) + tail
	},
	"anchor.yaml": func(head, rules, tail string) string {
		return head + "!!str &rules |2\n" + indentedBy(8, rules) + "    generateName: *rules\n" + tail
	},
	"single.yaml": func(head, rules, tail string) string {
		return head + "'" + strings.TrimSpace(indentedBy(10, strings.ReplaceAll(rules, "'", "''"))) + "'\n" + tail
	},
	"double.yaml": func(head, rules, tail string) string {
		text := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "ä", `\xe4`).Replace(rules)
		return head + `"` + strings.TrimSpace(indentedBy(10, text)) + "\"   # comment\n" + tail
	},
	"crlf.yaml": func(head, rules, tail string) string {
		return "\uFEFF" + strings.ReplaceAll(head+"|\n"+indentedBy(8, rules)+tail, "\n", "\r\n")
	},
	"several.yaml": func(head, rules, tail string) string {
		one := head + "|\n" + indentedBy(8, rules) + tail
		return one + "---\r\n# another\n" + strings.ReplaceAll(one, "windows-desktop", "second") + "---\n[]\n"
	},
	"template.json": func(_, rules, _ string) string {
		text, _ := json.Marshal(rules)
		one := `{"kind": "VirtualMachine",	"metadata": {"annotations": {"vm.kubevirt.io/validations": ` + string(text) + "}}}\r\n"
		return `{"kind": "List", "items": [` + one + "," + one + "]}"
	},
}

func indentedBy(n int, text string) string {
	return strings.Repeat(" ", n) + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", n)) + "\n"
}

// quickstartTemplate returns the rules of the template of the quickstart, and what is around them.
func quickstartTemplate(t *testing.T) (head, rules, tail string) {
	t.Helper()
	text, err := os.ReadFile("../../../../testdata/quickstart/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const key, end = "vm.kubevirt.io/validations: ", "\n        ]\n"
	head, rest, _ := strings.Cut(string(text), key)
	rules, tail, ok := strings.Cut(strings.TrimPrefix(rest, "|\n"), end)
	if !ok {
		t.Fatal("the template has no rules")
	}
	rules = strings.ReplaceAll(strings.TrimPrefix(rules+strings.TrimSuffix(end, "\n"), "        "), "\n        ", "\n")
	return head + key, rules, tail
}

// lintText writes a file, and returns what lint writes about it.
func lintText(t *testing.T, file, text string, flags []string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--no-config", "-o", "concise", "--all", file}
	for _, f := range flags {
		if f != "--unsafe-fixes" || flags[len(flags)-1] == "--fix" {
			args = append(args, f)
		}
	}
	var out strings.Builder
	cli.Execute(Command(build.Build{}), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	return out.String()
}

// FuzzFix: a fixed file can be read if the file could, has no more errors, and is not fixed again.
// Without its rules and the keys of its annotations, it is the same.
func FuzzFix(f *testing.F) {
	for _, seed := range []string{
		"kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: |\n      [{\"nmae\": \"a\",}]\n",
		"kind: VirtualMachine\nmetadata: {annotations: {vm.kubevirt.io/validation: '[{''name'': \"a\" \"rule\": \"Integer\"}]'}}\n",
		"kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: '[{\"name\": \"a\", \"rule\": \"integer\", \"path\": \"jsonpath::spec.domain.cpu.core\", \"message\": \"m\", \"min\": \"1Ki\", \"maxx\": 2}]'\n",
		"- name: a\n  rule: Integer\n  path: \"jsonpath::spec.x\"\n  mesage: b\n  min: 1Gi\n",
		"kind: VirtualMachine\nmetadata: {annotations: {vm.kubevirt.io/validations: '{name: a; \"rule\": True, \"min\": 2 GB }, {\"b\": [1 }]'}}\n",
		`[{"name": "a", "rule": "enum", "path": ".spec.domain.cpu.core", "message": "m", "values": [1, 2], "Min": "1"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "a")
		if os.WriteFile(file, []byte(text), 0o600) != nil || strings.Contains(text, "\x00") {
			return
		}
		run := func(flags ...string) (int, string) {
			var out strings.Builder
			status := cli.Execute(Command(build.Build{}), append([]string{"--no-config", "--for", "ssp", file}, flags...), cli.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard})
			return status, out.String()
		}
		before, _ := run()
		if _, out := run("--fix"); !strings.Contains(out, ", 0 fixed") {
			fixed, _ := os.ReadFile(file)
			after := rulesInFile(string(fixed))
			for i, rules := range rulesInFile(text) {
				if rules != nil && (i >= len(after) || after[i] == nil || !rulediff.MeanSame(*rules, *after[i])) {
					t.Errorf("a safe fix changes rules:\n%q\n%q", text, fixed)
				}
			}
		}
		after, _ := run("--fix", "--unsafe-fixes")
		fixed, err := os.ReadFile(file)
		if err != nil || after == 2 && before != 2 {
			t.Fatalf("status %d, then %d, %v:\n%q\n%q", before, after, err, text, fixed)
		}
		if _, diff := run("--diff", "--unsafe-fixes"); diff != "" {
			t.Errorf("fixed twice:\n%q\n%q\n%s", text, fixed, diff)
		}
		if diff := cmp.Diff(objectsWithoutRules(text), objectsWithoutRules(string(fixed))); diff != "" {
			t.Errorf("other objects (-before +after):\n%s\n%q\n%q", diff, text, fixed)
		}
	})
}

// rulesInFile returns the rules in each annotation of a file; nil for those that are refused.
func rulesInFile(text string) []*vmrules.Rules {
	var all []*vmrules.Rules
	file, _ := manifest.Parse("a", text)
	for _, o := range file.Objects() {
		filled, err := o.Fill(nil)
		if err != nil {
			continue
		}
		for _, a := range filled.Annotations() {
			rules, err := vmrules.ParseRules(a.Text(), a.Options(nil)...)
			if all = append(all, &rules); err != nil {
				all[len(all)-1] = nil
			}
		}
	}
	return all
}

// objectsWithoutRules returns what is in a file, without rules and the annotations of objects.
func objectsWithoutRules(text string) []any {
	var all []any
	file, _ := manifest.Parse("a", text)
	for _, o := range file.Objects() {
		content := o.Content()
		if metadata, ok := content["metadata"].(map[string]any); ok {
			delete(metadata, "annotations")
		}
		all = append(all, content)
	}
	return all
}

// TestFixedBounds: whatever a fix writes as a bound is accepted, in quotes and without. A guess needs
// --unsafe-fixes.
func TestFixedBounds(t *testing.T) {
	fixed := map[bool]int{}
	for _, number := range []string{"2", "+2", "02", "1.5", ".5", "1e3", "0x80", "-1", "2.", "1,5", "2_000"} {
		for _, unit := range []string{"", "G", "g", "Gi", "gi", "GI", "GB", "gb", "GiB", "kB", "K", "m", "MB", "B", "bytes", "Gib/s"} {
			for _, form := range []string{"%s%s", "%s %s", `"%s%s"`, `"%s  %s "`, "\"%s\u00a0%s\"", "'%s%s'"} {
				bound := fmt.Sprintf(form, number, unit)
				rules := `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": ` + bound + `}]`
				if _, err := vmrules.ParseRules(rules); err == nil {
					continue
				}
				file := filepath.Join(t.TempDir(), "rules.json")
				for _, flags := range [][]string{nil, withUnsafe} {
					lintText(t, file, vmWith(rules), append(flags, "--fix"))
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					if string(text) == vmWith(rules) {
						continue
					}
					fixed[flags == nil]++
					if read := rulesInFile(string(text)); len(read) != 1 || read[0] == nil {
						t.Errorf("%s is fixed, and refused again:\n%s", bound, text)
					}
				}
			}
		}
	}
	if fixed[true] < 100 || fixed[false] < fixed[true]+50 {
		t.Errorf("too few are fixed: %v", fixed)
	}
}

// vmWith returns a VM with the text of an annotation.
func vmWith(rules string) string {
	text, _ := json.Marshal(rules)
	return `{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": ` + string(text) + `}}}`
}

// TestReplace checks that a file is replaced only if it is what was read, and keeps its mode.
func TestReplace(t *testing.T) {
	tests := []struct {
		name, onDisk, want string
		mode               os.FileMode
		err                string
	}{
		{"unchanged", "a: 1\r\n", "a: 2", 0o640, ""},
		{"changed", "a: 3", "a: 3", 0o600, "the file has changed since it was read: try again"},
		{"read-only", "a: 1\r\n", "a: 1\r\n", 0o444, "the file is read-only"},
	}
	for _, test := range tests {
		name := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(name, []byte(test.onDisk), test.mode); err != nil {
			t.Fatal(err)
		}
		file, err := manifest.Parse(name, "a: 1\r\n")
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if err := replace(file, "a: 2"); err != nil {
			said = err.Error()
		}
		got, _ := os.ReadFile(name)
		info, err := os.Stat(name)
		if err != nil || info.Mode() != test.mode {
			t.Errorf("%s: %v, %v", test.name, info.Mode(), err)
		}
		if diff := cmp.Diff([]string{test.want, test.err}, []string{string(got), said}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
			t.Errorf("%s: %d files, want 1", test.name, len(left))
		}
	}
}
