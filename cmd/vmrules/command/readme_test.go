package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// TestReadme keeps the report that the repository's README shows the one that
// comes out.
func TestReadme(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "check -v --template testdata/quickstart/template.yaml testdata/quickstart/vm.json"
	var stdout, stderr bytes.Buffer
	if got := Main(strings.Fields(command), nil, &stdout, &stderr, Build{Name: "vmrules"}); got != 1 {
		t.Errorf("exit status %d, want 1: %s", got, stderr.String())
	}
	for _, part := range []string{"./vmrules " + command + "\n", "\n```\n" + stdout.String() + "```\n"} {
		if !strings.Contains(string(readme), part) {
			t.Errorf("README.md lacks:\n%s", part)
		}
	}
}

// TestQuickstart keeps the two forms of the quickstart's template the same.
func TestQuickstart(t *testing.T) {
	var contents []map[string]any
	for file, err := range manifest.Read([]string{"../../../testdata/quickstart/template.yaml", "../../../testdata/quickstart/template.json"}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, file.Objects()[0].Content())
	}
	if diff := cmp.Diff(contents[0], contents[1]); diff != "" {
		t.Errorf("(-YAML +JSON):\n%s", diff)
	}
}
