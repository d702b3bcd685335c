package jsontext_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
)

const maxDepth = 64

// read reads a text as a list of at most 100 items, without a limit on costs.
func read(text string) (jsontext.Node, []jsontext.Error) {
	m := meter.New(math.MaxInt, math.MaxInt)
	return jsontext.Read(text,
		jsontext.Format{Name: "the list", Root: "an array of things", Item: "thing", MaxItems: 100, MaxDepth: maxDepth}, &m)
}

// TestUnreadable checks that an error that makes a text unreadable is reported alone, at its
// place, with a correction.
func TestUnreadable(t *testing.T) {
	tests := []struct {
		in           string
		line, column int
		cure         string
	}{
		{`[{"a": 1,}]`, 1, 9, "trailing comma"},
		{`[1, ]`, 1, 3, "trailing comma"},
		{`[1 2]`, 1, 4, "a comma is missing before"},
		{"[{\"a\": \"b\"\n  \"c\": 1}]", 2, 3, `a comma is missing before "c"`},
		{`[{"a" 1}]`, 1, 7, `a colon is missing after the key "a"`},
		{`[{"a": }]`, 1, 8, `"}" is not allowed here`},
		{`[{'a': 1}]`, 1, 3, "strings take double quotes"},
		{`[{true: 1}]`, 1, 3, `keys need quotes: write "true"`},
		{`[{1: 2}]`, 1, 3, `keys need quotes: write "1"`},
		{`[{true, 1}]`, 1, 3, `a key in double quotes is expected`},
		{`[{"a": 1,`, 1, 10, `a key in double quotes is missing`},
		{`["a", 'b']`, 1, 7, "strings take double quotes"},
		{"- name: x", 1, 1, "not YAML"},
		{`["a\`, 1, 4, "does not begin a JSON escape"},
		{`["a\u12`, 1, 4, "does not begin a JSON escape"},
		{`["a\u12a`, 1, 4, "does not begin a JSON escape"},
		{`["a b\"\n\q"]`, 1, 10, "does not begin a JSON escape"},
		{`[{"a": n|l}]`, 1, 8, "a value is expected"},
		{`[+5]`, 1, 2, `"+5" is not a JSON number: write 5`},
		{`[,]`, 1, 2, "is not allowed here"},
		{`[1,,2]`, 1, 4, "is not allowed here"},
		{`[}`, 1, 2, "is not allowed here"},
		{`[`, 1, 2, `"]" is missing: the array that begins at line 1`},
		{`[{"a":`, 1, 7, "ends too early"},
		{`[{"a`, 1, 3, "never closed"},
		{`["a\q"]`, 1, 4, `write \\ for a backslash`},
		{`["a\u12g4"]`, 1, 4, `write \\ for a backslash`},
		{`["a\`, 1, 4, `write \\ for a backslash`},
		{"[\"é\ta\"]", 1, 4, "control character"},
		{`[1] [2]`, 1, 5, `follows the end`},
		{`[{“name”: 1}]`, 1, 3, "“ is a typographic quote"},
		{`[{"name”: "x"}]`, 1, 8, "” is a typographic quote"},
		{`[{"name": “x”}]`, 1, 11, "“ is a typographic quote"},
		{"[{\"name\": \"x”,\n\"a\":1}]", 1, 13, "” is a typographic quote"},
		{`[{"message": "say “hi”" "min": 1}]`, 1, 25, "a comma is missing before"},
		{`[{"message": "say “hi”"} {"min": 1}]`, 1, 26, "a comma is missing before"},
		{`["say “hi”", 08]`, 1, 14, "not a JSON number"},
		{`“[]”`, 1, 1, "“ is a typographic quote"},
		{"\"[]”\n", 1, 4, "” is a typographic quote"},
		{"[\"\xff\"]", 1, 3, "not valid UTF-8"},
		{"\xff[]", 1, 1, "not valid UTF-8"},
		{"\ufeff[]", 1, 1, "remove it"},
		{"name: x", 1, 1, `"name" is not allowed here, where an array of things is expected`},
		{"- name: x", 1, 1, `"-" is not allowed here, where an array of things is expected: the list is JSON, not YAML`},
		{strings.Repeat("[", maxDepth+1), 1, maxDepth + 1, "arrays and objects are nested deeper than 64 levels"},
		{strings.Repeat(`{"a":`, maxDepth+1), 1, 5*maxDepth + 1, "nested deeper than 64 levels"},
		{"", 1, 1, "the text ends too early: an array of things is missing"},
		{"[] x", 1, 4, `"x" follows the end of the list: remove it`},
		{`[{"a": 1, "a": 2}, "\ud800", x]`, 1, 30, `"x" is not allowed here, where a value is expected: strings need quotes`}, // no flaws beside it
		{"[" + strings.Repeat("1,", 100) + "1]", 1, 202, "the list has more than 100 things"},
		{`[1 "` + strings.Repeat("é", 200) + `"]`, 1, 4, `a comma is missing before "` + strings.Repeat("é", 99) + "…"},
		{`[1 ` + strings.Repeat("é", 200) + `]`, 1, 4, `a comma is missing before "` + strings.Repeat("é", 100) + `…"`},
		{"[1 \"a\u2028\ufffd\"]", 1, 4, `a comma is missing before "a\u2028` + "\ufffd\""},
		{"[1 a\u0085\u2061]", 1, 5, `the character U+0085 is no blank`},
		{"[1 a\u2061]", 1, 4, `a comma is missing before "a\u2061"`},
		{"[{\"\u2028\" 1}]", 1, 7, `a colon is missing after the key "\u2028"`},
	}
	for _, test := range tests {
		root, errs := read(test.in)
		if !root.IsZero() || len(errs) != 1 {
			t.Errorf("%.40q: %d errors, want 1, and no node: %v, %v", test.in, len(errs), errs, root)
			continue
		}
		if e := errs[0]; e.Item != -1 || e.Key != "" || e.Kind != jsontext.Invalid || !strings.Contains(e.Error(), test.cure) {
			t.Errorf("%.40q: %+v; want one of the whole text that says %q", test.in, e, test.cure)
		}
		c := jsontext.NewCursor(test.in)
		line, column := c.MoveTo(errs[0].Offset)
		if diff := cmp.Diff([2]int{test.line, test.column}, [2]int{line, column}); diff != "" {
			t.Errorf("%.40q: line and column (-want +got):\n%s", test.in, diff)
		}
	}
}
