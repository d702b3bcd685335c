package pcre

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/meter"
)

func fullBudget() *Budget { return budgetOf(1<<40, time.Minute) }

// What a call that compiles and matches has by default, in work and bytes.
const (
	workOfCall = 1_000_000_000
	keptOfCall = 64 << 20
)

// budgetOf returns a budget with so much work, and time for what backtracks.
func budgetOf(work int, backtracking time.Duration) *Budget {
	return &Budget{Meter: meter.New(work, keptOfCall), Backtracking: backtracking}
}

func workLeft(b *Budget) int {
	work, _ := b.Left()
	return work
}

// mustCompile compiles pattern or ends the test.
func mustCompile(t testing.TB, pattern string) *Regex {
	t.Helper()
	r, err := Compile(pattern, fullBudget())
	if err != nil {
		t.Fatalf("Compile(%q): %v", pattern, err)
	}
	return r
}

func TestMatch(t *testing.T) {
	for _, row := range slices.Concat(constructs, practical) {
		t.Run(row.pattern, func(t *testing.T) {
			r := mustCompile(t, row.pattern)
			var yes, no []string
			for _, subject := range slices.Concat(row.yes, row.no) {
				matched, err := r.Match(subject, fullBudget())
				switch {
				case err != nil:
					t.Errorf("match(%q): %v", subject, err)
				case matched:
					yes = append(yes, subject)
				default:
					no = append(no, subject)
				}
			}
			if diff := cmp.Diff([][]string{row.yes, row.no}, [][]string{yes, no}); diff != "" {
				t.Errorf("matching and not matching subjects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSubjectNotUTF8(t *testing.T) {
	for _, pattern := range []string{`a`, `a(?=b)`} {
		if _, err := mustCompile(t, pattern).Match("a\xffb", fullBudget()); !errors.Is(err, errNotUTF8) {
			t.Errorf("%s: error is %v, want %v", pattern, err, errNotUTF8)
		}
	}
}

func TestTimeSpent(t *testing.T) {
	bomb := mustCompile(t, `^(?=(?:a|aa)+$)`)
	subject := strings.Repeat("a", 100) + "b"
	b := budgetOf(workOfCall, 20*time.Millisecond)
	for range 1000 {
		if _, err := bomb.Match(subject, b); !errors.Is(err, errTime) {
			t.Fatalf("error is %v, want %v", err, errTime)
		}
		if b.Backtracking >= 20*time.Millisecond {
			t.Fatalf("time left is %v, no less than before", b.Backtracking)
		}
	}
	if _, err := mustCompile(t, `a(?=b)`).Match("ab", b); !errors.Is(err, errTime) {
		t.Errorf("of another regex, error is %v, want %v", err, errTime)
	}
	if matched, err := mustCompile(t, `a(?=b)`).Match("ab", fullBudget()); !matched || err != nil {
		t.Errorf("with another budget, match is %v, %v; want a match", matched, err)
	}
}

func TestStack(t *testing.T) {
	r := mustCompile(t, `^(?:(a)|b)*\1c`)
	if _, err := r.Match(strings.Repeat("ab", 1_000_000), fullBudget()); !errors.Is(err, errStack) {
		t.Errorf("error is %v, want %v", err, errStack)
	}
	// What nothing refers to is not remembered.
	r = mustCompile(t, `^(?!-)(?:[a-z0-9-]|\.)+$`)
	if matched, err := r.Match(strings.Repeat("ab", 500_000), fullBudget()); !matched || err != nil {
		t.Errorf("match is %v, %v; want a match", matched, err)
	}
}

func TestHugeTime(t *testing.T) {
	b := budgetOf(workOfCall, 1<<63-1)
	if matched, err := mustCompile(t, `a(?=b)`).Match("ab", b); !matched || err != nil {
		t.Errorf("match is %v, %v; want a match", matched, err)
	}
}

func TestConcurrently(t *testing.T) {
	bomb, linear := mustCompile(t, `^(?=(?:a|aa)+$)`), mustCompile(t, `^a+b$`)
	subject := strings.Repeat("a", 100) + "b"
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			spent := budgetOf(workOfCall, time.Duration(i)*time.Millisecond)
			if _, err := bomb.Match(subject, spent); !errors.Is(err, errTime) {
				t.Errorf("error is %v, want %v", err, errTime)
			}
			if matched, err := bomb.Match("aaa", fullBudget()); !matched || err != nil {
				t.Errorf("match is %v, %v; want a match", matched, err)
			}
			if matched, err := linear.Match(subject, spent); !matched || err != nil {
				t.Errorf("match is %v, %v; want a match", matched, err)
			}
		})
	}
	all.Wait()
}

func TestRefusals(t *testing.T) {
	repeat := strings.Repeat
	tests := []struct{ pattern, words string }{
		// what PCRE2 has and we have not
		{`a(?R)`, `character 2: "(?R" begins a recursion`},
		{`(a)(?1)`, `character 4: "(?" and a number`},
		{`(?-1)`, `subroutine`},
		{`(?+1)`, `subroutine`},
		{`(?&n)`, `subroutine`},
		{`(?P>n)`, `subroutine`},
		{`(a)\g<1>`, `subroutine`},
		{`(a)\g'1'`, `subroutine`},
		{`(*UTF)a`, `verbs`},
		{`a(*SKIP)`, `verbs`},
		{`(*pla:a)`, `verbs`},
		// where PCRE2's own optimizations decide
		{`a*(b)?+a`, `begins with an optional group`},
		{`a*(?>c?(?:b)*|x)a`, `begins with an optional group`},
		{`a*(?>x|(?:b)?)a`, `begins with an optional group`},
		{`a*(?>|b)a`, `an empty branch`},
		{`a*((?>(?:|b)))a`, `an empty branch`},
		{`\S+\h`, `write [ \t]`},
		{`\v*\S`, `write [ \t]`},
		{`.+\R`, `\R beside a quantifier`},
		{`\R?\s`, `\R beside a quantifier`},
		{`(?<=(?<!a)+)b`, `inside a lookbehind cannot be repeated`},
		{`(?C)`, `callout`},
		{`(?C1)`, `callout`},
		{`(a)?(?(1)b)`, `conditional`},
		{`(?|a)`, `branch reset`},
		{`(?*a)`, `non-atomic`},
		{`(?<*a)`, `non-atomic`},
		{`(?[a])`, `extended class`},
		{`a\Kb`, `character 2: "\K" is not supported`},
		{`\Ga`, `"\G" is not supported`},
		{`\C`, `"\C" is not supported`},
		{`\X`, `"\X" is not supported`},
		{`\N{U+41}`, `"\N" is not supported`},
		{`\N{name}`, `"\N" is not supported`},
		{`\N{,2}`, `differently`},
		{`\u0041`, `write \x{...}`},
		{`\Ua`, `"\U" is not supported`},
		{`\La`, `"\L" is not supported`},
		{`\la`, `"\l" is not supported`},
		{`\F`, `"\F" is not supported`},
		{`(?J)a`, `"J" is no option`},
		{`(?U)a`, `"U" is no option`},
		{`(?aD)a`, `"a" is no option`},
		{`(?<n>a)(?<n>b)`, `already a group with the name n`},
		{`\p{Greek}`, `"Greek" is no property`},
		{`\p{sc:Greek}`, `"sc:Greek" is no property`},
		{`\p{Alphabetic}`, `no property`},
		{`\p{Foo}`, `no property`},
		{`\p{ L}`, `no property`},
		{`\p`, `no property`},
		{`\p{L`, `no property`},
		{`\p^L`, `no property`},
		{`[\pq]`, `no property`},

		// what the versions of PCRE2 disagree about
		{`a{,3}`, `character 2: "{,3}" is read differently`},
		{`a{ 3}`, `differently`},
		{`a{3, }`, `differently`},
		{`{,3}`, `differently`},
		{`(?i)\p{Lu}`, `differently`},
		{`(?i)[\p{Ll}]`, `differently`},
		{`a{0}`, `repeats nothing`},
		{`(a){0,0}`, `repeats nothing`},
		{`[\W[:punct:]]`, `character 1: \W, \S, \D or [:^...:] together`},
		{`[[:^alpha:][:digit:]]`, `together`},
		{`[^\D\p{L}]`, `together`},
		{`(?<=a*)b`, `fixed length`},
		{`(?<=a|b+)c`, `fixed length`},
		{`(?<=(a|bc))d`, `fixed length`},
		{`(?<=a?)b`, `fixed length`},
		{`(?<!\R)b`, `fixed length`},
		{`(a)(?<=\1)b`, `fixed length`},
		{`(?<=(?:a*)b)c`, `fixed length`},
		{`(?<=(?:a{65535}){2})b`, `fixed length`},
		{`(?<=a{65535}b)c`, `fixed length`},

		// what the engines might do in another order
		{`(a)\2(b)`, `must refer to a group that stands before it`},
		{`(\1a)`, `inside the group`},
		{`(a\g{-1})`, `inside the group`},
		{`(a)(?<=(?=\1)b)`, `back-reference inside a lookbehind`},
		{`(?<=(a))\1`, `to a group inside a lookbehind`},
		{`(?>(?:a?){2})`, `can be empty`},
		{`(a?){1,3}\1`, `can be empty`},
		{`(?=((?:|a){0,2}b))\1`, `can be empty`},
		{`(?=a)++`, `cannot be possessive`},

		// back-references that lead nowhere
		{`\1`, `no such group`},
		{`\8`, `no such group`},
		{`\81`, `no such group`},
		{`(a)\g2`, `no such group`},
		{`(a)\g0`, `no such group`},
		{`(a)\g{-2}`, `no such group`},
		{`(a)\g99999999999999999999`, `no such group`},
		{`(a)\g{+1}(b)`, `behind "\g"`},
		{`(a)\gn`, `behind "\g"`},
		{`(a)\g{`, `behind "\g"`},
		{`(a)\g{n}`, `behind "\g"`},
		{`(a)\g`, `behind "\g"`},
		{`(a)\k<n>`, `no such group`},
		{`(a)\k`, `behind "\k"`},
		{`(a)\k<1>`, `name consists of`},
		{`(?P=n)`, `no such group`},
		{`(?P=n`, `name consists of`},

		// what PCRE2 refuses, too
		{`a**`, `character 3: there is nothing for this quantifier to repeat: write "\*"`},
		{`*a`, `nothing for this quantifier`},
		{`(+)`, `nothing for this quantifier`},
		{`a|?`, `nothing for this quantifier`},
		{`{2}`, `nothing for this quantifier`},
		{`a{2}{3}`, `nothing for this quantifier`},
		{`(?i)*`, `nothing for this quantifier`},
		{`(?x)a+ +`, `nothing for this quantifier`},
		{`^*`, `anchor`},
		{`\b+`, `anchor`},
		{`a{3,2}`, `out of order: write {2,3}`},
		{`a{65536}`, `more than 65535`},
		{`a{1,65536}`, `more than 65535`},
		{`(a`, `character 1: this "(" has no ")"`},
		{`a)`, `character 2: this ")" closes nothing`},
		{`(?`, `has no ")"`},
		{`(?i`, `has no ")"`},
		{`(?-`, `has no ")"`},
		{`(?i:a`, `has no ")"`},
		{`(?=a`, `has no ")"`},
		{`(?<=a`, `has no ")"`},
		{`(?#a`, `comment has no ")"`},
		{`a(?#b`, `comment has no ")"`},
		{`(?^-i)a`, `"-" is no option`},
		{`(?i-s-m)a`, `"-" is no option`},
		{`(?~a)`, `"~" is no option`},
		{`(?P?)`, `"P" is no option`},
		{`(?<1a>b)`, `name consists of`},
		{`(?<n-a>b)`, `name consists of`},
		{`(?<é>b)`, `name consists of`},
		{`(?'n>b)`, `name consists of`},
		{`(?<` + repeat("n", 33) + `>b)`, `name consists of at most 32`},
		{`[a`, `character 1: this "[" has no "]"`},
		{`[`, `this "[" has no "]"`},
		{`[a-`, `this "[" has no "]"`},
		{`[]`, `this "[" has no "]"`},
		{`[\Qa]`, `this "[" has no "]"`},
		{`[z-a]`, `out of order`},
		{`[\w-.]`, `character 2: a class cannot begin a range: write "\-"`},
		{`[[:alpha:]-z]`, `cannot begin a range`},
		{`[a-\d]`, `cannot end a range`},
		{`[a-[:digit:]]`, `cannot end a range`},
		{`[[:foo:]]`, `no such POSIX class`},
		{`[[:<:]]`, `no such POSIX class`},
		{`[[.a.]]`, `no such POSIX class`},
		{`[[=a=]]`, `no such POSIX class`},
		{`[[:\]:]]`, `no such POSIX class`},
		{`[[:a\:]]`, `no such POSIX class`},
		{`[a-[:foo:]]`, `no such POSIX class`},
		{`[:alpha:]`, `write [[:alpha:]]`},
		{`[.a.]`, `inside a class`},
		{`[\R]`, `"\R"`},
		{`[\B]`, `"\B"`},
		{`[\8]`, `"\8"`},
		{`[\N]`, `"\N"`},
		{`[a-\y]`, `"\y"`},
		{`[\`, `at the end escapes nothing`},
		{`\`, `at the end escapes nothing`},
		{`a\`, `character 2: a "\" at the end`},
		{`\y`, `"\y" is no escape of PCRE2`},
		{`\i`, `"\i" is no escape`},
		{`\c`, `printable ASCII`},
		{`\cé`, `printable ASCII`},
		{`\x`, `hexadecimal digits`},
		{`\xg`, `hexadecimal digits`},
		{`\x{}`, `code point`},
		{`\x{g}`, `code point`},
		{`\x{41`, `code point`},
		{`\x{110000}`, `code point`},
		{`\x{d800}`, `code point`},
		{`\x{fffffffffffffffff}`, `code point`},
		{`\o`, `code point`},
		{`\o{8}`, `code point`},

		// bounds
		{"a\xff", `not valid UTF-8`},
		{repeat("a", 4097), `4097 bytes`},
		{repeat("(", 101) + repeat(")", 101), `nested deeper than 100`},
		{repeat("(?:", 101) + repeat(")", 101), `nested deeper than 100`},
		{`(?:a{1000}){1000}(?:b{65535}c){65535}`, `more than 10000 parts`},
		{repeat(`(?:`, 50) + `a` + repeat(`b){65535}`, 50), `more than 10000 parts`},
		{repeat(`\b`, 1500) + `(?=a)`, `more than 10000 parts`},
		{`(?:ab){2499}(?=c)cc`, `more than 10000 parts`},
		{repeat(`\pL`, 100), `ranges`},
		{`[` + repeat(`\pL`, 100) + `]`, `ranges`},
		{`[` + repeat(`\H`, 1000) + `a]`, `more than 10000 ranges`},
		{repeat(`(?i)[\x{0}-\x{ffff}]`, 100), `ranges`},
	}
	for _, test := range tests {
		r, err := Compile(test.pattern, fullBudget())
		if err == nil {
			t.Errorf("%s compiled to %+v", test.pattern, r)
			continue
		}
		if !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s\n got: %v\nwant: %s", test.pattern, err, test.words)
		}
	}
}

func TestBounds(t *testing.T) {
	repeat := strings.Repeat
	for _, pattern := range []string{
		repeat("a", 4096),
		repeat("(", 100) + repeat(")", 100),
		repeat("a{900}", 10),
		"(?=" + repeat("a{65535}", 500) + ")",
		repeat(`\pL`, 12),
		"[" + repeat(`\H`, 1000) + "]",
		"(?i)" + repeat("[a-z]", 300),
		"(?:ab){2499}(?=c)c",
		"(?<=a{65535})b",
		"(?<=a{65534}b)c",
		"(?<" + repeat("n", 32) + ">a)",
		repeat("{", 4096),
		repeat("[[:", 1000) + "]",
		repeat("a?", 2000) + "(?=b)",
		repeat("(?>a|b)", 500),
	} {
		mustCompile(t, pattern)
	}
}

func TestEngine(t *testing.T) {
	tests := []struct {
		pattern string
		linear  bool
	}{
		{`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, true},
		{`(a$|b\Z)`, true},
		{`(?:a$)?`, true},
		{`a++`, false},
		{`a$\n`, false},
		{`(a$)+`, false},
		{`(?m)^a`, true},
		{`(?m)^(a|b)?c$`, true},
		{`(?m)^`, false},
		{`(?m)^a?`, false},
		{`\ba\B`, true},
		{`(?i)[[:alpha:]]k`, true},
		{`(a)(?<n>b)`, true},
		{`(a)\1`, false},
		{`a(?=b)`, false},
		{`(?<!a)b`, false},
		{`(?>a)`, false},
		{`\R`, false},
		{`^.{1,1000}$`, true},
		{`^.{1,1001}$`, false},
		{`(?:a{30}){30}`, true},
		{`(?:a{40}){40}`, false},
		{`a{1000}a{1000}a{1000}a{1000}a{999}b`, true},
		{`a{1000}a{1000}a{1000}a{1000}a{999}bc`, false},
		{`^(?:[a-z]{1,900}[0-9]{1,900}){1,1}[a-z]{0,900}[0-9]{0,900}[a-z]{0,900}[0-9]{0,900}$`, false},
	}
	for _, test := range tests {
		r := mustCompile(t, test.pattern)
		if linear := r.linear != nil; linear != test.linear || linear == (r.backtracking != nil) {
			t.Errorf("%s: linear is %v, want %v", test.pattern, linear, test.linear)
		}
	}
}

func TestWork(t *testing.T) {
	r := mustCompile(t, `^(?:a+)+$`)
	subject := strings.Repeat("a", 10_000) + "b"
	b := budgetOf(workOfCall, 0)
	for range 1000 {
		if matched, err := r.Match(subject, b); matched || err != nil {
			t.Fatalf("match is %v, %v; want no match", matched, err)
		}
	}
	if left := workLeft(b); left <= 0 || left >= workOfCall {
		t.Errorf("work left is %d of %d", left, workOfCall)
	}
}

func TestWorkSpent(t *testing.T) {
	r := mustCompile(t, strings.Repeat("a*", 2000)+"b")
	b := budgetOf(workOfCall, 0)
	if _, err := r.Match(strings.Repeat("a", 1<<20), b); !errors.Is(err, meter.ErrWork) {
		t.Errorf("error is %v, want %v", err, meter.ErrWork)
	}
	if _, err := r.Match("", b); !errors.Is(err, meter.ErrWork) {
		t.Errorf("then, error is %v, want %v", err, meter.ErrWork)
	}
	b = budgetOf(matchCallWork+20*matchByteWork+32*matchStepWork, 0)
	if matched, err := mustCompile(t, `a`).Match(strings.Repeat("a", 20), b); !matched || err != nil || workLeft(b) != 0 {
		t.Errorf("with just enough, match is %v, %v, and %d is left; want a match and nothing left", matched, err, workLeft(b))
	}
}

// What people write costs little: it is anchored, and a count that a subject is
// too short for is not reached.
func TestWorkOfLengths(t *testing.T) {
	tests := []struct {
		pattern string
		length  int
		work    int
	}{
		{`a`, 0, 1},
		{`a`, 1, 2},
		{`a`, 20, 32},
		{`^a$`, 20, 66},
		{`^(ab|cd)e`, 20, 73},
		{`ab`, 3, 11},
		{`a^b`, 20, 95},
		{`^a{3}$`, 20, 69},
		{`^.{1,253}$`, 20, 256},
		{`^.{1,253}$`, 253, 2038},
		{`^a*$`, 31, 129},
		{`(?:a?){5}`, 0, 16},
		{`\pL`, 20, 64},
		{`a\pL`, 20, 126},
		{`[acegikmo]`, 20, 32},
		{`[acegikmoq]`, 20, 64},
		{`a{249}b`, 0, 3},
		{`a{249}bc`, 0, 6},
		{`a`, 1<<17 - 1, 1 << 17},
		{`a`, 1 << 17, 2 << 17},
		{`(?:aa){300}`, 1023, 2 * 870_724},
	}
	for _, test := range tests {
		r := mustCompile(t, test.pattern)
		if work := r.work.of(test.length, r.parts); work != test.work {
			t.Errorf("work of %s on %d characters is %d, want %d", test.pattern, test.length, work, test.work)
		}
	}
}

// TestManyValues: the matches of 100 patterns on 10,000 short values each are
// within what a call has.
func TestManyValues(t *testing.T) {
	const matches = 100 * 10_000
	for pattern, subject := range map[string]string{
		`^(virtio|sata|scsi)$`: "virtio", `^[a-z0-9-]{1,63}$`: "my-vm-name-1", `^[a-z]+`: "rhel9.4", `[a-z]$`: "rhel9.4", `^\d+Gi$`: "16Gi", `^\pL+$`: "größe",
	} {
		if price := mustCompile(t, pattern).price(len(subject)); price*matches > workOfCall {
			t.Errorf("a match of %s costs %d", pattern, price)
		}
	}
}

// No message may leave people alone with a term of the implementation.
var engineTerms = regexp.MustCompile(`(?i)regexp|\bRE2|\.NET|error parsing|defect`)

func FuzzMatch(f *testing.F) {
	for _, row := range slices.Concat(constructs, practical) {
		for _, subject := range slices.Concat(row.yes, row.no) {
			f.Add(row.pattern, subject)
		}
	}
	f.Add(`^(?=(?:a|aa)+$)`, strings.Repeat("a", 100)+"b")
	f.Add("a\xff", "\xff")
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		r, err := Compile(pattern, fullBudget())
		if err != nil {
			if errors.Is(err, errEngine) || engineTerms.MatchString(strings.ReplaceAll(err.Error(), pattern, "")) {
				t.Errorf("Compile(%q): %v", pattern, err)
			}
			return
		}
		budget := func() *Budget { return budgetOf(workOfCall/100, 50*time.Millisecond) }
		matched, err := r.Match(subject, budget())
		if errors.Is(err, errNotUTF8) == utf8.ValidString(subject) {
			t.Errorf("match(%q): %v", subject, err)
		}
		again, errAgain := r.Match(subject, budget())
		if err == nil && errAgain == nil && matched != again {
			t.Errorf("%q on %q is %v, then %v", pattern, subject, matched, again)
		}
	})
}
