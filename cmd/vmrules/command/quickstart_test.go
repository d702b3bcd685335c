package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

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
