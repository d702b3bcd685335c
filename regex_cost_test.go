package vmrules

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
)

// regexCostOf measures what compiling a pattern allocates and keeps, in bytes, and
// what is charged for it. It needs to run alone.
func regexCostOf(pattern string) (allocated, kept, work, charged int, err error) {
	if _, err := compileRegex(pattern, fullBudget()); err != nil { // and makes what is made once
		return 0, 0, 0, 0, err
	}
	var before, compiled, after runtime.MemStats
	b := fullBudget()
	workBefore, keptBefore := b.Left()
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := compileRegex(pattern, b)
	runtime.ReadMemStats(&compiled)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(r)
	workAfter, keptAfter := b.Left()
	return int(compiled.TotalAlloc - before.TotalAlloc), int(after.HeapAlloc) - int(before.HeapAlloc),
		workBefore - workAfter, keptBefore - keptAfter, err
}

// strayBytes is what else may be allocated while a pattern is compiled.
const strayBytes = 16 << 10

func checkRegexCost(t *testing.T, pattern string) (ratio float64) {
	t.Helper()
	allocated, kept, work, charged, err := regexCostOf(pattern)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	if work < allocated-strayBytes || charged < kept-strayBytes {
		t.Errorf("%s\nallocates %d bytes and keeps %d, but %d and %d are charged", pattern, allocated, kept, work, charged)
	}
	return float64(max(work, charged)) / float64(allocated)
}

// ordinaryRegexes are patterns as people write them, for both engines.
var ordinaryRegexes = []string{
	`^[a-z0-9-]{1,63}$`, `^(virtio|sata|scsi)$`, `^([0-9a-f]{2}:){5}[0-9a-f]{2}$`, `^\pL+$`, `^\p{Lu}[\p{Ll}\p{Mn}' -]+$`,
	`^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$`, `^[[:xdigit:]]{8}(?:-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}$`,
	`^(?i:windows|rhel|fedora|ubuntu)[-_]?\d{1,2}(\.\d+)*$`, `^pc-(?:q35|i440fx)-\d+\.\d+$`, `\.(?:img|iso|qcow2|raw)(?:\.(?:gz|xz))?$`,
	`^(?!-)[a-z0-9-]+(?<!-)$`, `^(?=.*\d)(?=.*[a-z])[^\s]{8,64}$`, `^(["']?)[\w.]+\1$`, `\bcpu\b.*\bcores\b(?!:)`, `^(?>[^,]+,)*[^,]+$`,
}

// strangeRegexes are patterns that cost much, or that an estimate may get wrong.
var strangeRegexes = []string{
	`^(?:\pN){800}$`, `(?:\PL){700}`, `^\p{L&}{1,90}x$`, `(?i)[\x{100}-\x{FFFFF}]{300}`, `(?=\pP)\pS`, `^(?!\pL\pN)[^\pZ]`,
	`^(?:` + distinctWords(400) + `)*$`, `^(?:` + distinctWords(300) + `)$`, `(?=` + distinctWords(300) + `)`, `(?:` + distinctWords(400) + `){3}`,
	`^` + strings.Repeat(`\w?-`, 300), `^` + distinctOptions(400) + `$`, `(?>` + distinctOptions(500) + `)`, `((b{25}c?){25}){1}`, `^(?:(?:x?y?){20}z){20}$`,
	strings.Repeat(`(?:x|`, 90) + `y` + strings.Repeat(`)`, 90), strings.Repeat(`(?:x?`, 90) + strings.Repeat(`)*`, 90), strings.Repeat(`(?>x?`, 90) + strings.Repeat(`)`, 90),
	strings.Repeat(`(?=\d)`, 600), strings.Repeat(`\B`, 800) + `(?!z)`, strings.Repeat(`(?i)ſk`, 500), strings.Repeat(`[^\W\d]`, 500), strings.Repeat(`\x{1F600}`, 400),
	`[` + distinctCharacters(1200) + `]{50}`, `(?![` + distinctCharacters(900) + `])`, `^[^` + distinctCharacters(1000) + `]+$`, strings.Repeat(`^|$|`, 800) + `a`,
	strings.Repeat(`(?=a`, 20) + `(?:` + distinctWords(150) + `)` + strings.Repeat(`)`, 20), strings.Repeat(`(?>[ab]*`, 20) + `(?:` + distinctWords(100) + `)` + strings.Repeat(`)`, 20),
	`((?:` + distinctWords(300) + `)+)\1`, `(?>` + distinctLoops(300) + `)`, strings.Repeat(`(?=`, 20) + distinctLoops(150) + strings.Repeat(`)`, 20), `(?=` + strings.Repeat(`[\pL1]*[\pN_]*`, 7) + `)`,
	strings.Repeat(`(a)`, 600) + `\1`, strings.Repeat(`(a)\1`, 300), strings.Repeat(`[[:^punct:]]`, 300), `[` + strings.Repeat(`[:^punct:]`, 400) + `]`, strings.Repeat(`(?m:^a$)`, 400),
}

// distinctCharacters are so many, with gaps between them.
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

func TestRegexCost(t *testing.T) {
	takesLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const mostOverOrdinary = 20
	for _, pattern := range ordinaryRegexes {
		if ratio := checkRegexCost(t, pattern); ratio > mostOverOrdinary {
			t.Errorf("%s is charged %.0f times what it allocates", pattern, ratio)
		}
	}
	for _, pattern := range strangeRegexes {
		checkRegexCost(t, pattern)
	}
}

// A costGen generates patterns without regard to what they match.
type costGen struct{ *rand.Rand }

func (g costGen) pattern(depth int) string {
	var text strings.Builder
	for range 1 + g.IntN(4) {
		text.WriteString(g.item(depth))
		if g.IntN(3) == 0 {
			text.WriteString(g.pick("*", "+", "?", "*?", fmt.Sprintf("{%d}", 1+g.IntN(40)), fmt.Sprintf("{%d,}", g.IntN(20)), fmt.Sprintf("{%d,%d}", g.IntN(9), 9+g.IntN(50))))
		}
	}
	return text.String()
}

func (g costGen) item(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.pick("a", "b", "é", "K", ".", `\d`, `\w`, `\W`, `\pL`, `\PN`, `\p{Lu}`, "[a-f]", "[^a-z]", "[b-d0-9_]", `[^\pL,]`, `[\x{400}-\x{4FF}]`)
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

func TestRegexCostOfGenerated(t *testing.T) {
	takesLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	compiled := 0
	for seed := range uint64(150) {
		g := costGen{rand.New(rand.NewPCG(7, seed))}
		pattern := g.pick("", "^", "^") + g.pattern(1+g.IntN(4)) + g.pick("", "$", `\z`)
		if _, err := compileRegex(pattern, fullBudget()); err != nil {
			continue
		}
		compiled++
		checkRegexCost(t, pattern)
	}
	if compiled < 80 {
		t.Errorf("only %d patterns compile", compiled)
	}
}

// TestThousandRegexes: the default budget is enough for 1,000 rules with any one
// pattern of those that people write, and for the rest of the rules.
func TestThousandRegexes(t *testing.T) {
	patterns := slices.Clone(ordinaryRegexes)
	for _, row := range regexPractical {
		patterns = append(patterns, row.pattern)
	}
	const restOfRule, restKept = 50_000, 5_000
	for _, pattern := range patterns {
		b := fullBudget()
		workBefore, keptBefore := b.Left()
		if _, err := compileRegex(pattern, b); err != nil {
			t.Fatal(err)
		}
		work, kept := b.Left()
		if work, kept = workBefore-work+restOfRule, keptBefore-kept+restKept; 1_000*work > defaultBudget.Work || 1_000*kept > defaultBudget.Kept {
			t.Errorf("%s takes %d units of work and %d bytes, of which 1,000 rules cannot be read", pattern, work, kept)
		}
	}
}

// What the budget does not suffice for is refused before it is done.
func TestRegexBeyondBudget(t *testing.T) {
	takesLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, pattern := range slices.Concat(ordinaryRegexes, strangeRegexes) {
		b := fullBudget()
		before, _ := b.Left()
		if _, err := compileRegex(pattern, b); err != nil {
			t.Fatal(err)
		}
		after, _ := b.Left()
		for _, share := range []int{3} {
			small := budgetOf((before-after)/share, 0)
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			_, err := compileRegex(pattern, small)
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

// TestRegexesOfHostileRules: however many costly patterns there are, reading them
// allocates no more than the budget has units of work.
func TestRegexesOfHostileRules(t *testing.T) {
	takesLong(t)
	patterns := map[string]string{
		"copies of a class":   `^(?:\pL){900}$`,
		"lookaheads":          `(?=` + strings.Repeat(`\pL`, 14) + `)`,
		"folded ranges":       `(?i)[\x{80}-\x{10FFFF}]{500}`,
		"branches":            `(?=` + distinctWords(900) + `)`,
		"repeats in a repeat": `((a{30}){30}){1}`,
	}
	for name, pattern := range patterns {
		t.Run(name, func(t *testing.T) {
			var rules []string
			for i, size := 0, 0; size < maxAnnotation-5_000 && i < 2_830; i++ {
				rules = append(rules, fmt.Sprintf(`{"name": "%d", "rule": "regex", "path": "jsonpath::.a", "message": "m", "regex": %s}`, i, mustJSON(pattern)))
				size += len(rules[i]) + 1
			}
			annotation := "[" + strings.Join(rules, ",") + "]"
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := ParseRules(annotation)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasSuffix(err.Error(), "is used up") {
				t.Errorf("%d rules are read, or for another reason they are not: %v", len(rules), err)
			}
			if allocated := int(after.TotalAlloc - before.TotalAlloc); allocated > defaultBudget.Work {
				t.Errorf("%d bytes are allocated", allocated)
			}
		})
	}
}

// TestRegexFromObjectBeyondBudget: an object that brings a costly pattern leaves
// the rules undecided that there is no budget for.
func TestRegexFromObjectBeyondBudget(t *testing.T) {
	takesLong(t)
	var rules []string
	for i := range 1_000 {
		rules = append(rules, fmt.Sprintf(`{"name": "%d", "rule": "regex", "path": "jsonpath::.a", "message": "m", "regex": "jsonpath::.r"}`, i))
	}
	object := map[string]any{"a": "日", "r": `^(?=` + strings.Repeat(`\pL?`, 14) + `)`}
	report := Validate(mustParse(t, "["+strings.Join(rules, ",")+"]"), object)
	first, last := report.Results[0], report.Results[len(rules)-1]
	if first.Outcome != Satisfied || last.Outcome != Undecided {
		t.Errorf("the first: %v, the last: %v", first, last)
	}
}

// TestMemoryOfBacktracking: each regex has a stack of its own, and what 1,000 of them
// hold at one time is bounded.
func TestMemoryOfBacktracking(t *testing.T) {
	takesLong(t)
	var rules []string
	for i := range 1_000 {
		rules = append(rules, fmt.Sprintf(`{"name": "%d", "rule": "regex", "path": "jsonpath::.a", "message": "m", "regex": "^(?:(a)|b)*\\1%d"}`, i, i))
	}
	parsed := mustParse(t, "["+strings.Join(rules, ",")+"]")
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				peak <- most
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	report := Validate(parsed, map[string]any{"a": strings.Repeat("ab", 50_000)}, WithRegexBudget(2*DefaultRegexBudget))
	close(done)
	if most := <-peak; most > 200<<20 {
		t.Errorf("%d bytes are in use at one time", most)
	}
	if last := report.Results[len(rules)-1]; last.Outcome != Undecided {
		t.Errorf("the last rule: %v", last)
	}
}
