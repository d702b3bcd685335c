package lint_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/apitest"
	"github.com/vmrules/vmrules/lint"
)

func TestAPI(t *testing.T) {
	var ids []string
	for _, c := range lint.Checks() {
		ids = append(ids, fmt.Sprintf("check %s: %s", c.ID, c.Severity))
	}
	apitest.Check(t, ids...)
}

func TestZeroValues(t *testing.T) { apitest.CheckZero(t, lint.Finding{}) }

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	const text = `[{"name": "r", "rule": "integr", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m"}]`
	if diff := cmp.Diff(lint.Annotation(text), lint.Annotation(text, nil)); diff != "" {
		t.Errorf("(-without +with):\n%s", diff)
	}
}
