package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/scripttest"
)

const repository = "../.."

// TestConsole runs the commands of the repository's pages and compares what they write.
func TestConsole(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join(repository, "README.md")) {
		runConsole(t, page)
	}
}

// runConsole runs each command in the console blocks of a page, the lines that begin with
// "$ ". What a command writes must be the lines below it.
func runConsole(t *testing.T, page string) {
	t.Helper()
	for _, block := range scripttest.Blocks(t, page, "console") {
		for _, session := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(session, "\n")
			got, _ := scripttest.Shell(repository, command)
			if diff := cmp.Diff(strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n")); diff != "" {
				t.Errorf("%s: %s (-page +output):\n%s", page, command, diff)
			}
		}
	}
}

// TestReadme runs the commands of the README on the files of the quickstart.
func TestReadme(t *testing.T) {
	quickstart := filepath.Join(repository, "testdata", "quickstart")
	folder := t.TempDir()
	for name, from := range map[string]string{
		"windows.yaml":           "template.yaml",
		"templates/windows.yaml": "template.yaml",
		"old/windows.yaml":       "template.yaml",
		"vm.yaml":                "vm.json",
		"vms/vm.yaml":            "vm.json",
		"vms/windows.yaml":       "template.yaml",
	} {
		text, err := os.ReadFile(filepath.Join(quickstart, from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), string(text), 0o600)
	}
	write(t, filepath.Join(folder, "rules.json"), `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8}]`, 0o600)
	write(t, filepath.Join(folder, "instancetypes", "u1.yaml"), `{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1"}}`, 0o600)
	write(t, filepath.Join(folder, "preferences.yaml"), `{"kind": "VirtualMachineClusterPreference", "metadata": {"name": "windows"}}`, 0o600)
	write(t, filepath.Join(folder, "tests.yaml"), "rules: rules.json\ncases: [{name: one core, vm: {spec: {template: {spec: {}}}}, expect: {violated: [cores]}}]", 0o600)
	for _, tool := range []string{"kubectl", "helm", "kustomize"} {
		write(t, filepath.Join(folder, "bin", tool), "#!/bin/sh\ncat windows.yaml\necho ---\nexec cat vm.yaml\n", 0o700)
	}
	t.Setenv("PATH", filepath.Join(folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	scripttest.RunShell(t, "README.md", "vmrules", folder)
}

// write creates a file and the folder around it.
func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestRendered runs the commands of the page about rendered templates: with the renderers
// themselves if the variable VMRULES_RENDERERS is set, otherwise with stand-ins, which take just the
// arguments of the page and write the quickstart's template as those write it.
func TestRendered(t *testing.T) {
	good, err := os.ReadFile(filepath.Join(repository, "testdata", "quickstart", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if os.Getenv("VMRULES_RENDERERS") != "" {
		writeSources(t, folder, string(good))
	} else {
		writeRenderers(t, folder, string(good))
	}
	page := filepath.Join(repository, "docs", "rendered.md")
	for _, tool := range []string{"make", "ansible", "helm", "kustomize"} {
		scripttest.RunShell(t, page, tool, folder)
	}
	scripttest.RunShell(t, page, "vmrules", folder)
}

// writeSources writes what the renderers of the page make the quickstart's template from.
func writeSources(t *testing.T, folder, good string) {
	t.Helper()
	before, rest, _ := strings.Cut(good, "validations: |\n")
	end := strings.Index(rest, "\n        ]\n") + len("\n        ]\n")
	rules := strings.ReplaceAll("\n"+rest[:end], "\n        ", "\n")
	for name, text := range map[string]string{
		"vm.yaml.j2":                        strings.ReplaceAll(good, "windows-desktop", "windows-{{ cores }}"),
		"rendered/.keep":                    "",
		"dist/templates/.keep":              "",
		"Makefile":                          "generate:\n\tansible localhost -m template -a 'src=vm.yaml.j2 dest=dist/templates/windows.yaml' -e cores=4\n",
		"charts/vms/Chart.yaml":             "apiVersion: v2\nname: vms\nversion: 0.1.0\n",
		"charts/vms/values.yaml":            "name: windows-desktop\n",
		"charts/vms/rules.json":             strings.TrimSpace(rules),
		"charts/vms/templates/windows.yaml": strings.ReplaceAll(before, "windows-desktop", "{{ .Values.name }}") + "validations: |\n{{ .Files.Get \"rules.json\" | indent 8 }}\n" + rest[end:],
		"values-prod.yaml":                  "name: windows-prod\n",
		"base/windows.yaml":                 good,
		"base/kustomization.yaml":           "resources: [windows.yaml]\n",
		"overlays/prod/kustomization.yaml":  "resources: [../../base]\nnameSuffix: -prod\n",
	} {
		write(t, filepath.Join(folder, name), text, 0o600)
	}
}

// writeRenderers writes stand-ins, and finds them first.
func writeRenderers(t *testing.T, folder, good string) {
	t.Helper()
	write(t, filepath.Join(folder, "manifest.yaml"), good, 0o600)
	for name, cases := range map[string]string{
		"make": `generate) to dist/templates/windows.yaml;;`,
		"ansible": `"localhost -m template -a src=vm.yaml.j2 dest=rendered/vm.yaml -e cores=4") to rendered/vm.yaml
    echo 'localhost | CHANGED => {"changed": true}';;`,
		"helm": `"template my-vms charts/vms --output-dir rendered") to rendered/vms/templates/windows.yaml;;
"template my-vms charts/vms -f values-prod.yaml") echo ---; echo "# Source: vms/templates/windows.yaml"; cat manifest.yaml;;`,
		"kustomize": `"build overlays/prod") cat manifest.yaml;;
"build overlays/prod -o rendered/prod.yaml") to rendered/prod.yaml;;`,
	} {
		script := "#!/bin/sh\nset -e\nto() { mkdir -p \"$(dirname \"$1\")\"; cp manifest.yaml \"$1\"; }\ncase \"$*\" in\n" + cases + "\n*) echo \"Error: $*\" >&2; exit 9;;\nesac\n"
		write(t, filepath.Join(folder, "bin", name), script, 0o700)
	}
	t.Setenv("PATH", filepath.Join(folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}
