package lint_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/lint"
)

// TestFieldsAreKnown checks that the settable fields and the fields with defaults are all
// in the table of fields.
func TestFieldsAreKnown(t *testing.T) {
	var paths []string
	for _, s := range vmfields.Settable {
		paths = append(paths, "."+s.Path)
	}
	for _, d := range vmfields.AlwaysThere {
		paths = append(paths, "."+d.Field.Text())
	}
	unknown := []string{"misspelt-field", "misplaced-field", "unknown-field", "missing-wildcard", "not-an-array", "invalid-path"}
	for _, path := range paths {
		annotation := fmt.Sprintf(`[{"name": "n", "rule": "string", "path": "jsonpath::%s", "message": "m", "minLength": 1}]`, path)
		for _, f := range lint.Annotation(annotation) {
			if slices.Contains(unknown, f.ID) {
				t.Errorf("%s: %s", path, f)
			}
		}
	}
}
