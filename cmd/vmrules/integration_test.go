package main

import (
	"encoding/json"
	"fmt"
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

	"github.com/vmrules/vmrules/cmd/vmrules/command"
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

// TestAction runs the scripts of the GitHub action as a runner does.
func TestAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	decode(t, read(t, "action.yml"), &action)
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	temp, folder := t.TempDir(), templates(t)
	tests := []struct {
		name, paths, warningsAsErrors string // "" for the default
		status                        int
		want                          string // a pattern of the output
		profile                       string
	}{
		{"valid", "good.yaml", "", 0, `(?m)^::warning file=good.yaml,line=\d+,.*virtio-is-faster`, ""},
		{"two paths", "\ngood.yaml\n$(touch made) good.yml\n", "", 0, `(?m)^::warning file=\$\(touch made\) good.yml,line=\d+,`, ""},
		{"a folder", "", "", 2, `::error file=wrong.yaml,line=\d+,col=\d+,title=`, ""},
		{"a misspelt field", "misspelt.yaml", "", 1, `(?m)^::error file=misspelt.yaml,line=\d+,col=\d+,title=misspelt-field::`, ""},
		{"a warning as error", "good.yaml", "true", 1, `(?m)^::warning file=good.yaml,line=\d+,.*virtio-is-faster`, ""},
		{"a violation", "violated.yaml", "", 1, `(?m)^::error file=violated.yaml,line=\d+,.*licensed-cores`, ""},
		{"a missing file", "none.yaml", "", 2, `::error file=none.yaml`, ""},
		{"neither true nor false", "good.yaml", "so", 2, `invalid argument "so"`, ""},
		{"a profile", "quantity.yaml", "", 1, `(?m)^::error file=quantity.yaml,line=\d+,col=\d+,title=ssp-bound::`, "ssp"},
		{"the same without it", "quantity.yaml", "", 0, `(?m)^::warning file=quantity.yaml,line=\d+,.*virtio-is-faster`, ""},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			input := func(name, value string) string {
				if value == "" {
					return action.Inputs[name].Default
				}
				return value
			}
			values := strings.NewReplacer(
				"${{ inputs.paths }}", input("paths", test.paths),
				"${{ inputs.profile }}", input("profile", test.profile),
				"${{ inputs.warnings-as-errors }}", input("warnings-as-errors", test.warningsAsErrors),
			)
			var all string
			status := 0
			for _, step := range action.Runs.Steps {
				env := []string{"GITHUB_ACTION_PATH=" + root, "RUNNER_TEMP=" + temp}
				for name, value := range step.Env {
					env = append(env, name+"="+values.Replace(value))
				}
				if strings.Contains(step.Run, "${{") {
					t.Errorf("an expression in a script may run commands:\n%s", step.Run)
				}
				if step.Run == "" || status != 0 || i > 0 && step.Env == nil { // without inputs, a step does the same again
					continue
				}
				var out string
				out, status = run(t, folder, env, "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
				all += out
			}
			if status != test.status || !regexp.MustCompile(test.want).MatchString(all) {
				t.Errorf("exit status %d, want %d and %s:\n%s", status, test.status, test.want, all)
			}
			sarif, err := os.ReadFile(filepath.Join(temp, "vmrules.sarif"))
			var log struct{ Version string }
			if err != nil || json.Unmarshal(sarif, &log) != nil || log.Version != "2.1.0" {
				t.Errorf("no SARIF: %v\n%s", err, sarif)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "made")); err == nil {
		t.Error("a file name ran a command")
	}
}

// TestPreCommit installs and runs the hooks as pre-commit does.
func TestPreCommit(t *testing.T) {
	var hooks []struct {
		ID, Entry, Language string
		Dependencies        []string `yaml:"additional_dependencies"`
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
	}).Parse(read(t, ".krew.yaml")))
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

// TestMan makes the man pages of a release. Each has all of the help text.
func TestMan(t *testing.T) {
	var config struct {
		Before struct {
			Hooks []struct {
				Cmd string
				Env []string
			}
		}
		Archives []struct{ Files []any }
	}
	decode(t, read(t, "release/goreleaser.yaml"), &config)
	hook, folder := config.Before.Hooks[0], t.TempDir()
	words := strings.Fields(hook.Cmd)
	made := words[len(words)-1]
	if files := fmt.Sprint(config.Archives[0].Files); !strings.Contains(files, "src:"+strings.TrimPrefix(made, "../../")+"/*.1 ") {
		t.Errorf("the pages in %s are not among the files of an archive: %s", made, files)
	}
	words[len(words)-1] = folder
	env := []string{"SOURCE_DATE_EPOCH=1000000000"} // GOWORK=off is for a release, whose modules can be fetched
	if out, status := run(t, repository, env, words[0], words[1:]...); status != 0 {
		t.Fatal(out)
	}
	root := command.Build{Name: "vmrules"}.Command()
	for _, c := range append(root.Commands(), root) {
		page, err := os.ReadFile(filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(page), `"1" "Sep 2001" "vmrules"`) {
			t.Errorf("%s: the page is not of the time that is given:\n%.200s", c.Name(), page)
		}
		_, text, _ := strings.Cut(string(page), "\n.SH DESCRIPTION\n")
		text, _, _ = strings.Cut(text, "\n.SH ")
		text = regexp.MustCompile(`(?m)^\.[A-Z]+$`).ReplaceAllString(text, "")
		text = strings.NewReplacer(`\&`, "", `\-`, "-", `\\`, `\`).Replace(text)
		if diff := cmp.Diff(strings.Fields(c.Long), strings.Fields(text)); c.Long != "" && diff != "" {
			t.Errorf("%s (-help +page):\n%s", c.Name(), diff)
		}
	}
}

// TestSecurity runs the commands whose output SECURITY.md asks reporters for.
func TestSecurity(t *testing.T) {
	commands := regexp.MustCompile("`vmrules ([^`]+)`").FindAllStringSubmatch(read(t, "SECURITY.md"), -1)
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
