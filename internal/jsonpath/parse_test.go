package jsonpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
)

func mustParse(t *testing.T, s string) *jsonpath.Path {
	t.Helper()
	p, err := jsonpath.Parse(s)
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return p
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ in, cure string }{
		{"", "the path is empty"},
		{" ", "the path is empty"},
		{"{}", "the path is empty"},
		{".", "a name is missing"},
		{"..", `a name is missing after ".."`},
		{".a.", "a name is missing"},
		{".a..", `a name is missing after ".."`},
		{".a...b", "three dots"},
		{"{.a", "the { is never closed"},
		{"{.a}{.b}", "no second path"},
		{"cores: {.a}", `unexpected ':'`},
		{"{.a} cores", "the { is never closed"},
		{"{range .a[*]}{.b}{end}", "range and end"},
		{"end", "range and end"},
		{".a b", `write '\ ' if`},
		{".a*", `write '\*' if`},
		{".*a", `unexpected 'a'`},
		{`.a\`, `nothing follows the last \`},
		{"$a", "unexpected 'a'"},
		{"$.a$", `write '\$' if`},
		{".a[", "[ ] must contain"},
		{".a[0", "never closed"},
		{".a[]", "[ ] must contain"},
		{".a[x]", "[ ] must contain"},
		{".a[0]b", "unexpected 'b' between"},
		{".a[0 1]", "unexpected '1' inside"},
		{".a[99999999999]", "too large"},
		{".a['b", "never closed"},
		{".a['a.b']", `write ['a\.b'] for the name, .a.b for the steps`},
		{".a['*']", "write [*]"},
		{".a[0:2:0]", "more than 0"},
		{".a[0:2:-1]", "more than 0"},
		{".a[0:x]", "[ ] must contain"},
		{".a[0:1:2:3]", "unexpected ':'"},
		{".a[?(", "the filter ends too early"},
		{".a[?()]", "a path (@.name)"},
		{".a[?(@.b]", "unexpected ']'"},
		{".a[?(@.b", "never closed with )]"},
		{".a[?(@.b)", "unexpected ')'"},
		{".a[?(@.b==)]", "a path (@.name)"},
		{".a[?(@.b===1)]", "unexpected '=' in a filter"},
		{".a[?(!@.b)]", "unexpected '!' in a filter"},
		{".a[?(@.b==x)]", `"x" in a filter is neither`},
		{".a[?($.b==1)]", "write @"},
		{".a[?(@.b==$.c)]", "write @"},
		{".a[?(1)]", "begins with a path"},
		{".a[?(@.b==1&&@.c==2)]", "&& and ||"},
		{".a[?(@.b||@.c)]", "&& and ||"},
		{`.a[?(@.b=="x)]`, "never closed"},
		{`.a[?(@.b=="\q")]`, "escape as in Go"},
		{".a[?(@.b[?(@.c)])]", "filter inside a filter"},
		{".a[?(@.b..)]", `a name is missing after ".."`},
	}
	for _, test := range tests {
		p, err := jsonpath.Parse(test.in)
		if err == nil {
			t.Errorf("Parse(%q) = %s", test.in, p.Text())
			continue
		}
		if !strings.Contains(err.Error(), test.cure) {
			t.Errorf("Parse(%q): %v; it does not say %q", test.in, err, test.cure)
		}
		if p != nil {
			t.Errorf("Parse(%q): a path beside the error", test.in)
		}
	}
}

func TestSpellings(t *testing.T) {
	same := [][]string{
		{".a.b", "a.b", "$.a.b", "@.a.b", "{.a.b}", " { $.a.b } ",
			"['a'].b", `$["a"]["b"]`, `.\a.b`, `['\a']['b']`},
		{"$", "@", "{$}"},
		{".a[*]", "a[ * ]"},
		{`.a[?(@.b=="x")]`, `.a[?( @.b == 'x' )]`, `.a[?(@['b']=="\x78")]`},
		{`.a[?(@.b==1)]`, `.a[?(@.b==1.0)]`, `.a[?(@.b==1e0)]`, `.a[?(@.b==+1)]`},
		{`.a[?(@.b==1000)]`, `.a[?(@.b==1e3)]`, `.a[?(@.b==1000.00)]`},
		{`.a[?(@.b=="1")]`},
		{`.a[?(@.b!=1)]`},
		{`.a[?(@.b)]`},
		{".a.*"},
		{".a[0]"},
		{".a['0']", ".a.0"},
		{".a[0:]", ".a[0::]"},
		{".a[0,1]", ".a[ 0 , 1 ]"},
		{"..a", "$..a", "..['a']"},
		{".azAZ09_-/", "['azAZ09_-/']"},
		{".größe١e\u0301", "['größe١e\u0301']"},
		{`.metadata.annotations.vm\.kubevirt\.io/os`, `.metadata.annotations['vm\.kubevirt\.io/os']`},
	}
	for i, group := range same {
		for _, a := range group {
			for j, other := range same {
				for _, b := range other {
					p, q := mustParse(t, a), mustParse(t, b)
					if got := p.Equal(q); got != (i == j) {
						t.Errorf("%q equals %q: %v", a, b, got)
					}
					if got := p.Key() == q.Key(); got != (i == j) {
						t.Errorf("%q has the key of %q: %v", a, b, got)
					}
				}
			}
			p := mustParse(t, a)
			if again := mustParse(t, jsonpath.LeadingDot(p.Text())); !again.Equal(p) {
				t.Errorf("%q is written as %q", a, p.Text())
			}
		}
	}
}

func TestNoPath(t *testing.T) {
	var none *jsonpath.Path
	root := mustParse(t, "$")
	if none.Equal(root) || root.Equal(none) || !none.Equal(nil) || none.Text() != "" || none.Steps() != nil || none.StepTexts() != nil {
		t.Error("nil is a path")
	}
}

func TestText(t *testing.T) {
	tests := []struct {
		in, text string
		steps    []string
	}{
		{"{$.a.b}", "a.b", []string{".a", ".b"}},
		{"a", "a", []string{".a"}},
		{"$['a'][0]", "['a'][0]", []string{"['a']", "[0]"}},
		{"$..a[*]", "..a[*]", []string{"..a", "[*]"}},
		{"..[?( @.b == 1 )].*", "..[?( @.b == 1 )].*", []string{"..[?( @.b == 1 )]", ".*"}},
		{"@", "$", nil},
		{`.a\.b['c\.d']`, `a\.b['c\.d']`, []string{`.a\.b`, `['c\.d']`}},
	}
	for _, test := range tests {
		p := mustParse(t, test.in)
		if p.Text() != test.text {
			t.Errorf("%q: the text is %q, want %q", test.in, p.Text(), test.text)
		}
		if diff := cmp.Diff(test.steps, p.StepTexts()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.in, diff)
		}
	}
}
