package policy

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// rewritten has patterns and their translations.
var rewritten = map[string]string{
	`a`: `a`, `^a$`: `^a\n?$`, `^a|b$`: `^a|b\n?$`, `a$|^b\Z`: `a\n?$|^b\n?$`, `\Aa\z`: `\Aa\z`,
	`\s`: `[\s\v]`, `\S`: `[^\s\v]`, `[\s.]`: `[\s\v.]`, `[^a-c_-]`: `[^a-c_-]`, `[-a]`: `[-a]`, `[\]\-]`: `[\]\-]`,
	`(?<n>a)`: `(a)`, `(?P<n>a)`: `(a)`, `(?:a|)`: `(?:a|)`, `(?i)q35`: `(?i)q35`, `(?is).`: `(?is).`,
	`a*?b+c?d{2}e{2,}f{2,3}?`: `a*?b+c?d{2}e{2,}f{2,3}?`, `[[:alpha:]\d]`: `[[:alpha:]\d]`, `naïve`: `naïve`,
	`\.\/\-`: `\.\/\-`, `^$`: `^\n?$`, `\bfoo\B`: `\bfoo\B`,
}

func TestToRE2(t *testing.T) {
	for pattern, want := range rewritten {
		got, err := toRE2(pattern)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s %v", pattern, diff, err)
		}
	}
}

func TestToRE2Refuses(t *testing.T) {
	for _, pattern := range []string{
		`(?=a)`, `(?!a)`, `(?<=a)b`, `(?<!a)b`, `(?>a)`, `(a)\1`, `(?<n>a)\k<n>`, `a++`, `a*+`, `a{2}+`, `(?m)^a`, `a(?i)b`, `(?x)a b`,
		`a$b`, `(a$)`, `(?:a|b$)c`, `$a`, `a$+`, `\p{L}`, `\PL`, `\x41`, `\R`, `\h`, `\v`, `\N`, `\Qa\E`, `\K`, `\G`, `\07`,
		`(?i)\w`, `(?i)[\w]`, `(?i)é`, `(?i)[é]`, `(?i)[[:lower:]]`, `[[:punct:]]`, `[[:^alpha:]]`, `[\D]`, `[\b]`, `[a-\d]`, `[\d-z]`, `[]a]`, `[^]a]`, `[a-c-e]`,
		`a{1001}`, `a{,3}`, `a{x}`, `]`, `a}`, `^*`, "a\tb", `(?#c)a`, `(*UCP)a`, `(?|a|b)`, `(?R)`, `[a`, `(a`, `a)`, `\`, `*a`, `(?i`,
	} {
		if got, err := toRE2(pattern); err == nil {
			t.Errorf("%q became %q", pattern, got)
		}
	}
}

// A translated pattern matches the same texts as the rule.
func FuzzToRE2(f *testing.F) {
	for pattern := range rewritten {
		f.Add(pattern, "virtio\n")
		f.Add(pattern, "\v aé\n")
	}
	path := vmrules.MustParsePath("jsonpath::.value")
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		regex, err := vmrules.NewArgument(pattern)
		if err != nil {
			return
		}
		rules, err := vmrules.NewRules([]vmrules.Rule{{Kind: vmrules.KindRegex, Name: "r", Message: "m", Path: path, Regex: regex}})
		if err != nil {
			return // not a valid PCRE pattern
		}
		re2, err := toRE2(pattern)
		if err != nil {
			return
		}
		report := vmrules.Validate(rules, map[string]any{"kind": "Value", "value": subject})
		outcome := report.Results()[0].Outcome
		if outcome == vmrules.OutcomeUndecided {
			return
		}
		if got := regexp.MustCompile(re2).MatchString(subject); got != (outcome == vmrules.OutcomeSatisfied) {
			t.Errorf("%q became %q: %t for %q, which is %s", pattern, re2, got, subject, outcome)
		}
	})
}
