package pcre

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/seeds"
)

// costOf measures how many bytes compiling a pattern allocates and keeps, and how much is
// charged for it. No other goroutine may allocate meanwhile.
func costOf(pattern string) (allocated, kept, work, charged int, err error) {
	if _, err := Compile(pattern, fullBudget()); err != nil { // and makes what is made once
		return 0, 0, 0, 0, err
	}
	var before, compiled, after runtime.MemStats
	b := fullBudget()
	workBefore, keptBefore := b.Left()
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := Compile(pattern, b)
	runtime.ReadMemStats(&compiled)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(r)
	workAfter, keptAfter := b.Left()
	return int(compiled.TotalAlloc - before.TotalAlloc), int(after.HeapAlloc) - int(before.HeapAlloc),
		workBefore - workAfter, keptBefore - keptAfter, err
}

// strayBytes is how much the runtime may allocate while a pattern is compiled.
const strayBytes = 16 << 10

func checkCost(t *testing.T, pattern string) (ratio float64) {
	t.Helper()
	allocated, kept, work, charged, err := costOf(pattern)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	if work < allocated-strayBytes || charged < kept-strayBytes {
		t.Errorf("%s\nallocates %d bytes and keeps %d, but %d and %d are charged", pattern, allocated, kept, work, charged)
	}
	return float64(max(work, charged)) / float64(allocated)
}

// ordinary has typical patterns for both engines.
var ordinary = []string{
	`^[a-z0-9-]{1,63}$`, `^(virtio|sata|scsi)$`, `^([0-9a-f]{2}:){5}[0-9a-f]{2}$`, `^\pL+$`, `^\p{Lu}[\p{Ll}\p{Mn}' -]+$`,
	`^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$`, `^[[:xdigit:]]{8}(?:-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}$`,
	`^(?i:windows|rhel|fedora|ubuntu)[-_]?\d{1,2}(\.\d+)*$`, `^pc-(?:q35|i440fx)-\d+\.\d+$`, `\.(?:img|iso|qcow2|raw)(?:\.(?:gz|xz))?$`,
	`^(?!-)[a-z0-9-]+(?<!-)$`, `^(?=.*\d)(?=.*[a-z])[^\s]{8,64}$`, `^(["']?)[\w.]+\1$`, `\bcpu\b.*\bcores\b(?!:)`, `^(?>[^,]+,)*[^,]+$`,
}

// strange has patterns that cost much, or whose cost is hard to estimate.
var strange = []string{
	`^(?:\pN){800}$`, `(?:\PL){700}`, `^\p{L&}{1,90}x$`, `(?i)[\x{100}-\x{FFFFF}]{300}`, `(?=\pP)\pS`, `^(?!\pL\pN)[^\pZ]`,
	`^(?:` + distinctWords(400) + `)*$`, `^(?:` + distinctWords(300) + `)$`, `(?=` + distinctWords(300) + `)`,
	`(?:` + distinctWords(400) + `){3}`,
	`^` + strings.Repeat(`\w?-`,
		300), `^` + distinctOptions(400) + `$`, `(?>` + distinctOptions(500) + `)`, `((b{25}c?){25}){1}`, `^(?:(?:x?y?){20}z){20}$`,
	strings.Repeat(`(?:x|`,
		90) + `y` + strings.Repeat(`)`,
		90), strings.Repeat(`(?:x?`, 90) + strings.Repeat(`)*`, 90), strings.Repeat(`(?>x?`, 90) + strings.Repeat(`)`, 90),
	strings.Repeat(`(?=\d)`,
		600), strings.Repeat(`\B`,
		800) + `(?!z)`, strings.Repeat(`(?i)ſk`, 500), strings.Repeat(`[^\W\d]`, 500), strings.Repeat(`\x{1F600}`, 400),
	`[` + distinctCharacters(1200) + `]{50}`, `(?![` + distinctCharacters(900) + `])`, `^[^` + distinctCharacters(1000) + `]+$`,
	strings.Repeat(`^|$|`,
		800) + `a`,
	strings.Repeat(`(?=a`,
		20) + `(?:` + distinctWords(150) + `)` + strings.Repeat(`)`,
		20), strings.Repeat(`(?>[ab]*`, 20) + `(?:` + distinctWords(100) + `)` + strings.Repeat(`)`, 20),
	`((?:` + distinctWords(300) + `)+)\1`, `(?>` + distinctLoops(300) + `)`, strings.Repeat(`(?=`,
		20) + distinctLoops(150) + strings.Repeat(`)`, 20), `(?=` + strings.Repeat(`[\pL1]*[\pN_]*`, 7) + `)`,
	strings.Repeat(`(a)`,
		600) + `\1`, strings.Repeat(`(a)\1`,
		300), strings.Repeat(`[[:^punct:]]`, 300), `[` + strings.Repeat(`[:^punct:]`, 400) + `]`, strings.Repeat(`(?m:^a$)`, 400),
}

// distinctCharacters returns n characters with gaps between them.
func distinctCharacters(n int) string {
	var all strings.Builder
	for i := range n {
		all.WriteRune(rune(0x400 + 2*i))
	}
	return all.String()
}

func distinctWords(n int) string {
	var words []string
	for i, c := range []rune(distinctCharacters(n)) {
		words = append(words, fmt.Sprintf("%c%d", c, i%10))
	}
	return strings.Join(words, "|")
}

func distinctOptions(n int) string {
	return strings.Join(strings.Split(distinctCharacters(n), ""), "?") + "?"
}

func distinctLoops(n int) string {
	var all strings.Builder
	for _, c := range distinctCharacters(n) {
		fmt.Fprintf(&all, "[%c%c]*", c, c+1)
	}
	return all.String()
}

func TestCost(t *testing.T) {
	racetest.SkipLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const mostOverOrdinary = 20
	for _, pattern := range ordinary {
		if ratio := checkCost(t, pattern); ratio > mostOverOrdinary {
			t.Errorf("%s is charged %.0f times what it allocates", pattern, ratio)
		}
	}
	for _, pattern := range strange {
		checkCost(t, pattern)
	}
}

// A costGen generates patterns, regardless of what they match.
type costGen struct{ *rand.Rand }

func (g costGen) pattern(depth int) string {
	var text strings.Builder
	for range 1 + g.IntN(4) {
		text.WriteString(g.item(depth))
		if g.IntN(3) == 0 {
			text.WriteString(g.pick("*", "+", "?", "*?", fmt.Sprintf("{%d}", 1+g.IntN(40)), fmt.Sprintf("{%d,}", g.IntN(20)),
				fmt.Sprintf("{%d,%d}", g.IntN(9), 9+g.IntN(50))))
		}
	}
	return text.String()
}

func (g costGen) item(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.pick("a", "b", "é", "K", ".", `\d`, `\w`, `\W`, `\pL`, `\PN`, `\p{Lu}`, "[a-f]", "[^a-z]", "[b-d0-9_]", `[^\pL,]`,
			`[\x{400}-\x{4FF}]`)
	}
	inner := g.pattern(depth - 1)
	switch g.IntN(10) {
	case 0:
		return "(?=" + inner + ")"
	case 1:
		return "(?>" + inner + ")"
	case 2:
		return "(?i:" + inner + ")"
	case 3, 4:
		return "(" + inner + "|" + g.pattern(depth-1) + "|" + g.pattern(depth-1) + ")"
	case 5:
		return "(?:" + inner + "|)"
	}
	return "(?:" + inner + ")"
}

func (g costGen) pick(from ...string) string { return from[g.IntN(len(from))] }

func TestCostOfGenerated(t *testing.T) {
	racetest.SkipLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	compiled := 0
	for n := range uint64(150) {
		g := costGen{rand.New(rand.NewPCG(seeds.Of(7), n))}
		pattern := g.pick("", "^", "^") + g.pattern(1+g.IntN(4)) + g.pick("", "$", `\z`)
		if _, err := Compile(pattern, fullBudget()); err != nil {
			continue
		}
		compiled++
		checkCost(t, pattern)
	}
	if compiled < 80 {
		t.Errorf("only %d patterns compile", compiled)
	}
}

// TestThousandPatterns: the default budget is enough for 1,000 rules with any one of the
// practical patterns, and for the other parts of the rules.
func TestThousandPatterns(t *testing.T) {
	racetest.SkipLong(t)
	patterns := slices.Clone(ordinary)
	for _, row := range practical {
		patterns = append(patterns, row.pattern)
	}
	const restOfRule, restKept = 50_000, 5_000
	for _, pattern := range patterns {
		b := fullBudget()
		workBefore, keptBefore := b.Left()
		if _, err := Compile(pattern, b); err != nil {
			t.Fatal(err)
		}
		work, kept := b.Left()
		if work, kept = workBefore-work+restOfRule, keptBefore-kept+restKept; 1_000*work > workOfCall || 1_000*kept > keptOfCall {
			t.Errorf("%s takes %d units of work and %d bytes, of which 1,000 rules cannot be read", pattern, work, kept)
		}
	}
}

// TestBeyondBudget: work beyond the budget is refused before it is done.
func TestBeyondBudget(t *testing.T) {
	racetest.SkipLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, pattern := range slices.Concat(ordinary, strange) {
		b := fullBudget()
		before, _ := b.Left()
		if _, err := Compile(pattern, b); err != nil {
			t.Fatal(err)
		}
		after, _ := b.Left()
		for _, share := range []int{3} {
			small := budgetOf((before-after)/share, 0)
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			_, err := Compile(pattern, small)
			runtime.ReadMemStats(&end)
			if !errors.Is(err, meter.ErrWork) {
				t.Errorf("%s with a part of what it needs: %v", pattern, err)
			}
			if allocated := int(end.TotalAlloc - start.TotalAlloc); allocated > (before-after)/share+strayBytes {
				t.Errorf("%s allocates %d bytes, and may spend %d", pattern, allocated, (before-after)/share)
			}
		}
	}
}

// TestReadingIsCharged: each byte of a pattern is paid for before any is read.
func TestReadingIsCharged(t *testing.T) {
	pattern := strings.Repeat("a", 1000)
	if _, err := Parse(pattern, budgetOf(len(pattern)*patternByteWork-1, 0)); !errors.Is(err, meter.ErrWork) {
		t.Errorf("error is %v, want %v", err, meter.ErrWork)
	}
}
