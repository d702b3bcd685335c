package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint"
)

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	const text = `[{"name": "r", "rule": "integr", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m"}]`
	if diff := cmp.Diff(lint.Annotation(text), lint.Annotation(text, nil)); diff != "" {
		t.Errorf("(-without +with):\n%s", diff)
	}
}
