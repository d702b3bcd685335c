package main

import (
	"os"
	"path/filepath"
	"testing"

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
		scripttest.RunConsole(t, page, repository)
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
	write(t, filepath.Join(folder, "bin", "kubectl"), "#!/bin/sh\nexec cat vm.yaml\n", 0o700)
	for _, tool := range []string{"helm", "kustomize"} {
		write(t, filepath.Join(folder, "bin", tool), "#!/bin/sh\nexec cat vm.yaml\n", 0o700)
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
