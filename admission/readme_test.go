package admission_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program in the README is compiled, and vetted.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(readme), "```go\n")
	program, _, _ = strings.Cut(program, "```")
	name := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(name, []byte(program), 0o600); err != nil || !found {
		t.Fatal(found, err)
	}
	if out, err := exec.Command("go", "vet", name).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := exec.Command("gofmt", "-l", name).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
