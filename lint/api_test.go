package lint_test

import (
	"fmt"
	"testing"

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
