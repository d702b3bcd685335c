package pcre

import "testing"

func mustParse(t *testing.T, pattern string) *Tree {
	t.Helper()
	tree, err := Parse(pattern, fullBudget())
	if err != nil {
		t.Fatalf("Parse(%q): %v", pattern, err)
	}
	return tree
}

func TestHasAssertion(t *testing.T) {
	for pattern, want := range map[string]bool{
		`^a`: true, `a$`: true, `\Aa`: true, `a\Z`: true, `a\z`: true, `(?m)^a`: true, `(?m)a$`: true, `\ba`: true, `a\B`: true,
		`(?=a)`: true, `(?!a)`: true, `(?<=a)b`: true, `(?<!a)b`: true, `(?:a|(b(?:c|$)))*`: true,
		``: false, `a`: false, `[$^]`: false, `(?>a)(b)\1`: false, `\^\$`: false,
	} {
		if got := mustParse(t, pattern).HasAssertion(); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

func TestAnchored(t *testing.T) {
	for _, test := range []struct {
		pattern      string
		halfAnchored bool
		anchored     string
	}{
		{`^a|b$`, true, `^(?:a|b)$`},
		{`^a|b|é$`, true, `^(?:a|b|é)$`},
		{`(^a|b$)`, true, `(^(?:a|b)$)`},
		{`é?(?:^a|b$)`, false, ``},
		{`(?i)^a|b$`, true, `(?i)^(?:a|b)$`},
		{`(?m)^a|b$`, true, `(?m)^(?:a|b)$`},
		{`^|$`, true, `^(?:|)$`},
		{`\Aa|b$`, true, ``},
		{`^a|b\z`, true, ``},
		{`^a|b\Z`, true, ``},
		{`(?n)^a|(b)$`, true, `(?n)^(?:a|(b))$`},
		{`(?x)^a|b$ # c`, true, `(?x)^(?:a|b)$ # c`},
		{`^(?>|b)|c$`, true, ``}, // which Compile refuses
		{`^(a|b)$`, false, ``},
		{`^a$|^b$`, false, ``},
		{`^a|^b$`, false, ``},
		{`^a|b`, false, ``},
		{`a|b$`, false, ``},
		{`a|b`, false, ``},
		{`^a$`, false, ``},
		{``, false, ``},
	} {
		tree := mustParse(t, test.pattern)
		if got := tree.IsHalfAnchored(); got != test.halfAnchored {
			t.Errorf("%s: half-anchored is %v, want %v", test.pattern, got, test.halfAnchored)
		}
		if got := tree.Anchored(fullBudget()); got != test.anchored {
			t.Errorf("%s: anchored is %s, want %s", test.pattern, got, test.anchored)
		}
	}
	if got := mustParse(t, `^a|b$`).Anchored(budgetOf(0, 0)); got != "" {
		t.Errorf("without a budget, anchored is %s", got)
	}
}

func TestNeedsMoreThan(t *testing.T) {
	for pattern, want := range map[string]bool{
		`a`: true, `^[a-z]+$`: true, `1a`: true, `(?:a|b)1`: true, `(a)`: true, `(?>a)`: true, `a{2}`: true, `[^0-9.-]`: true, `[/]`: true,
		`[^\x00-\x{10FFFF}]`: true,
		``:                   false, `1`: false, `[a1]`: false, `\d+`: false, `-?\d`: false, `a?`: false, `a*1`: false, `a{0,2}`: false,
		`(?:a|1)`: false,
		`.`:       false, `^$`: false,
		`(?=a)`: false, `[+-/]`: false,
	} {
		if got := mustParse(t, pattern).NeedsMoreThan("-.0123456789"); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

func TestIsExponential(t *testing.T) {
	for pattern, want := range map[string]bool{
		`(?=(a+)+$)`: true, `(a+)+\1`: true,
		`(a+)+$`: false, `(?=a+$)`: false, `(?:a++)+`: false,
	} {
		if got := mustParse(t, pattern).IsExponential(); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}
