package pcre

import "testing"

func mustParse(t *testing.T, pattern string) *Tree {
	t.Helper()
	tree, err := Parse(pattern, fullBudget())
	if err != nil {
		t.Fatalf("Parse(%q): %v", pattern, err)
	}
	return &tree
}

func TestMatchesAll(t *testing.T) {
	const all, lines, some = "all", "lines", "some"
	for pattern, want := range map[string]string{
		``: all, `^`: all, `$`: all, `.*`: all, `^.*`: all, `.*$`: all, `a*`: all, `^[a-z]*`: all, `a|b?`: all, `(a|)`: all, `a*+`: all,
		`(?s)^.*$`: all, `(?m)^.*$`: all, `(?s)^(.*)$`: all, `^.*$|a?`: all, `(?s)^a?.*$`: all,
		`^.*$`: lines, `^(.*)$`: lines, `^(?>.*)$`: lines, `^[^\n]*$`: lines, `^a?.*b?$`: lines, `\A.*\z`: lines, `^.*$|a`: lines,
		`.`: some, `.+`: some, `^.+$`: some, `^[a-z]*$`: some, `^$`: some, `^.?$`: some, `^.*a$`: some, `^[^\r\n]*$`: some,
		`(?!a)`: all, `(?!a).*`: all, `b*(?!a)$`: all, `(^a$)?`: all, `^(?:\b)?.*$`: lines,
		`(?=a)`: some, `^(?!a)`: some, `(?m)^(?!a)`: some, `(?!a*)`: some, `(?!)`: some, `(?!a).`: some, `\b`: some, `(a)?\1`: some, `^(?:.*x)$`: some,
	} {
		got := some
		switch texts, isLines := mustParse(t, pattern).MatchesAll(); {
		case texts && isLines:
			got = all
		case isLines:
			got = lines
		case texts:
			got = "all texts, but not all lines"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}

func TestOpen(t *testing.T) {
	const closed, open, idle, cut = Closed, Search, Idle, Cut
	for pattern, want := range map[string]Opening{
		`a`: open, `a|b`: open, `^a`: open, `\Aa`: open, `(?m)^a`: open, `^a|^b`: open, `^(?:a|b)`: open, `(^a|^b)`: open, `-a$`: open,
		`\.a\z`: open, `^a{1}`: open, `a|^b`: open, `.*a`: open, `^(?:a+b)`: open, `[$^]`: open, `\^\$`: open,
		`^a+`: idle, `a?$`: idle, `^(a+)`: idle, `^(b(?:a)+)`: idle, `^(?>ba+)`: idle, `a|b+`: idle, `^a|^b+`: idle, `^a{2,}`: idle,
		`a$`: cut, `ws$`: cut, `[^a]$`: cut, `[^\x{0}-\x{10FFFF}]$`: cut, `a\z`: cut, `[a-z]b$`: cut, `(a|b)$`: cut, `^a{2}`: cut, `^a{2,3}`: cut, `^.{1,3}`: cut, `a{2}b`: cut, `a+b{2}`: cut,
		`^a$`: closed, `^a.*`: closed, `^a.+`: closed, `.*a$`: closed, `.*a.*`: closed, `^(a.*)`: closed, `^a$|^b$`: closed, `^a|^b$`: closed,
		`^$`: closed, `\ba`: closed, `a\B`: closed, `(?=a)`: closed, `(?!a)`: closed, `^(?!a)`: closed, `(?<=a)b`: closed, `(?<!a)b`: closed,
		`^(a|b$)`: closed, `^(a)\1`: closed, `(?:a|(b(?:c|$)))*`: closed,
	} {
		if got := mustParse(t, pattern).Open(); got != want {
			t.Errorf("%s: %d, want %d", pattern, got, want)
		}
	}
}

func TestDotsEscaped(t *testing.T) {
	for pattern, want := range map[string]string{
		`^vm.kubevirt.io$`: `^vm\.kubevirt\.io$`, `rhel8.4`: `rhel8\.4`, `(quay.io|é)/x-y.zz`: `(quay\.io|é)/x-y\.zz`, `(?i)ab.cd`: `(?i)ab\.cd`,
		`rhel9.[0-9]+`: `rhel9\.[0-9]+`, `\d{1,3}.(\d)`: `\d{1,3}\.(\d)`,
		`a.c`: ``, `ab.c`: ``, `ab.c*`: ``, `ab.*cd`: ``, `ab.?cd`: ``, `ab\.cd`: ``, `ab[.]cd`: ``, `\Qab.cd\E`: ``, `[a-z]+.cd`: ``, `ab.[0-9]`: ``,
		`^.ab`: ``, `ab.`: ``, `ab.\d`: ``, `a/.cd`: ``, `ab.c|d`: ``, `ab.(cd)`: ``, ``: ``,
	} {
		if got := mustParse(t, pattern).DotsEscaped(); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
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
		{`^a|b`, true, ``},
		{`a|b$`, true, ``},
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
