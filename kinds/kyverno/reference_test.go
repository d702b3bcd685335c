package kyverno_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/kyverno"
)

// Without a bound, ten thousand references to a long text take minutes and a gigabyte.
func TestReferencesAreBounded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, members := range map[string]string{
		"in one text":   `"a": "` + strings.Repeat("$(../b) ", 10_000) + `"`,
		"in many texts": `"a": ["` + strings.Repeat(`$(/b)", "`, 10_000) + `"]`,
	} {
		t.Run(name, func(t *testing.T) {
			rule := fmt.Sprintf(`[{"name": "r", "rule": "pattern", "path": "jsonpath::$", "message": "m", "pattern": {%s, "b": "%s"}}]`, members, long)
			_, err := vmrules.ParseRules(rule, kyverno.Kinds()...)
			if want := "resolving the references of the pattern takes more than 4194304 bytes"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q, got %.500v", want, err)
			}
		})
	}
}
