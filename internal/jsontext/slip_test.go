package jsontext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
)

// TestSlips: of mistakes that people often make, the whole message is right, and its place, which ▶
// marks.
func TestSlips(t *testing.T) {
	tests := []struct{ text, want string }{
		// A bracket is missing.
		{"[\n  {\n    \"a\": 1▶\n]", `"}" is missing: the thing that begins at line 2 is not closed`},
		{"[\n\n {\"a\": [1]▶ ]", `"}" is missing: the thing that begins at line 3 is not closed`},
		{"[{\"a\": 1},\n {\"a\": 1\n ▶,\n {\"a\": 2}]", `"}" is missing: the thing that begins at line 2 is not closed`},
		{"[{\"a\": \"x”y\"▶\n {\"b\": 2}]", `"}" is missing: the thing that begins at line 1 is not closed`},
		{"[{\"a\": 1▶,\n]", `"}" is missing: the thing that begins at line 1 is not closed`},
		{"[{\"a\": {\"b\": 1}▶\n]", `"}" is missing: the thing that begins at line 1 is not closed`},
		{"[[{\"b\": 1▶]]", `"}" is missing: the object that begins at line 1 is not closed`},
		{"[{\"a\": 1▶", `"}" is missing: the thing that begins at line 1 is not closed`},
		{"[{\"a\": 1}▶\n", `"]" is missing: the array that begins at line 1 is not closed`},
		{"[{\n\"a\": [1, 2▶}]", `"]" is missing: the array that begins at line 2 is not closed`},
		{"[{\n\"a\": [1, 2▶,}]", `"]" is missing: the array that begins at line 2 is not closed`},
		{"[{\n\"a\": [1, 2,\n▶\"b\": 1}]", `"]" is missing: the array that begins at line 2 is not closed`},
		{"[\n ▶\"a\": 1}]", `a key is not allowed here: "{" is missing before it, or a "}" is too early`},
		{`[{"a": 1}, ▶"b": 1}]`, `a key is not allowed here: "{" is missing before it, or a "}" is too early`},
		{`▶{"a": 1}]`, `the array has no "[": it begins here`},
		{"\n▶{\"a\": 1},\n{\"b\": 2}]", `the array has no "[": it begins here`},
		{`▶{"a": 1} {"b": 2}`, `the array has no "[": it begins here`},

		// There is one too many.
		{`[{"a": [1]▶], "b": 2}]`, `"]" closes nothing: remove it`},
		{`[{"a": 1}▶}, {"b": 2}]`, `"}" closes nothing: remove it`},
		{`[{"a": 1}]▶]`, `"]" follows the end of the list: remove it`},

		// Separators.
		{`[{"a": "b"▶; "c": 1}]`, `write a comma, not ";"`},
		{`[{"a": 8▶; "c": true}]`, `write a comma, not ";"`},
		{`[{"a": true▶;}]`, `";" is not allowed here: remove it`},

		// Quotes.
		{`[{▶rule: "integer"}]`, `keys need quotes: write "rule"`},
		{`[{"a": 1, ▶just-Warning : 1}]`, `keys need quotes: write "just-Warning"`},
		{`[{"a": ▶integer, "b": 1}]`, `"integer" is not allowed here, where a value is expected: strings need quotes`},
		{`[{"a": [▶virtio ]}]`, `"virtio" is not allowed here, where a value is expected: strings need quotes`},
		{`[{"a": ▶the licence}]`, `"the" is not allowed here, where a value is expected: strings need quotes`},
		{`[{"a": ▶a"b}]`, `"a\"b" is not allowed here, where a value is expected: strings need quotes`},
		{"[{\"a\": ▶\"b,  \"c\": 1}]", `the string that begins here lacks its closing quote, before the comma`},

		// Words of other languages.
		{`[{"a": ▶True}]`, `"True" is not allowed here: write true`},
		{`[{"a": [▶FALSE, 1]}]`, `"FALSE" is not allowed here: write false`},
		{`[{"a": ▶None}]`, `"None" is not allowed here: write null`},
		{`[{"a": 4,▶294,967}]`, `a number has no separators between its digits: write them without`},
		{`[{"a": 4 ▶294 967}]`, `a number has no separators between its digits: write them without`},
		{`[▶2**31]`, `"2**31" is not a JSON number: write digits, and no calculation`},
		{`[▶yes]`, `"yes" is not allowed here: write true`},
		{`[▶Off]`, `"Off" is not allowed here: write false`},
		{`[▶nil]`, `"nil" is not allowed here: write null`},

		// Blanks and comments.
		{"[{\"a\":▶\u00a01}]", "the character U+00A0 is no blank in JSON: write a plain space"},
		{"[{\"a\": 1▶\u00a0}]", "the character U+00A0 is no blank in JSON: write a plain space"},
		{"[{\"a\"▶\u3000: 1}]", "the character U+3000 is no blank in JSON: write a plain space"},
		{"[{\"a\": 1,▶\u00a0\u00a0\"b\": 2}]", "the character U+00A0 is no blank in JSON: write a plain space"},
		{"[{\"a\": 1,▶\u200b\"b\": 2}]", "the character U+200B is no blank in JSON: write a plain space"},
		{"[]▶\u00a0", "the character U+00A0 is no blank in JSON: write a plain space"},
		{"[{\"a\": 1, ▶\ufeff\"b\": 2}]", "the character U+FEFF is no blank in JSON: write a plain space"},
		{"[{\"a\": 1 ▶/* one */}]", `"/*" is not allowed here: JSON has no comments`},
		{"[{▶# one\n\"a\": 1}]", `"#" is not allowed here: JSON has no comments`},
		{"[{\"a\" ▶// one\n: 1}]", `"//" is not allowed here: JSON has no comments`},
		{"[] ▶// one", `"//" is not allowed here: JSON has no comments`},

		// Templates that are not rendered.
		{`[{"a": ▶{{ .Values.a }}}]`, `"{{" begins an expression: render the template first`},
		{`[{"a": 1▶{{- x }}}]`, `"{{" begins an expression: render the template first`},
		{`[▶{% if x %}{"a": 1}{% endif %}]`, `"{%" begins an expression: render the template first`},
		{`[{"a": 1}, ▶{% endif %}]`, `"{%" begins an expression: render the template first`},
		{`[{"a": 1, ▶{{ x }}: 2}]`, `"{{" begins an expression: render the template first`},
		{`[{"a": 1 ▶{% x %}]`, `"{%" begins an expression: render the template first`},
		{`[{"a": 1}] ▶{{ end }}`, `"{{" begins an expression: render the template first`},
		{`[{ ▶{}}]`, `"{" is not allowed here, where a key in double quotes is expected`},

		// Numbers and units.
		{`[{"a": ▶2 Gi}]`, `"2 Gi" is not a JSON number: write "2Gi" in quotes, or 2147483648`},
		{`[{"a": ▶1.5Gi}]`, `"1.5Gi" is not a JSON number: write "1.5Gi" in quotes, or 1610612736`},
		{`[{"a": ▶2 GB, "b": 1}]`, `"2 GB" is not a JSON number: write "2Gi" or "2G" in quotes`},
		{`[{"a": ▶2GB}]`, `"2GB" is not a JSON number: write "2Gi" or "2G" in quotes`},
		{`[{"a": ▶2gi}]`, `"2gi" is not a JSON number: write "2Gi" in quotes, or 2147483648`},
		{`[{"a": ▶0x80000000}]`, `"0x80000000" is not a JSON number: write 2147483648`},
		{`[{"a": ▶.5}]`, `".5" is not a JSON number: write 0.5`},
		{`[{"a": ▶1.2.3}]`, `"1.2.3" is not a JSON number: write digits, and no calculation`},
		{`[{"a": 2 ▶apples}]`, `a comma is missing before "apples"`},
		{`[1▶: 2]`, `a comma is missing before ":"`},
		{`[{"a": true ▶Gi}]`, `a comma is missing before "Gi"`},
	}
	for _, test := range tests {
		before, after, _ := strings.Cut(test.text, "▶")
		root, errs := read(before + after)
		want := []jsontext.Error{{Offset: len(before), Item: -1, Message: test.want}}
		if diff := cmp.Diff(want, errs); diff != "" || !root.IsZero() {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}
