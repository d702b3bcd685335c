package admission_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The program in the README is the one that is compiled.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("example/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, _ = strings.Cut(block, "```")
	_, code, _ := strings.Cut(string(program), "\n") // without the comment
	if diff := cmp.Diff(code, block); diff != "" {
		t.Errorf("(-example +README):\n%s", diff)
	}
}
