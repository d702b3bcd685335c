package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
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

// TestQuickstartIsPortable checks that KubeVirt's template validator understands the rules of
// the quickstart as this library does.
func TestQuickstartIsPortable(t *testing.T) {
	for file, err := range manifest.Read([]string{"../../../testdata/quickstart"}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range file.Objects() {
			for _, a := range object.Annotations() {
				for _, f := range a.Lint(lint.For(lint.SSP)) {
					t.Errorf("%s: %v", file.Name, f)
				}
			}
		}
	}
}
