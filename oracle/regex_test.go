package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/vmrules/vmrules"
)

// libraryBudget is enough on a busy machine, too. PCRE2 counts its work, and gives up the
// subjects on which a pattern backtracks without end.
const libraryBudget = time.Minute

var withTime = vmrules.WithBudget(vmrules.Budget{Backtracking: libraryBudget})

// librarySubjects is less than the number of values that one path may select.
const librarySubjects = 5000

// askLibrary returns the library's answer.
func askLibrary(t testing.TB, c regexCase) answer {
	t.Helper()
	rules, refusal := regexRule(t, c.pattern)
	if refusal != "" {
		return answer{refusal: refusal}
	}
	var a answer
	for subjects := range slices.Chunk(c.subjects, librarySubjects) {
		a.verdicts = append(a.verdicts, judge(t, rules, subjects, libraryBudget)...)
	}
	return a
}

// regexRule returns a rule with the pattern, or why the library refuses it.
func regexRule(t testing.TB, pattern string) (rules vmrules.Rules, refusal string) {
	t.Helper()
	text, err := json.Marshal([]map[string]string{{
		"name": "oracle", "rule": "regex", "path": "jsonpath::.s[*]", "message": "must match", "regex": pattern,
	}})
	if err != nil {
		t.Fatal(err)
	}
	rules, err = vmrules.ParseRules(string(text))
	if err == nil {
		return rules, ""
	}
	var parseError *vmrules.ParseError
	if !errors.As(err, &parseError) || len(parseError.Problems) != 1 || parseError.Problems[0].Key != "regex" {
		t.Fatalf("pattern %q: not a problem of the regex: %v", pattern, err)
	}
	return rules, parseError.Problems[0].Message
}

// judge returns the verdicts for subjects. If some could not be judged, it judges each
// alone, since a report has only one outcome for all.
func judge(t testing.TB, rules vmrules.Rules, subjects []string, budget time.Duration) []verdict {
	t.Helper()
	result := validate(t, rules, subjects, budget)
	if undecided := result.Outcome == vmrules.OutcomeUndecided || result.Note != ""; !undecided {
		return readViolations(t, result, len(subjects))
	}
	if len(subjects) == 1 {
		return []verdict{gaveUp}
	}
	var verdicts []verdict
	for _, subject := range subjects {
		verdicts = append(verdicts, judge(t, rules, []string{subject}, budget)...)
	}
	return verdicts
}

func validate(t testing.TB, rules vmrules.Rules, subjects []string, budget time.Duration) vmrules.Result {
	t.Helper()
	values := make([]any, len(subjects))
	for i, subject := range subjects {
		values[i] = subject
	}
	report := vmrules.Validate(rules, map[string]any{"s": values}, vmrules.WithBudget(vmrules.Budget{Backtracking: budget}))
	results := report.Results()
	if len(results) != 1 {
		t.Fatalf("%d results instead of one:\n%s", len(results), report)
	}
	return results[0]
}

// readViolations returns a verdict for each of n subjects: those with a violation do not
// match.
func readViolations(t testing.TB, result vmrules.Result, subjects int) []verdict {
	t.Helper()
	if satisfied := result.Outcome == vmrules.OutcomeSatisfied; !satisfied && result.Outcome != vmrules.OutcomeViolated || satisfied != (len(result.Violations) == 0) {
		t.Fatalf("%s with %d violations", result.Outcome, len(result.Violations))
	}
	verdicts := slices.Repeat([]verdict{match}, subjects)
	for _, v := range result.Violations {
		index, ok := strings.CutPrefix(v.Pointer, "/s/")
		i, err := strconv.Atoi(index)
		if !ok || err != nil || i >= subjects || v.Argument != "regex" {
			t.Fatalf("a violation of something else: %v", v)
		}
		verdicts[i] = miss
	}
	return verdicts
}

// A disagreement is a failure: both sides answer, and the answers differ.
type disagreement string

const (
	none         disagreement = ""
	differentEnd disagreement = "they disagree about a subject"
	onlyWeAccept disagreement = "only the library accepts the pattern"
	ownDefect    disagreement = "the library calls its refusal a defect of its own"
)

const defectMessage = "defect of this library"

// compare compares two answers. For differentEnd, it returns the index of the first
// subject that differs.
func compare(ours, theirs answer) (d disagreement, subject int) {
	switch {
	case strings.Contains(ours.refusal, defectMessage):
		return ownDefect, -1
	case ours.refusal != "":
		return none, -1
	case theirs.refusal != "":
		return onlyWeAccept, -1
	}
	for i, v := range ours.verdicts {
		if w := theirs.verdicts[i]; v != w && v != gaveUp && w != gaveUp {
			return differentEnd, i
		}
	}
	return none, -1
}

// A tally counts the results of cases.
type tally struct {
	patterns, refusedByBoth, refusedByUs int
	matches, misses                      int // on which both sides agree
	weGaveUp, theyGaveUp                 int // subjects
	disagreements                        int // patterns
	pairs                                int // of a pattern that both accept, and a subject
	constructs                           map[string]*share
	reasons                              map[string]int
}

// A share says how many of some patterns the library refuses. PCRE2 accepts all of them.
type share struct{ refused, of int }

func (s share) percent() float64 { return 100 * float64(s.refused) / float64(max(s.of, 1)) }

func (s share) String() string {
	return fmt.Sprintf("%6.2f %% (%d of %d)", s.percent(), s.refused, s.of)
}

func newTally() *tally {
	return &tally{constructs: map[string]*share{}, reasons: map[string]int{}}
}

func (n *tally) refused() share { return share{n.refusedByUs, n.patterns - n.refusedByBoth} }

// add counts a case by its answers.
func (n *tally) add(c regexCase, ours, theirs answer) {
	n.patterns++
	if ours.refusal != "" && theirs.refusal != "" {
		n.refusedByBoth++
		return
	}
	n.addConstructs(c.pattern, ours.refusal != "")
	switch d, _ := compare(ours, theirs); {
	case d != none:
		n.disagreements++
	case ours.refusal != "":
		n.refusedByUs++
		n.reasons[reason(ours.refusal)]++
	default:
		n.addVerdicts(ours.verdicts, theirs.verdicts)
	}
}

func (n *tally) addConstructs(pattern string, refused bool) {
	for _, name := range constructsOf(pattern) {
		s := n.constructs[name]
		if s == nil {
			s = &share{}
			n.constructs[name] = s
		}
		s.of++
		if refused {
			s.refused++
		}
	}
}

func (n *tally) addVerdicts(ours, theirs []verdict) {
	n.pairs += len(ours)
	for i, v := range ours {
		switch w := theirs[i]; {
		case v == gaveUp:
			n.weGaveUp++
		case v == match && w == match:
			n.matches++
		case v == miss && w == miss:
			n.misses++
		}
	}
}

// quoted matches the parts of a refusal that are particular to the pattern: positions and
// quoted text.
var quoted = regexp.MustCompile(`^.*?character \d+: |"(\\.|[^"])*"`)

// reason returns a refusal without the parts that are particular to the pattern.
func reason(refusal string) string {
	words := []rune(quoted.ReplaceAllString(refusal, "…"))
	return string(words[:min(len(words), 80)])
}

// check fails the test if too little was compared for an agreement to mean anything.
func (n *tally) check(t testing.TB) {
	t.Helper()
	compared := n.matches + n.misses
	if compared+n.weGaveUp != n.pairs {
		t.Errorf("of %d searches %d agree and %d were given up", n.pairs, compared, n.weGaveUp)
	}
	if compared == 0 || n.matches < compared/20 || n.misses < compared/20 {
		t.Errorf("%d matches and %d misses: too few of one to compare", n.matches, n.misses)
	}
	if given := n.weGaveUp + n.theyGaveUp; given > n.pairs/100 {
		t.Errorf("%d of %d searches were given up: too many", given, n.pairs)
	}
}

func (n *tally) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d patterns, %d of them refused by both; %d searches: %d matches and %d misses agree, PCRE2 gave up %d, the library %d\n",
		n.patterns, n.refusedByBoth, n.pairs, n.matches, n.misses, n.theyGaveUp, n.weGaveUp)
	fmt.Fprintf(&s, "refused by the library alone: %s\n", n.refused())
	for _, name := range slices.Sorted(maps.Keys(n.constructs)) {
		fmt.Fprintf(&s, "  %-28s %s\n", name, n.constructs[name])
	}
	for _, why := range slices.SortedFunc(maps.Keys(n.reasons), func(a, b string) int { return n.reasons[b] - n.reasons[a] }) {
		fmt.Fprintf(&s, "  %6d %s\n", n.reasons[why], why)
	}
	return s.String()
}

// maxShown is how many disagreements of a test are shrunk and shown.
const maxShown = 5

// hold compares the library with PCRE2.
func hold(t *testing.T, cases []regexCase) *tally {
	t.Helper()
	n := newTally()
	for i, theirs := range askPCRE2(t, cases) {
		c, theirs := decided(cases[i], theirs)
		ours := askLibrary(t, c)
		n.add(c, ours, theirs)
		if ours.refusal == "" {
			n.theyGaveUp += len(cases[i].subjects) - len(c.subjects)
		}
		if d, subject := compare(ours, theirs); d != none && n.disagreements <= maxShown {
			first := func(cases []regexCase) (regexCase, bool) { return firstWith(t, cases, d) }
			t.Error(describe(t, shrink(only(c, subject), first), d))
		}
	}
	if n.disagreements > 0 {
		t.Errorf("%d of %d patterns with a disagreement", n.disagreements, n.patterns)
	}
	n.check(t)
	t.Logf("%s", n)
	return n
}

// decided leaves out the subjects that PCRE2 gave up, since the library would only spend
// its budget on them.
func decided(c regexCase, theirs answer) (regexCase, answer) {
	if !slices.Contains(theirs.verdicts, gaveUp) {
		return c, theirs
	}
	rest, verdicts := regexCase{pattern: c.pattern}, []verdict(nil)
	for i, v := range theirs.verdicts {
		if v != gaveUp {
			rest.subjects = append(rest.subjects, c.subjects[i])
			verdicts = append(verdicts, v)
		}
	}
	return rest, answer{verdicts: verdicts}
}

// only returns the case with just that subject, or with none.
func only(c regexCase, subject int) regexCase {
	if subject < 0 {
		return regexCase{pattern: c.pattern}
	}
	return regexCase{c.pattern, []string{c.subjects[subject]}}
}

func describe(t testing.TB, c regexCase, d disagreement) string {
	t.Helper()
	ours, theirs := askLibrary(t, c), askPCRE2(t, []regexCase{c})[0]
	return fmt.Sprintf("%s\n pattern %q\nsubjects %q\n library %v %s\n   PCRE2 %v %s",
		d, c.pattern, c.subjects, ours.verdicts, ours.refusal, theirs.verdicts, theirs.refusal)
}

// shrink removes parts of a case for as long as it has the same disagreement. Of some
// cases, first returns the first that has it.
func shrink(c regexCase, first func([]regexCase) (regexCase, bool)) regexCase {
	for smaller, ok := c, true; ok; smaller, ok = first(smallerCases(c)) {
		c = smaller
	}
	return c
}

// firstWith returns the first case that has the disagreement. It judges all in one run of
// pcre2test.
func firstWith(t testing.TB, cases []regexCase, d disagreement) (regexCase, bool) {
	t.Helper()
	for i, theirs := range askPCRE2(t, cases) {
		c, theirs := decided(cases[i], theirs)
		if got, _ := compare(askLibrary(t, c), theirs); got == d {
			return c, true
		}
	}
	return regexCase{}, false
}

// smallerCases returns the case without each part of the pattern or of the subject,
// longest parts first.
func smallerCases(c regexCase) []regexCase {
	var cases []regexCase
	for _, pattern := range smallerTexts(c.pattern) {
		cases = append(cases, regexCase{pattern, c.subjects})
	}
	for _, subject := range c.subjects {
		for _, s := range smallerTexts(subject) {
			cases = append(cases, regexCase{c.pattern, []string{s}})
		}
	}
	return cases
}

func smallerTexts(text string) []string {
	runes := []rune(text)
	var texts []string
	for length := len(runes); length > 0; length /= 2 {
		for at := 0; at+length <= len(runes); at++ {
			texts = append(texts, string(slices.Concat(runes[:at], runes[at+length:])))
		}
	}
	return texts
}

// regexSeed returns the seed of this file's tests.
func regexSeed(t testing.TB) uint64 {
	t.Helper()
	return generatorSeed(t, 20190201)
}

// TestSides checks that the answers of both sides are read correctly.
func TestSides(t *testing.T) {
	needPCRE2(t)
	tests := []struct {
		pattern, subject string
		want             verdict
	}{
		{`a`, "a", match},
		{`a`, "b", miss},
		{``, "", match},
		{`^$`, "", match},
		{`^$`, "x", miss},
		{`.`, "", miss},
		{`^\\=x$`, `\=x`, match},
		{`^\\$`, `\`, match},
		{`^  a $`, "  a ", match},
		{`^#subject$`, "#subject", match},
		{`^/a/$`, "/a/", match},
		{"^a\nb$", "a\nb", match},
		{"^\x00$", "\x00", match},
		{`^\xe9\x{20ac}😀$`, "é€😀", match},
		{`^é$`, "e", miss},
		{`(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)`, "abcdefghijk", match},
		{`^` + strings.Repeat(`(a)`, 30) + `$`, strings.Repeat("a", 30), match},
		{`^\n$`, "\n", match},
		{`(?=(a))`, "a", match},
		{`^(?:(a)|b)$`, "b", match},
	}
	for _, test := range tests {
		c := regexCase{test.pattern, []string{test.subject, test.subject}}
		want := []verdict{test.want, test.want}
		if got := askLibrary(t, c); got.refusal != "" || !slices.Equal(got.verdicts, want) {
			t.Errorf("library: %q on %q is %v %s, want %v", test.pattern, test.subject, got.verdicts, got.refusal, test.want)
		}
		if got := askPCRE2(t, []regexCase{c})[0]; got.refusal != "" || !slices.Equal(got.verdicts, want) {
			t.Errorf("PCRE2: %q on %q is %v %s, want %v", test.pattern, test.subject, got.verdicts, got.refusal, test.want)
		}
	}
}

func TestSidesRefuse(t *testing.T) {
	needPCRE2(t)
	c := regexCase{`a(`, []string{"a", "", "b"}}
	answers := askPCRE2(t, []regexCase{c, {`b`, []string{"b"}}, c})
	if answers[0].refusal == "" || answers[2].refusal == "" || !slices.Equal(answers[1].verdicts, []verdict{match}) {
		t.Errorf("PCRE2: %v", answers)
	}
	if got := askLibrary(t, c); got.refusal == "" {
		t.Errorf("library: %v", got)
	}
}

// TestSidesGiveUp checks that both sides give up only the search that takes too long.
func TestSidesGiveUp(t *testing.T) {
	needPCRE2(t)
	c := regexCase{`^(?=(?:a|aa|aaa)+$)`, []string{strings.Repeat("a", 60) + "b", "aaa", "b"}}
	want := []verdict{gaveUp, match, miss}
	if got := askPCRE2(t, []regexCase{c})[0]; !slices.Equal(got.verdicts, want) {
		t.Errorf("PCRE2: %v, want %v", got.verdicts, want)
	}
	rules, _ := regexRule(t, c.pattern)
	endless := judge(t, rules, c.subjects, 25*time.Millisecond)[:1] // the others may be too slow for that, too
	if got := slices.Concat(endless, judge(t, rules, c.subjects[1:], libraryBudget)); !slices.Equal(got, want) {
		t.Errorf("library: %v, want %v", got, want)
	}
}

// TestCompareAndShrink checks that the comparison finds each disagreement.
func TestCompareAndShrink(t *testing.T) {
	tests := []struct {
		ours, theirs answer
		want         disagreement
		subject      int
	}{
		{answer{verdicts: []verdict{match}}, answer{verdicts: []verdict{match}}, none, -1},
		{answer{verdicts: []verdict{match, miss}}, answer{verdicts: []verdict{match, match}}, differentEnd, 1},
		{answer{verdicts: []verdict{gaveUp}}, answer{verdicts: []verdict{match}}, none, -1},
		{answer{verdicts: []verdict{match}}, answer{refusal: "no"}, onlyWeAccept, -1},
		{answer{refusal: "no"}, answer{verdicts: []verdict{match}}, none, -1},
		{answer{refusal: "no"}, answer{refusal: "no"}, none, -1},
		{answer{refusal: "a defect of this library"}, answer{refusal: "no"}, ownDefect, -1},
	}
	for _, test := range tests {
		if got, subject := compare(test.ours, test.theirs); got != test.want || subject != test.subject {
			t.Errorf("%v, %v: %q %d, want %q %d", test.ours, test.theirs, got, subject, test.want, test.subject)
		}
	}
	bad := func(cases []regexCase) (regexCase, bool) {
		i := slices.IndexFunc(cases, func(c regexCase) bool {
			return strings.Contains(c.pattern, "é") && strings.Contains(c.subjects[0], "b")
		})
		if i < 0 {
			return regexCase{}, false
		}
		return cases[i], true
	}
	if got := shrink(regexCase{"(aé)*c", []string{"xbby"}}, bad); got.pattern != "é" || !slices.Equal(got.subjects, []string{"b"}) {
		t.Errorf("shrink: %q", got)
	}
	if got, want := smallerTexts("aéb"), []string{"", "éb", "ab", "aé"}; !slices.Equal(got, want) {
		t.Errorf("smallerTexts: %q, want %q", got, want)
	}
}

// TestRegexGenerated checks that generated patterns match as in PCRE2, or are refused.
func TestRegexGenerated(t *testing.T) {
	t.Parallel()
	needPCRE2(t)
	s := regexSeed(t)
	t.Log(pcre2Version(t))
	practical := readPractical(t)
	for i, source := range caseSources {
		t.Run(source.name, func(t *testing.T) {
			g := &regexGenerator{Rand: rand.New(rand.NewPCG(s, uint64(i))), source: source, practical: practical}
			cases := make([]regexCase, source.count*factor(t))
			for i := range cases {
				cases[i] = source.generate(g)
			}
			hold(t, cases)
		})
	}
}

// maxRefused is the largest percentage of practical patterns that may be refused.
const maxRefused = 2

// TestRegexPractical checks that patterns from practice match as in PCRE2, and that few
// are refused.
func TestRegexPractical(t *testing.T) {
	needPCRE2(t)
	practical := readPractical(t)
	if len(practical) < 150 {
		t.Errorf("only %d patterns", len(practical))
	}
	for _, c := range practical {
		if refusal := askLibrary(t, c).refusal; refusal != "" {
			t.Logf("refused: %s\n\t%s", c.pattern, refusal)
		}
	}
	g := &regexGenerator{Rand: rand.New(rand.NewPCG(regexSeed(t), 0)), alphabet: wideAlphabet}
	for i := range practical {
		practical[i].subjects = append(practical[i].subjects, g.likeThem(practical[i].subjects)...)
	}
	n := hold(t, practical)
	if n.refusedByBoth > 0 {
		t.Errorf("PCRE2 itself refuses %d of the patterns", n.refusedByBoth)
	}
	if refused := n.refused(); refused.percent() > maxRefused {
		t.Errorf("%s are refused, more than %d %%", refused, maxRefused)
	}
}

// practicalFile has a pattern on each line, and its subjects on lines indented by a tab. A
// subject may be quoted as in Go.
const practicalFile = "testdata/regex_real.txt"

func readPractical(t testing.TB) []regexCase {
	t.Helper()
	text, err := os.ReadFile(practicalFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases []regexCase
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		subject, indented := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "## "):
		case indented:
			last := &cases[len(cases)-1]
			last.subjects = append(last.subjects, unquote(t, subject))
		default:
			cases = append(cases, regexCase{pattern: line})
		}
	}
	for _, c := range cases {
		if len(c.subjects) < 2 {
			t.Errorf("%s has too few subjects", c.pattern)
		}
	}
	return cases
}

func unquote(t testing.TB, subject string) string {
	t.Helper()
	if !strings.HasPrefix(subject, `"`) {
		return subject
	}
	s, err := strconv.Unquote(subject)
	if err != nil {
		t.Fatalf("%s: %v", subject, err)
	}
	return s
}

// TestRegexClasses checks that each class holds the same characters as in PCRE2. It tries
// all characters that have another case, or at which a category begins or ends.
func TestRegexClasses(t *testing.T) {
	needPCRE2(t)
	characters := assigned(t, notableCharacters())
	t.Logf("%d characters", len(characters))
	var cases []regexCase
	for _, pattern := range classPatterns() {
		cases = append(cases, regexCase{pattern, characters})
	}
	n := hold(t, cases)
	if n.refusedByUs+n.refusedByBoth > 0 {
		t.Errorf("%d classes are refused", n.refusedByUs+n.refusedByBoth)
	}
}

// TestRegexPairs checks that a repeat before another part matches as in PCRE2. PCRE2 makes
// the repeat possessive if it considers the two disjoint, which is sometimes wrong.
func TestRegexPairs(t *testing.T) {
	t.Parallel()
	needPCRE2(t)
	hold(t, slices.Concat(behindRepeatCases(), pairCases()))
}

// notableCharacters returns the characters at which two Unicode tables may differ.
func notableCharacters() []rune {
	notable := map[rune]bool{}
	add := func(r rune) {
		if r >= 0 && r <= unicode.MaxRune && !unicode.Is(unicode.Cs, r) {
			notable[r] = true
		}
	}
	for r := range rune(0x20000) {
		if r < 0x100 || unicode.SimpleFold(r) != r {
			add(r)
		}
	}
	for _, table := range unicode.Categories {
		for _, edge := range edges(table) {
			add(edge)
		}
	}
	return slices.Sorted(maps.Keys(notable))
}

// edges returns the characters on both sides of the beginning and end of each range.
func edges(table *unicode.RangeTable) []rune {
	var all []rune
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			all = append(all, lo-1, lo, hi, hi+1)
			return
		}
		for r := lo; r <= hi; r += stride {
			all = append(all, r-1, r, r+1)
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return all
}

// assigned returns the characters that both sides know. The others differ between versions
// of Unicode.
func assigned(t testing.TB, characters []rune) []string {
	t.Helper()
	known := slices.DeleteFunc(slices.Clone(characters), func(r rune) bool { return unicode.Is(unicode.Categories["Cn"], r) })
	c := regexCase{pattern: `\p{Cn}`}
	for _, r := range known {
		c.subjects = append(c.subjects, string(r))
	}
	verdicts := askPCRE2(t, []regexCase{c})[0].verdicts
	var both []string
	for i, subject := range c.subjects {
		if verdicts[i] == miss {
			both = append(both, subject)
		}
	}
	return both
}
