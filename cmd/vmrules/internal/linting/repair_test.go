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
		{`[{"a": 1`, ""}, // the end may be lost
		{`[,]`, ""},
		{`[{"a": 1.5Gi, "b": .5, "c": 08}]`, `[{"a": 1610612736, "b": ".5", "c": 8}]`},
		{`[{"a": 2 Gi, "b": 2gi, "c": 0x80000000}]`, `[{"a": 2147483648, "b": 2147483648, "c": 2147483648}]`},
		{`[{"a": 1e3GB}]`, ""},
		{`[{"a": [True, None, FALSE]}]`, `[{"a": [true, null, false]}]`},
		{`[True]`, ""}, // which is refused
		{`[{rule: integer, 'b': "c"; d : [e]}]`, `[{"rule": "integer", "b": "c", "d" : ["e"]}]`},
		{`[{"a": 1;}]`, `[{"a": 1}]`},
		{"[\u00a0{\"a\":\u00a01\u3000}]", `[ {"a": 1 }]`},
		{"[{\"a\": 1\n, {\"b\": [1\n}, {\"c\": 2 ]", "[{\"a\": 1\n}, {\"b\": [1]\n}, {\"c\": 2} ]"},
		{"[{\"a\": 1,\n  {\"b\": 2}]", "[{\"a\": 1},\n  {\"b\": 2}]"},
		{`[{"a": 1 {"b": 2}]`, `[{"a": 1}, {"b": 2}]`},
		{` {"a": 1}]`, ` [{"a": 1}]`},
		{`{"a": 1}, {"b": 2}]`, `[{"a": 1}, {"b": 2}]`},
		{`[{"a": 1}}, {"b": [1]]}]`, ""}, // which of them is too many?
		{`[{"a": {{ x }}}]`, ""},
		{`[{"a": the licence}]`, ""},
	}
	for _, test := range tests {
		room := 1 << 20
		fixable := fixable{text: test.text, room: &room}
		got := ""
		if edits, _ := fixable.repairs(); edits != nil {
			got, _ = manifest.Splice(test.text, edits)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}
