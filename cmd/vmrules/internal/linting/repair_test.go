package linting

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/rulediff"
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
		{"[{<A>\n, {<B>, \"b\": [1\n}, {<C> ]", "[{<A>\n}, {<B>, \"b\": [1]\n}, {<C>} ]"},
		{"[{<A>,\n  {<B>}]", "[{<A>},\n  {<B>}]"},
		{`[{<A> {<B>}]`, `[{<A>}, {<B>}]`},
		{`[{<A>,{"b": 1}]`, ""}, // not all of what a rule needs
		{` {<A>}]`, ` [{<A>}]`},
		{`{<A>}, {<B>}]`, `[{<A>}, {<B>}]`},
		{`[{"a": 1}}, {"b": [1]]}]`, ""}, // which of them is too many?
		{`[{"a": {{ x }}}]`, ""},
		{`[{"a": the licence}]`, ""},
	}
	names := strings.NewReplacer("<A>", memberOf("a"), "<B>", memberOf("b"), "<C>", memberOf("c"))
	for _, test := range tests {
		test.text, test.want = names.Replace(test.text), names.Replace(test.want)
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

// TestRepairsOfSlips makes slips anywhere in real rules. What is repaired is what was there.
func TestRepairsOfSlips(t *testing.T) {
	rules := quickstartRules(t)
	want, err := vmrules.ParseRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	repaired := map[string]int{}
	for _, slip := range []struct{ instead, with string }{
		{"{", ""}, {"}", ""}, {"[", ""}, {"]", ""}, {"\"", ""}, {",", ""}, {":", ""}, {",", ";"}, {" ", "\u00a0"}, {"\"", "'"},
		{"true", "True"}, {"\"name\"", "name"}, {"\"integer\"", "integer"}, {",", ",,"}, {",", ",{"}, {"{", "{{"}, {"[", "[["},
		{"}", "}}"}, {"]", "]]"}, {"\"", "\"\""}, {" 8\n", " 8 }\n"}, {" 1,", " 1],"},
	} {
		for at := range rules {
			if !strings.HasPrefix(rules[at:], slip.instead) {
				continue
			}
			room := 1 << 20
			fixable := fixable{text: rules[:at] + slip.with + rules[at+len(slip.instead):], room: &room}
			edits, _ := fixable.repairs()
			if edits == nil {
				continue
			}
			repaired[slip.with]++
			text, _ := manifest.Splice(fixable.text, edits)
			if got, err := vmrules.ParseRules(text); err != nil || !rulediff.MeanSame(want, got) {
				t.Errorf("%q instead of %q at %d: %v:\n%s", slip.with, slip.instead, at, err, text)
			}
		}
	}
	if len(repaired) < 5 || repaired[""] < 50 {
		t.Errorf("too little is repaired: %v", repaired)
	}
}

// memberOf returns what a rule with a name needs.
func memberOf(name string) string {
	return `"name": "` + name + `", "rule": "regex", "path": "jsonpath::.a", "message": "m"`
}

// quickstartRules returns the rules of the template of the quickstart.
func quickstartRules(t *testing.T) string {
	t.Helper()
	for file, err := range manifest.Read([]string{"../../../../testdata/quickstart/template.yaml"}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range file.Objects()[0].Loaded().Annotations() {
			return a.Text()
		}
	}
	t.Fatal("no rules")
	return ""
}
