package pcre

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmrules/vmrules/internal/racetest"
)

// mustCompileProgram returns the program of a pattern, whatever engine Compile would use.
func mustCompileProgram(t testing.TB, pattern string) *program {
	t.Helper()
	tree, err := Parse(pattern, fullBudget())
	if err != nil {
		t.Fatalf("Parse(%q): %v", pattern, err)
	}
	p, err := compileProgram(tree.root, fullBudget())
	if err != nil {
		t.Fatalf("compileProgram(%q): %v", pattern, err)
	}
	return p
}

// remembering returns a machine that keeps at once what it has tried.
func remembering(p *program, subject string) *machine {
	m := p.machine(subject, time.Minute)
	m.remember()
	return m
}

func TestMachine(t *testing.T) {
	for _, row := range slices.Concat(constructs, practical, forMachine) {
		t.Run(row.pattern, func(t *testing.T) {
			p := mustCompileProgram(t, row.pattern)
			row.check(t, func(subject string) (bool, error) { return p.match(subject, time.Minute) })
			row.check(t, func(subject string) (bool, error) { return remembering(p, subject).search() })
		})
	}
}

// forMachine has what can go wrong in the machine and nowhere else.
var forMachine = []example{
	// a run gives back, or takes more, one character at a time, of any width
	{`^.*é.{2}$`, []string{"éaa", "xéééé"}, []string{"éa"}},
	{`^.*?é.{2}$`, []string{"éaa", "xéééé"}, []string{"éa"}},
	{`^.{2,3}😀`, []string{"aa😀", "a😀a😀"}, []string{"a😀", "aaaa😀"}},
	{`^.{2,3}?😀`, []string{"aa😀", "a😀a😀"}, []string{"a😀", "aaaa😀"}},
	{`^a{2}?a$`, []string{"aaa"}, []string{"aa", "aaaa"}},
	{`^(?:a|b|[c-e]){2,3}e$`, []string{"abe", "abee", "eee"}, []string{"ae", "abcde"}},
	// a repeat of something empty ends
	{`^(?:a?)*b$`, []string{"b", "aab"}, []string{"a"}},
	{`^(?:a?)*?b$`, []string{"b", "aab"}, []string{"a"}},
	{`^(?:|a)+b$`, []string{"b", "aab"}, []string{"a"}},
	{`^(?:(?:|a)*|b)*c$`, []string{"c", "abac"}, []string{"ab"}},
	{`^(?:|a){2,4}b$`, []string{"b", "aaaab"}, []string{"aaaaab"}},
	// what a group captured is as it was, if the way there fails
	{`^(?:(a)b|ac)\1`, []string{"aba"}, []string{"aca", "ac"}},
	{`^(?:(a|ab)c?)+\1$`, []string{"aa", "abab", "aabab"}, []string{"aab"}},
	{`^(a)?(?:(?=(b))c|\1b)$`, []string{"aab"}, []string{"ab", "bb"}},
	{`^(?!(a)b)(?:a|\1)c`, []string{"ac"}, []string{"abc"}},
	{`^(?=(a+))a*b\1$`, []string{"aba"}, []string{"aab", "bab"}},
	{`^(?>(a+)|b)\1$`, nil, []string{"aa", "b"}},
	{`^(?>(a)|ab)+\1b$`, []string{"aab"}, []string{"ab"}},
	{`(?i)^(k)\1$`, []string{"kK", "\u212ak"}, []string{"ka"}},
	{`^(é|éé)\1é$`, []string{"ééé"}, []string{"éé"}},
	// lookbehinds count characters, not bytes
	{`(?<=é)b`, []string{"éb"}, []string{"b", "eb"}},
	{`(?<=a|éé)b`, []string{"ab", "ééb"}, []string{"éb"}},
	{`(?<!éé)b`, []string{"éb", "b"}, []string{"ééb"}},
	{`(?<=(?=ab)a)b`, []string{"ab"}, []string{"b"}},
}

func TestMachineStops(t *testing.T) {
	racetest.SkipLong(t)
	bomb := mustCompileProgram(t, `^(?=(?:a|aa)+$)`)
	subject := strings.Repeat("a", 100) + "b"
	if _, err := bomb.match(subject, 20*time.Millisecond); !errors.Is(err, errTime) {
		t.Errorf("error is %v, want %v", err, errTime)
	}
	if matched, err := bomb.match("aaa", time.Minute); !matched || err != nil {
		t.Errorf("match is %v, %v; want a match", matched, err)
	}
	long := strings.Repeat("ab", maxStack)
	if _, err := mustCompileProgram(t, `^(?:(a)|b)*\1c`).match(long, time.Minute); !errors.Is(err, errStack) {
		t.Errorf("error is %v, want %v", err, errStack)
	}
	for _, pattern := range []string{`^(?!-)(?:[a-z0-9-]|\.)+$`, `^(?:ab)*?$`, `(?<=(?>ab)ab)$`} {
		if matched, err := mustCompileProgram(t, pattern).match(long, time.Minute); !matched || err != nil {
			t.Errorf("%s: match is %v, %v; want a match", pattern, matched, err)
		}
	}
}

// TestMachineRemembers: what the machine has tried in vain outside of a lookaround, it does not try again.
func TestMachineRemembers(t *testing.T) {
	row := example{"", []string{strings.Repeat("a", 60) + "-ok"}, []string{strings.Repeat("a", 60) + "_"}}
	for _, row.pattern = range []string{
		`^(?!x)([a-z]*)*$|-ok$`, `^(?!x)(?:a?){25}$|-ok$`, `^(?!x)(?:[a-z]*?){6}$|-ok$`, `^(?!-)([a-z0-9-]+)+$`, `^(?!-)(?:[a-z0-9-]+?|)*$`,
		`^(?!-)(?:(?>a)|a|aa)+-ok$`, `(?=a)(?:(?:a|aa)+|b)*-ok$`,
	} {
		row.check(t, func(subject string) (bool, error) {
			return mustCompileProgram(t, row.pattern).match(subject, time.Minute)
		})
	}
}

// TestMachineWithoutClock: the machine stops although the clock stands still.
func TestMachineWithoutClock(t *testing.T) {
	m := mustCompileProgram(t, `^(?=(?:a|aa)+$)`).machine(strings.Repeat("a", 100)+"b", time.Hour)
	m.looks = 3
	if _, err := m.search(); !errors.Is(err, errSteps) {
		t.Errorf("error is %v, want %v", err, errSteps)
	}
}

// FuzzMachine compares the machine with the engine that Compile uses.
func FuzzMachine(f *testing.F) {
	for _, row := range slices.Concat(constructs, practical, forMachine) {
		for _, subject := range slices.Concat(row.yes, row.no) {
			f.Add(row.pattern, subject)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		r, err := Compile(pattern, fullBudget())
		if err != nil {
			return
		}
		want, err := r.Match(subject, budgetOf(workOfCall/100, 50*time.Millisecond))
		if err != nil {
			return
		}
		p := mustCompileProgram(t, pattern)
		got, err := p.match(subject, 50*time.Millisecond)
		if err == nil && got != want {
			t.Errorf("%q on %q: the machine says %v, the engine %v", pattern, subject, got, want)
		}
		if got, err = remembering(p, subject).search(); err == nil && got != want {
			t.Errorf("%q on %q: the machine that remembers says %v, the engine %v", pattern, subject, got, want)
		}
	})
}
