package linting

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// TestRepairs: what is not certain stays as it is.
func TestRepairs(t *testing.T) {
	tests := []struct{ text, want string }{
		{`[1 2, 3]`, `[1, 2, 3]`},
		{`[{"a": 1} {"b": 2,},]`, `[{"a": 1}, {"b": 2}]`},
		{"[{\"a\": 1\n \"b\": 2}]", "[{\"a\": 1,\n \"b\": 2}]"},
		{`[{'a': 'b', “c”: “d”}]`, `[{"a": "b", "c": "d"}]`},
		{`["\d+\.", "a\\b\w"]`, `["\\d+\\.", "a\\b\\w"]`},
		{`["\d\b"]`, ""},         // \b is a backspace in JSON, and no word boundary
		{`["say "hi" now"]`, ""}, // where does the string end?
		{`[{"m": "say “hi”, "a": 1}]`, ""},
		{`[{"m": "a" "b", "c": 1}]`, ""},
		{`["a "" b"]`, ""},
		{`[{"a": it's}]`, ""},
		{`[1 // one` + "\n]", ""},
		{`[{"a": 1`, ""},
		{`[,]`, ""},
		{`[{"a": 1.5Gi, "b": .5, "c": 08}]`, `[{"a": 1610612736, "b": ".5", "c": 8}]`},
		{`[{"a": 1GB}]`, `[{"a": "1GB"}]`},
		{`[True]`, ""},
	}
	for _, test := range tests {
		room := 1 << 20
		fixable := fixable{text: test.text, room: &room}
		got := ""
		if edits := fixable.repairs(); edits != nil {
			got, _ = manifest.Splice(test.text, edits)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}
