package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// TestDetectedVersion checks that a template's own annotation is linted in the version in
// which RulesFor reads it, even if a rule that determines the version is broken.
func TestDetectedVersion(t *testing.T) {
	const old = `{"name": "old", "rule": "integer", "path": "/spec.domain.cpu.cores", "message": "m", "min": 1}`
	for _, test := range []struct {
		name, annotation string
		want             []string
	}{
		{"old", `[` + old + `]`, []string{}},
		{"keys in other cases tell nothing",
			`[{"name": "n", "rule": "integer", "path": "/spec.domain.cpu.cores", "PATH": "jsonpath::.x", "message": "m",
				"included": ["5"]}]`,
			[]string{"default-violates-rule", "unknown-key", "foreign-argument"}},
		{"the prefix in a broken rule",
			`[{"name": "new", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "", "min": 1}, ` + old + `]`,
			[]string{"missing-key", "invalid-path"}},
		{"the prefix beside a flaw of the text",
			`[{"name": "new", "rule": "enum", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "included": ["1"],
				"x": "\ud800"}]`,
			[]string{"misspelt-key", "unknown-key", "unreadable"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := []string{}
			for _, f := range withoutSSP(lint.Annotation(test.annotation, vmrules.DetectVersion())) {
				got = append(got, f.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
