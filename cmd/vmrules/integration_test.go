package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// decode reads a YAML file of the repository.
func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// templates makes a folder with the quickstart's template, and others with a mistake each.
func templates(t *testing.T) string {
	t.Helper()
	folder, good := t.TempDir(), read(t, "testdata/quickstart/template.yaml")
	for name, text := range map[string]string{
		"good.yaml":              good,
		"$(touch made) good.yml": good,
		"misspelt.yaml":          strings.Replace(good, "cpu.cores", "cpu.core", 1),
		"wrong.yaml":             strings.Replace(good, `"rule": "integer"`, `"rule": 5`, 1),
		"quantity.yaml":          strings.Replace(good, `"min": 4294967296`, `"min": "4Gi"`, 1),
		"violated.yaml":          strings.Replace(good, `"max": 8`, `"max": 1`, 1),
	} {
		if text == good && strings.HasSuffix(name, ".yaml") && name != "good.yaml" {
			t.Fatalf("%s has no mistake: has the quickstart changed?", name)
		}
		write(t, filepath.Join(folder, name), text, 0o600)
	}
	return folder
}

// built holds the command, once a test has built it.
var built struct {
	sync.Once
	text []byte
	err  error
}

// build puts the command into a folder, and returns its file.
func build(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	built.Do(func() {
		var out []byte
		if out, built.err = exec.Command("go", "build", "-o", file, ".").CombinedOutput(); built.err != nil {
			built.err = fmt.Errorf("%w\n%s", built.err, out)
			return
		}
		built.text, built.err = os.ReadFile(file)
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	write(t, file, string(built.text), 0o700)
	return file
}

// run runs a command in a folder, and returns its output and exit status.
func run(t *testing.T, folder string, env []string, name string, args ...string) (string, int) {
	t.Helper()
	process := exec.Command(name, args...)
	process.Dir, process.Env = folder, append(os.Environ(), env...)
	out, err := process.CombinedOutput()
	if process.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), process.ProcessState.ExitCode()
}

// An action is the part of action.yml that the tests run.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []actionStep }
}

type actionStep struct {
	Name, Run, Uses, If string
	Env                 map[string]string
	With                map[string]string
}

// run runs the script of a step as a runner does, with its inputs and contexts.
func (a action) run(t *testing.T, step, folder, temp string, inputs map[string]string, env ...string) (string, int) {
	t.Helper()
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"${{ github.action_ref }}", "main", "${{ github.action_repository }}", "vmrules/vmrules"}
	for name, input := range a.Inputs {
		value, isGiven := inputs[name]
		if !isGiven {
			value = input.Default
		}
		values = append(values, "${{ inputs."+name+" }}", value)
	}
	for name := range inputs {
		if _, isInput := a.Inputs[name]; !isInput {
			t.Errorf("the action has no input %s", name)
		}
	}
	env = append([]string{"GITHUB_ACTION_PATH=" + root, "RUNNER_TEMP=" + temp, "GITHUB_SERVER_URL=http://127.0.0.1:1", "RUNNER_OS=Linux", "RUNNER_ARCH=X64"}, env...)
	for _, s := range a.Runs.Steps {
		if s.Name != step {
			continue
		}
		given := []string{}
		for name, value := range s.Env {
			given = append(given, name+"="+strings.NewReplacer(values...).Replace(value))
		}
		return run(t, folder, append(given, env...), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", s.Run)
	}
	t.Fatalf("the action has no step %q", step)
	return "", 0
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	decode(t, read(t, "action.yml"), &a)
	return a
}

// TestActionSteps checks what a runner does with the steps besides running their scripts.
func TestActionSteps(t *testing.T) {
	var uploaded []string
	for _, step := range readAction(t).Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an expression in a script may run commands:\n%s", step.Run)
		}
		switch use, _, _ := strings.Cut(step.Uses, "@"); use {
		case "":
		case "github/codeql-action/upload-sarif":
			uploaded = append(uploaded, step.With["category"]+" "+strings.TrimPrefix(step.With["sarif_file"], "${{ runner.temp }}/vmrules-sarif/"))
		default: // such as actions/setup-go, which changes the PATH of all later steps
			t.Errorf("the action uses %s", step.Uses)
		}
	}
	if diff := cmp.Diff([]string{"vmrules lint.sarif", "vmrules-check check.sarif"}, uploaded); diff != "" {
		t.Errorf("(-want +uploaded):\n%s", diff)
	}
}

// actionFiles are files for the inputs of the action.
var actionFiles = map[string]string{
	"named.yaml": `{kind: VirtualMachine, apiVersion: kubevirt.io/v1, metadata: {name: big}, spec: {template: {spec: {domain: {cpu: {cores: 32}, memory: {guest: 8Gi}}}}}}`,
	"most.yaml": `kind: Template
apiVersion: template.openshift.io/v1
metadata: {name: most}
parameters: [{name: NAME}, {name: MOST, value: "4"}]
objects:
- kind: VirtualMachine
  apiVersion: kubevirt.io/v1
  metadata:
    name: ${NAME}
    annotations:
      vm.kubevirt.io/validations: |
        [{"name": "most", "path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "message": "the licence covers fewer cores", "max": ${MOST}}]
  spec: {template: {spec: {domain: {cpu: {cores: 4}}}}}
`,
	"typed.yaml": `kind: VirtualMachine
apiVersion: kubevirt.io/v1
metadata:
  name: typed
  annotations:
    vm.kubevirt.io/validations: |
      [{"name": "most", "path": "jsonpath::.spec.domain.cpu.sockets", "rule": "integer", "message": "the licence covers fewer sockets", "max": 4}]
spec: {instancetype: {name: huge}, template: {spec: {domain: {}}}}
`,
	"warned.yaml": `kind: VirtualMachine
apiVersion: kubevirt.io/v1
metadata:
  name: warned
  annotations:
    vm.kubevirt.io/validations: |
      [{"name": "few", "path": "jsonpath::.spec.domain.cpu.sockets", "rule": "integer", "message": "few sockets", "max": 4, "justWarning": true}]
spec: {template: {spec: {domain: {cpu: {sockets: 8}}}}}
`,
	"types/huge.yaml": `{kind: VirtualMachineClusterInstancetype, apiVersion: instancetype.kubevirt.io/v1beta1, metadata: {name: huge}, spec: {cpu: {guest: 64}, memory: {guest: 1Gi}}}`,
}

// TestAction runs the scripts of the GitHub action.
func TestAction(t *testing.T) {
	a := readAction(t)
	temp, folder := t.TempDir(), templates(t)
	if out, status := a.run(t, "Install vmrules", folder, temp, nil); status != 0 {
		t.Fatal(out)
	}
	if err := os.MkdirAll(filepath.Join(folder, "vms", "types"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range actionFiles {
		write(t, filepath.Join(folder, "vms", name), text, 0o600)
	}
	type inputs = map[string]string
	tests := []struct {
		name   string
		inputs inputs
		status int
		want   string // a pattern of the output
	}{
		{"valid", inputs{"paths": "good.yaml"}, 0, `^$`},
		{"two paths", inputs{"paths": "\ngood.yaml\n$(touch made) good.yml\n"}, 0, `^$`},
		{"a folder", nil, 2, `::error file=wrong.yaml,line=\d+,col=\d+,title=`},
		{"a misspelt field", inputs{"paths": "misspelt.yaml"}, 1, `(?m)^::error file=misspelt.yaml,line=\d+,col=\d+,title=misspelt-field::`},
		{"two paths, of which one fails", inputs{"paths": "\nviolated.yaml\n$(touch made) good.yml\n"}, 1, `^::error file=violated.yaml`},
		{"strict", inputs{"paths": "good.yaml", "strict": "true"}, 0, `^$`},
		{"a warning, strictly", inputs{"paths": "vms/warned.yaml", "strict": "true"}, 1, `^::warning file=vms/warned.yaml,line=\d+,.*few`},
		{"only lint", inputs{"paths": "violated.yaml", "check": "false"}, 0, `^$`},
		{"only check", inputs{"paths": "misspelt.yaml", "lint": "false"}, 1, `^::error file=misspelt.yaml,line=\d+,col=\d+,title=misspelt-field::`},
		{"a violation", inputs{"paths": "violated.yaml"}, 1, `(?m)^::error file=violated.yaml,line=\d+,.*licensed-cores`},
		{"a missing file", inputs{"paths": "none.yaml"}, 2, `::error file=none.yaml`},
		{"neither true nor false", inputs{"paths": "good.yaml", "strict": "so"}, 2, `invalid argument "so"`},
		{"a profile", inputs{"paths": "quantity.yaml", "for": "ssp"}, 1, `(?m)^::error file=quantity.yaml,line=\d+,col=\d+,title=ssp-bound::`},
		{"the same without it", inputs{"paths": "quantity.yaml"}, 0, `^::notice [^\n]*\n$`},
		{"all mistakes left out", inputs{"exclude": "\n*t*.yaml\nw*.yaml\nvms\n"}, 0, `^$`},
		{"some left out", inputs{"exclude": "w*.yaml"}, 1, `(?m)^::error file=violated.yaml`},
		{"a template", inputs{"paths": "vms/named.yaml", "template": "good.yaml"}, 1, `(?m)^::error file=vms/named.yaml,line=\d+,.*licensed-cores`},
		{"a template with mistakes", inputs{"paths": "vms/named.yaml", "template": "misspelt.yaml"}, 1, `(?m)^::error file=misspelt.yaml,.*misspelt-field`},
		{"parameters", inputs{"paths": "vms/named.yaml", "template": "vms/most.yaml", "parameters": "NAME=a b\nMOST=64\n"}, 0, `(?m)^::notice file=vms/named.yaml,.*assumed-template`},
		{"the template's own values", inputs{"paths": "vms/named.yaml", "template": "vms/most.yaml", "parameters": "NAME=x"}, 1, `(?m)^::error file=vms/named.yaml,.*title=most::`},
		{"a parameter of no template", inputs{"paths": "good.yaml", "parameters": "MOST=1"}, 2, `-p MOST: no template has this parameter`},
		{"instance types", inputs{"paths": "vms/typed.yaml", "with": "vms/types"}, 1, `(?m)^::error file=vms/typed.yaml,.*from instance type huge`},
		{"no instance types", inputs{"paths": "vms/typed.yaml"}, 1, `VMs name instance types or preferences that are missing`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, status := a.run(t, "Lint and check", folder, temp, test.inputs)
			if status != test.status || !regexp.MustCompile(test.want).MatchString(out) {
				t.Errorf("exit status %d, want %d and %s:\n%s", status, test.status, test.want, out)
			}
			for _, name := range []string{"lint", "check"} {
				sarif, err := os.ReadFile(filepath.Join(temp, "vmrules-sarif", name+".sarif"))
				var log struct{ Version string }
				if !strings.Contains(test.want, "-p MOST") && (err != nil || json.Unmarshal(sarif, &log) != nil || log.Version != "2.1.0") {
					t.Errorf("no SARIF: %v\n%s", err, sarif)
				}
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "made")); err == nil {
		t.Error("a file name ran a command")
	}
}

// TestActionRelease installs the binary of a release, which must be the one of its checksums.
func TestActionRelease(t *testing.T) {
	var archive bytes.Buffer
	const binary = "#!/bin/sh\necho released\n"
	zipped := gzip.NewWriter(&archive)
	packed := tar.NewWriter(zipped)
	if err := packed.WriteHeader(&tar.Header{Name: "vmrules", Mode: 0o755, Size: int64(len(binary))}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(packed, binary)
	for _, c := range []io.Closer{packed, zipped} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(archive.Bytes()))
	tests := []struct {
		name, checksums string // "" if there is no such release
		status          int
		want            string
	}{
		{"the archive", "00  vmrules_linux_arm64.tar.gz\n" + sum + "  vmrules_linux_amd64.tar.gz\n", 0, "OK"},
		{"another archive", strings.Repeat("0", 64) + "  vmrules_linux_amd64.tar.gz\n", 1, "::error::.*/vmrules_linux_amd64.tar.gz is not what checksums.txt says"},
		{"an archive without checksum", sum + "  vmrules_linux_arm64.tar.gz\n", 1, "is not what checksums.txt says"},
		{"no release and no Go", "", 1, "::error::there is no release v0.1.0 of vmrules, and no Go"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"vmrules_linux_amd64.tar.gz": archive.String()}
			if test.checksums != "" {
				files["checksums.txt"] = test.checksums
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, ok := files[strings.TrimPrefix(r.URL.Path, "/vmrules/vmrules/releases/download/v0.1.0/")]
				if !ok {
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, text)
			}))
			defer server.Close()
			temp := t.TempDir()
			env := []string{"GITHUB_SERVER_URL=" + server.URL, "VERSION=v0.1.0", "PATH=" + withoutGo(t)}
			out, status := readAction(t).run(t, "Install vmrules", t.TempDir(), temp, nil, env...)
			if status != test.status || !regexp.MustCompile(test.want).MatchString(out) {
				t.Errorf("exit status %d, want %d and %s:\n%s", status, test.status, test.want, out)
			}
			said, err := exec.Command(filepath.Join(temp, "vmrules", "vmrules")).Output()
			if got := string(said); (err == nil) != (test.status == 0) || err == nil && got != "released\n" {
				t.Errorf("the binary says %q, error %v", got, err)
			}
		})
	}
}

// withoutGo returns a PATH with what the scripts call, and no Go.
func withoutGo(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"bash", "curl", "grep", "sha256sum", "tar", "gzip", "mkdir"} {
		file, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(file, filepath.Join(bin, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// hookFiles says of files whether the hooks run on them.
var hookFiles = map[string]bool{
	"templates/windows.yaml": true, "template.json": true, "a/windows-template.yml": true, "Templates/x/y.yaml": true,
	"vm.yaml": true, "vms/small.yaml": true, "my-vm.yaml": true, "virtualmachine_1.yaml": true, "kubevirt/a.yaml": true, "instancetypes/u1.yaml": true,
	"mkdocs.yml": false, ".github/workflows/ci.yml": false, ".github/ISSUE_TEMPLATE/bug.yml": false, "values.yaml": false,
	"deploy/service.yaml": false, "charts/vm/templates/vm.yaml": false, "vm.md": false, "dvms.yaml": false, "package.json": false,
}

// TestPreCommit installs and runs the hooks as pre-commit does.
func TestPreCommit(t *testing.T) {
	var hooks []struct {
		ID, Entry, Language, Files, Exclude string
		Dependencies                        []string `yaml:"additional_dependencies"`
		Serial                              bool     `yaml:"require_serial"`
	}
	decode(t, read(t, ".pre-commit-hooks.yaml"), &hooks)
	bin, folder := t.TempDir(), templates(t)
	path := "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
	wrong := map[string]string{"vmrules-lint": "wrong.yaml", "vmrules-check": "violated.yaml"}
	if len(hooks) != len(wrong) {
		t.Errorf("%d hooks, want %d", len(hooks), len(wrong))
	}
	for _, hook := range hooks {
		if hook.Language != "golang" {
			t.Errorf("%s: language %s: this test knows golang only", hook.ID, hook.Language)
		}
		if !hook.Serial {
			t.Errorf("%s: the files are split among processes, and instance types do not count for VMs of another", hook.ID)
		}
		files, excluded := regexp.MustCompile(hook.Files), regexp.MustCompile(hook.Exclude)
		for file, want := range hookFiles {
			if got := files.MatchString(file) && !excluded.MatchString(file); got != want {
				t.Errorf("%s: it runs on %s: %t, want %t", hook.ID, file, got, want)
			}
		}
		for _, dependency := range hook.Dependencies {
			if out, status := run(t, repository, []string{"GOBIN=" + bin}, "go", "install", dependency); status != 0 {
				t.Fatal(out)
			}
		}
		entry := strings.Fields(hook.Entry)
		for file, want := range map[string]int{"good.yaml": 0, wrong[hook.ID]: 1} {
			out, status := run(t, folder, []string{path}, filepath.Join(bin, entry[0]), append(entry[1:], file)...)
			if status != want {
				t.Errorf("%s %s: exit status %d, want %d:\n%s", hook.Entry, file, status, want, out)
			}
		}
	}
}

// TestKrew fills in the template of the krew manifest and compares it with the archives of
// a release. It runs the binary under the name that kubectl calls.
func TestKrew(t *testing.T) {
	filled := template.Must(template.New("").Funcs(template.FuncMap{
		"addURIAndSha": func(uri, tag string) string {
			return "uri: " + strings.ReplaceAll(uri, "{{ .TagName }}", tag) + "\n    sha256: 00"
		},
	}).Parse(read(t, "release/krew.yaml")))
	var text strings.Builder
	if err := filled.Execute(&text, map[string]string{"TagName": "v0.1.0"}); err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Metadata struct{ Name string }
		Spec     struct {
			Version   string
			Platforms []struct {
				Selector struct {
					Labels struct{ OS, Arch string } `yaml:"matchLabels"`
				}
				URI, Bin string
			}
		}
	}
	decode(t, text.String(), &manifest)
	if manifest.Spec.Version != "v0.1.0" || manifest.Metadata.Name != "vmrules" {
		t.Errorf("the manifest is of %s %s", manifest.Metadata.Name, manifest.Spec.Version)
	}
	got := map[string]string{}
	for _, p := range manifest.Spec.Platforms {
		labels := p.Selector.Labels
		got[labels.OS+"/"+labels.Arch] = strings.TrimPrefix(p.URI, "https://github.com/vmrules/vmrules/releases/download/v0.1.0/") + " " + p.Bin
	}
	if diff := cmp.Diff(archives(t), got); diff != "" {
		t.Errorf("(-release +krew):\n%s", diff)
	}
	plugin := build(t, "kubectl-vmrules")
	if out, status := run(t, templates(t), nil, plugin, "check", "good.yaml"); status != 0 {
		t.Errorf("exit status %d:\n%s", status, out)
	}
}

// archives returns the archive and the binary of each platform of a release.
func archives(t *testing.T) map[string]string {
	t.Helper()
	type platform struct{ Goos, Goarch string }
	var config struct {
		Project string `yaml:"project_name"`
		Builds  []struct {
			Binary       string
			Goos, Goarch []string
			Ignore       []platform
		}
		Archives []struct {
			Name string `yaml:"name_template"`
		}
	}
	decode(t, read(t, "release/goreleaser.yaml"), &config)
	name := template.Must(template.New("").Parse(config.Archives[0].Name))
	all := map[string]string{}
	for _, goos := range config.Builds[0].Goos {
		for _, goarch := range config.Builds[0].Goarch {
			if config.Builds[0].Ignore[0] == (platform{goos, goarch}) {
				continue
			}
			archive, extension, exe := strings.Builder{}, ".tar.gz", ""
			if goos == "windows" {
				extension, exe = ".zip", ".exe"
			}
			err := name.Execute(&archive, map[string]string{"ProjectName": config.Project, "Os": goos, "Arch": goarch})
			if err != nil {
				t.Fatal(err)
			}
			all[goos+"/"+goarch] = archive.String() + extension + " " + config.Builds[0].Binary + exe
		}
	}
	return all
}

// TestSecurity runs the commands whose output SECURITY.md asks reporters for.
func TestSecurity(t *testing.T) {
	commands := regexp.MustCompile("`vmrules ([^`]+)`").FindAllStringSubmatch(read(t, ".github/SECURITY.md"), -1)
	if commands == nil {
		t.Fatal("SECURITY.md names no command")
	}
	binary := build(t, "vmrules")
	for _, words := range commands {
		out, status := run(t, ".", nil, binary, strings.Fields(words[1])...)
		if status != 0 || !strings.HasPrefix(out, "vmrules ") {
			t.Errorf("vmrules %s: exit status %d: %s", words[1], status, out)
		}
	}
}
