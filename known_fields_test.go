package vmrules_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/lint"
)

// TestFieldsAreKnown: package lint knows the fields that this package itself names.
func TestFieldsAreKnown(t *testing.T) {
	paths := vmrules.SettablePaths()
	for _, f := range jsonpath.AlwaysThere {
		paths = append(paths, f.Path[1:])
	}
	unknown := []string{"misspelt-field", "misplaced-field", "unknown-field", "missing-wildcard", "not-an-array"}
	for _, path := range paths {
		annotation := fmt.Sprintf(`[{"name": "n", "rule": "string", "path": "jsonpath::.%s", "message": "m", "minLength": 1}]`, path)
		for _, f := range lint.Annotation(annotation) {
			if f.Severity == lint.SeverityError || slices.Contains(unknown, f.ID) {
				t.Errorf("%s: %s", path, f)
			}
		}
	}
}
