package pcre

import (
	"strings"
	"testing"
)

func TestECMA(t *testing.T) {
	for _, test := range []struct{ pcre, want string }{
		{`^a.b$`, `^a[^\x0A]b(?=\n?$)`},
		{`\Aa\z`, `^a$`},
		{`(?m)a$`, `a(?=\n|$)`},
		{`\ba\B`, `\ba\B`},
		{`a-[-a-c]`, `a-[\-a-c]`},
		{`(?i)k`, `[Kk\u{212A}]`},
		{`[^\x{10FFFF}a]`, "[\\x00-`b-\\u{10FFFE}]"},
		{`[^\x00-\x{10FFFF}]`, `[^\x00-\u{10FFFF}]`},
		{`(a)(?=b)(?!c)*`, `(?:a)(?=b)(?:(?!c))?`},
		{`(?=b)(?!c)d+?`, `(?=b)(?!c)d+?`},
		{`/[/\]{}]é`, `\/[\/\]\{\}]\xE9`},
		{`^\B`, `^\B`}, {`^(?!a)b*`, `^(?!a)b*`}, {`^a|b(?!c)`, `^a|b(?!c)`},
		{`\B`, ``}, {`a*(?:\B)`, ``}, {`^a|(?!b)c?`, ``}, // which V8 also matches inside a character beyond U+FFFF
		{`(?>a)`, ``}, {`(a)\1`, ``}, {`(?<=a)b`, ``}, {`(?<!a)b`, ``}, {`(?m)^a`, ``}, {`(`, ``},
		{strings.Repeat(`\p{L}`, 10), ``},
	} {
		got := ""
		tree, err := Parse(test.pcre, fullBudget())
		if err == nil {
			got, err = tree.ECMA(fullBudget())
		}
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %s, %v", test.pcre, got, err)
		}
	}
}
