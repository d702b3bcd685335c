package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// atRoot runs the rest of the test where the default files are.
func atRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

func write(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRun(t *testing.T) {
	atRoot(t)
	validVM := filepath.Join("testdata", "quickstart", "vm-valid.json")
	cores := func(rules ...string) string { return write(t, "["+strings.Join(rules, ",\n")+"]") }
	const twoCores = `{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "two cores", "max": 2}`

	tests := []struct {
		name   string
		args   []string
		want   int
		stdout []string // parts of it; none: empty
		stderr []string
	}{
		{
			name: "the files of the repository",
			want: exitNotValid,
			stdout: []string{
				"not valid: 2 violated, 1 warned, 1 skipped, 3 satisfied",
				"licensed-cores: there may be as many cores as the licence covers",
				`spec.template.spec.domain.cpu.cores: 12 is more than max 8`,
				`spec.template.spec.domain.devices.disks[1].cdrom.bus: "scsi" is not "sata"`,
				"Warned     virtio-is-faster",
				"Skipped    memory-hotplug",
				"Satisfied  computer-name",
			},
		},
		{
			name:   "a valid VM",
			args:   []string{defaultTemplate, validVM},
			want:   exitValid,
			stdout: []string{"\nvalid: 1 skipped, 6 satisfied\n"},
		},
		{
			name:   "an annotation without a template",
			args:   []string{cores(twoCores), validVM},
			want:   exitNotValid,
			stdout: []string{"8 is more than max 2"},
		},
		{
			name:   "every digit counts",
			args:   []string{cores(strings.Replace(twoCores, "2}", "9007199254740992}", 1)), write(t, `{"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 9007199254740993}}}}}}`)},
			want:   exitNotValid,
			stdout: []string{"9007199254740993 is more than max 9007199254740992"},
		},
		{
			name:   "all problems of an annotation",
			args:   []string{cores(`{"name": "cores"}`, strings.Replace(twoCores, "jsonpath::", "", 1)), validVM},
			want:   exitUnusable,
			stderr: []string{`line 1, column 2: rule "cores": the rule has no "rule"`, `line 2, column 46: rule "cores": path:`, `"jsonpath::.spec.domain.cpu.cores"`},
		},
		{
			name:   "a template without rules",
			args:   []string{write(t, "{}"), validVM},
			want:   exitValid,
			stdout: []string{"valid: no rules"},
		},
		{name: "one argument", args: []string{defaultTemplate}, want: exitUnusable, stderr: []string{"usage:"}},
		{name: "no such VM", args: []string{defaultTemplate, "none.json"}, want: exitUnusable, stderr: []string{"none.json"}},
		{name: "no such template", args: []string{"none.json", validVM}, want: exitUnusable, stderr: []string{"none.json"}},
		{name: "a VM that is not JSON", args: []string{defaultTemplate, write(t, "kind: VirtualMachine")}, want: exitUnusable, stderr: []string{"not a JSON object"}},
		{name: "a VM that is null", args: []string{defaultTemplate, write(t, "null")}, want: exitUnusable, stderr: []string{"not a JSON object: null"}},
		{name: "two VMs in one file", args: []string{defaultTemplate, write(t, "{}{}")}, want: exitUnusable, stderr: []string{"something follows its end"}},
		{name: "a template that is not JSON", args: []string{write(t, "{"), validVM}, want: exitUnusable, stderr: []string{"not a JSON object"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := run(test.args, &stdout, &stderr); got != test.want {
				t.Errorf("exit status %d, want %d", got, test.want)
			}
			contains(t, "stdout", stdout.String(), test.stdout)
			contains(t, "stderr", stderr.String(), test.stderr)
		})
	}
}

func contains(t *testing.T, name, got string, parts []string) {
	t.Helper()
	if len(parts) == 0 && got != "" {
		t.Errorf("%s should be empty:\n%s", name, got)
	}
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s lacks %q:\n%s", name, part, got)
		}
	}
}

// TestReadme keeps the report that the README shows the one that comes out.
func TestReadme(t *testing.T) {
	atRoot(t)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	run(nil, &stdout, &stderr)
	contains(t, "README.md", string(readme), []string{"\n```\n" + filepath.ToSlash(stdout.String()) + "```\n"})
}

func TestRunElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout, stderr bytes.Buffer
	if got := run(nil, &stdout, &stderr); got != exitUnusable {
		t.Errorf("exit status %d, want %d", got, exitUnusable)
	}
	contains(t, "stdout", stdout.String(), nil)
	contains(t, "stderr", stderr.String(), []string{"at the root of the repository"})
}

// TestBinary sees what a shell sees: go run would turn every failure into 1.
func TestBinary(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "quickstart")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	atRoot(t)
	tests := []struct {
		name string
		args []string
		want int
	}{
		{"valid", []string{defaultTemplate, filepath.Join("testdata", "quickstart", "vm-valid.json")}, 0},
		{"not valid", nil, 1},
		{"unusable", []string{defaultTemplate, "none.json"}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := exec.Command(binary, test.args...).CombinedOutput()
			got := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				got = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("exit status %d, want %d\n%s", got, test.want, out)
			}
		})
	}
}
