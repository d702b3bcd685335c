package policy

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// rewritten has patterns and their translations.
var rewritten = map[string]string{
	`a`: `a`, `^a$`: `^a\n?$`, `^a|b$`: `^a|b\n?$`, `a$|^b\Z`: `a\n?$|^b\n?$`, `\Aa\z`: `^a$`, `(a$)`: `(?:a\n?$)`, `(?m)^a$`: `(?m:^)a(?m:$)`,
	`\s`: `[\x{9}-\x{d} ]`, `\S`: `[^\x{9}-\x{d} ]`, `[\s.]`: `[\x{9}-\x{d} \.]`, `\h`: "[\\x{9} \u00a0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000]", `\v`: "[\\x{a}-\\x{d}\u0085\u2028-\u2029]",
	`[^a-c_-]`: `[^\-_a-c]`, `[-a]`: `[\-a]`, `[\]\-]`: `[\-\]]`, `[]a]`: `[\]a]`, `[a-c-e]`: `[\-a-ce]`, `[\b]`: `\x{8}`, `[\D]`: `[^0-9]`, `\N`: `[^\x{a}]`,
	`(?<n>a)`: `(?:a)`, `(?P<n>a)`: `(?:a)`, `(?:a|)`: `(?:a|)`, `(?i)q35`: `[Qq]35`, `(?is).`: "[\\x{0}-\U0010ffff]", `a(?i)b`: `a[Bb]`, `(?x)a b # c`: `ab`,
	`(?i)\w`: `[0-9A-Z_a-z]`, `(?i)é`: `[Éé]`, `(?i)[[:lower:]]`: `[A-Za-z]`, `[[:punct:]]`: "[!-\\/:-@\\[-`\\{-~]", `[[:^alpha:]]`: `[^A-Za-z]`, `(?i)k`: "[Kk\u212a]",
	`a*?b+c?d{2}e{2,}f{2,3}?`: `a*?b+c?d{2}e{2,}f{2,3}?`, `[[:alpha:]\d]`: `[0-9A-Za-z]`, `naïve`: `naïve`, `\p{Zl}`: "\u2028", `(?#c)\x41`: `A`,
	`\.\/\-`: `\.\/-`, `^$`: `^\n?$`, `\bfoo\B`: `\bfoo\B`, `]a}`: `\]a\}`, `a{x}`: `a\{x\}`, "a\tb": `a\x{9}b`, `\Qa.\E`: `a\.`,
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
		`(?=a)`, `(?!a)`, `(?<=a)b`, `(?<!a)b`, `(?>a)`, `(a)\1`, `(?<n>a)\k<n>`, `a++`, `a*+`, `a{2}+`, `\R`,
		`a$b`, `(?:a|b$)c`, `$a`, `a$+`, `\K`, `\G`, `\07`, `[a-\d]`, `[\d-z]`, `a{1001}`, `a{,3}`,
		`(*UCP)a`, `(?|a|b)`, `(?R)`, `[a`, `(a`, `a)`, `\`, `*a`, `(?i`,
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
