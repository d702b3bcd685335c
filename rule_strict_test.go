package vmrules_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// TestSuggestions: if a key, a kind or a path is nearly right, the Problem says what to write.
func TestSuggestions(t *testing.T) {
	tests := []struct {
		name, rule string
		opts       []vmrules.ParseOption
		want       map[string]string // by key
	}{
		{
			"no prefix", `"rule": "integer", "path": ".spec.a", "valid": "jsonpath: spec.b", "min": ".spec.c", "maxLength": "jsonpath:.d"`,
			nil,
			map[string]string{"path": "jsonpath::.spec.a", "valid": "jsonpath::.spec.b", "min": "jsonpath::.spec.c",
				"maxLength": "jsonpath::.d"},
		},
		{
			"another mistake", `"rule": "integer", "path": "jsonpath::.a b", "valid": "a b", "min": "many", "max": true`, nil,
			map[string]string{"path": "", "valid": "", "min": "", "max": ""},
		},
		{
			"under Strict", `"rule": "intger", "path": "jsonpath::.a", "justwarning": true, "colour": "red"`,
			[]vmrules.ParseOption{vmrules.Strict()},
			map[string]string{"rule": "integer", "justwarning": "justWarning", "colour": ""},
		},
		{
			"of the old version", `"rule": "enum", "path": "jsonpath::.a", "included": ["a"]`, []vmrules.ParseOption{vmrules.Strict()},
			map[string]string{"included": "values"},
		},
	}
	for _, test := range tests {
		_, err := vmrules.ParseRules(`[{"name": "r", "message": "m", `+test.rule+`}]`, test.opts...)
		var parsed *vmrules.ParseError
		if !errors.As(err, &parsed) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := map[string]string{}
		for _, p := range parsed.Problems {
			got[p.Key] = p.Suggestion
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
