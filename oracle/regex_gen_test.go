package oracle

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A regexGenerator makes patterns and subjects. They depend only on its seed.
type regexGenerator struct {
	*rand.Rand
	source    caseSource
	practical []regexCase

	// The state of the pattern in progress:
	alphabet []string
	groups   int            // capture groups begun
	closed   []int          // those of them that have ended
	captured map[int]string // their text in the sample
}

// A caseSource is one way to make cases. The weights say how often each construct is
// chosen; the others are never chosen.
type caseSource struct {
	name      string
	count     int
	generate  func(*regexGenerator) regexCase
	alphabets [][]string
	weights   map[string]int
	repeated  int // percentage of the repeatable parts
}

// caseSources are sorted: those that know least about patterns come last.
var caseSources = []caseSource{
	{
		name: "everything", count: 6_000, generate: (*regexGenerator).grammatical,
		alphabets: [][]string{plainAlphabet, plainAlphabet, wideAlphabet},
		weights: map[string]int{
			"literal": 300, "class": 80, "escape": 60, "anchor": 60, "capture": 90, "group": 60, "options": 40, "atomic": 40,
			"lookahead": 80, "lookbehind": 60, "backref": 60, "setting": 20, "silent": 20, "unsupported": 4,
		},
		repeated: 33,
	},
	{
		name: "back-references", count: 4_000, generate: (*regexGenerator).grammatical,
		alphabets: [][]string{{"a", "b"}, {"a", "b", "c"}, {"a", "A", "b"}, {"k", "K", "\u212a", "a"}, {"s", "ſ", "S"}, {"ß", "ẞ", "s"}, {"σ", "ς", "Σ"}},
		weights: map[string]int{
			"literal": 250, "class": 20, "anchor": 20, "capture": 250, "group": 40, "options": 30, "atomic": 30,
			"lookahead": 80, "lookbehind": 10, "backref": 260, "setting": 10,
		},
		repeated: 33,
	},
	{
		name: "order of trying", count: 4_000, generate: (*regexGenerator).grammatical,
		alphabets: [][]string{{"a", "a", "a", "b"}, {"a", "b"}},
		weights: map[string]int{
			"literal": 300, "class": 30, "anchor": 15, "capture": 120, "group": 150, "atomic": 120,
			"lookahead": 80, "lookbehind": 20, "backref": 80,
		},
		repeated: 60,
	},
	{name: "tokens", count: 5_000, generate: (*regexGenerator).tokens, alphabets: [][]string{wideAlphabet}},
	{name: "changed practical ones", count: 3_000, generate: (*regexGenerator).changed, alphabets: [][]string{wideAlphabet}},
}

const (
	subjectsEach  = 10
	changedEach   = 5 // subjects of a practical pattern
	nesting       = 3 // of groups
	mostBranches  = 3
	mostSequence  = 4
	mostChanges   = 2
	mostTokens    = 9
	mostRandom    = 6  // letters of a random subject
	longSample    = 24 // bytes
	sampleRepeats = 3  // of a part whose number of repeats is not limited
)

// All characters are older than Unicode 14, the version of PCRE2 10.42.
var (
	plainAlphabet = []string{"a", "b", "a", "b", "c", "\n"}
	wideAlphabet  = []string{
		"a", "b", "a", "b", "c", "A", "B", "k", "K", "s", "S", "i", "I", "x", "1", "0", "_", "-", " ", "\n", "\n", "\r", "\r\n", "\t", "\v",
		"é", "É", "ß", "ẞ", "\u212a", "ſ", "İ", "ı", "\u0085", "\u00a0", "\u180e", "\u2028", "٣", "日", "😀", "𐐀", "𐐨", "Σ", "σ", "ς", "ǅ", "ǆ", "µ", "μ",
		"]", "[", "^", "\\", "{", "}", ".", ":", ",", "#", "$", "(", "\x00",
	}
	plainItems = []string{
		"a", "b", "k", "s", "_", "é", "ſ", ".", "^", "$", "&&", "a-c", "A-Z", "0-9", "À-ÿ", `\d`, `\w`, `\s`, `\h`, `\H`, `\v`, `\V`,
		`\n`, `\b`, `\-`, `\]`, `\\`, `\x41`, `\x{212a}`, `\Qa-c\E`,
		`\x{10400}-\x{10427}`, `\x{100}-\x{10ffff}`, `\x00-\x7f`, `\x{80}-\x{2100}`,
	}
	// The library refuses patterns that mix these two.
	positiveItems = slices.Concat(plainItems, []string{
		"[:alnum:]", "[:alpha:]", "[:ascii:]", "[:blank:]", "[:cntrl:]", "[:digit:]", "[:graph:]", "[:lower:]", "[:print:]",
		"[:punct:]", "[:space:]", "[:upper:]", "[:word:]", "[:xdigit:]", `\p{L}`, `\P{L}`, `\p{Nd}`, `\p{^P}`, `\pZ`,
	})
	negatedItems = slices.Concat(plainItems, []string{`\D`, `\W`, `\S`, "[:^alpha:]", "[:^digit:]", "[:^upper:]"})
	classItems   = slices.Concat(positiveItems, negatedItems)

	escapes = []string{
		".", `\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\h`, `\H`, `\v`, `\V`, `\N`, `\R`, `\a`, `\e`, `\f`, `\n`, `\r`, `\t`, `\x41`, `\x{e9}`, `\x{1F600}`,
		`\0`, `\pL`, `\PL`, `\p{L&}`, `\p{Lu}`, `\p{Ll}`, `\p{^Nd}`, `\p{C}`, `\pP`, `\p{Any}`, `\_`, `\/`, `\é`,
	}
	anchors     = []string{"^", "^", "$", "$", `\A`, `\z`, `\Z`, `\b`, `\B`, "(?m:^)", "(?m:$)"}
	settings    = []string{"(?i)", "(?-i)", "(?s)", "(?m)", "(?x)", "(?-x)", "(?n)", "(?-n)", "(?i-s)"}
	silent      = []string{"(?#c)", `\E`, `\Q\E`, "(?)", "(?-)"}
	groupBegins = []string{"(?i:", "(?-i:", "(?s:", "(?m:", "(?x: ", "(?is-m:"}
	quantifiers = []quantifier{
		{"*", 0, sampleRepeats}, {"*", 0, sampleRepeats}, {"+", 1, sampleRepeats}, {"+", 1, sampleRepeats}, {"?", 0, 1}, {"?", 0, 1}, {"{0,1}", 0, 1}, {"{1}", 1, 1},
		{"{2}", 2, 2}, {"{0,2}", 0, 2}, {"{1,}", 1, sampleRepeats}, {"{1,3}", 1, 3}, {"{2,3}", 2, 3}, {"{2,}", 2, 4}, {"{3,5}", 3, 5},
	}
	greedy     = []string{"", "", "", "", "?"}
	greediness = append(greedy, "+")
	// unsupported are constructs that PCRE2 supports and the library refuses by name.
	unsupported = []string{
		"(?R)?", "(?1)", "(?-1)", "(?&n1)", "(?P>n1)", `\g<1>`, "(?|(a)|(b))", "(?(1)a|b)", "(?(?=a)a|b)", "(?(DEFINE)a)", "(?C1)", "(*SKIP)", "(*ACCEPT)",
		"(*F)", "(*pla:a)", "(?*a)", `\K`, `\G`, `\C`, `\X`, `\p{Greek}`, `\p{Alphabetic}`, `\p{Xan}`, "a{0}", "(?<=a|(?:b|cc))", `(?<=\R)`, `(?J)`, `(?U)`, `\N{U+61}`,
		`\cA`, `\o{141}`, `\101`, `\g{-1}`, "(?xx)", "(?^:a)",
	}
	soup = []string{
		"a", "b", "A", "k", "0", "1", "8", "9", "é", "ß", " ", "\t", "\n", "#", "/", "<", ">", "=", "!", ":", "&", "'", ",", "-",
		"]", "[", "[^", "(", ")", ")", "|", "*", "+", "?", "^", "$", ".", "{", "}", "{2}", "{1,2}", "{,2}", "{2,}", "{ 2}", "{x}", "{1", "{0}",
		`\`, `\\`, `\1`, `\2`, `\8`, `\10`, `\11`, `\0`, `\07`, `\081`, `\377`, `\400`, `\x`, `\x4`, `\x41`, `\x{41}`, `\x{`, `\o{101}`, `\c`, `\cA`,
		`\Q`, `\E`, `\Q\E`, "(?:", "(?i)", "(?x)", "(?xx)", "(?-x)", "(?i-x:", "(?^:", "(?^", "(?-i)", "(?n)", "(?s)", "(?m)", "(?#", "(?#a)",
		"(?=", "(?!", "(?<=", "(?<!", "(?>", "(?|", "(?<n>", "(?P<n>", "(?'n'", "(?<m>", `\k<n>`, `\k{n}`, `\k'n'`, "(?P=n)", `\g1`, `\g{1}`, `\g{-1}`, `\g-1`, `\g{n}`, `\g{`,
		"[:", ":]", "[:alpha:]", "[[:alpha:]]", "[.", "=]", "a-c", `\d`, `\w`, `\s`, `\W`, `\b`, `\B`, `\A`, `\z`, `\Z`, `\h`, `\R`, `\N`, `\pL`, `\p{Lu}`, `\P{^L}`, `\p`,
		`\K`, `\u`, `\<`, `\_`, `\é`, `\-`, `\]`, `\[`, "\u0085", "\u200e", "\u00a0", "(?", "(*", "(?R)", "(?1)", "(?xxx)", "(?)", "(?-)", "(?i-)",
	}
)

type quantifier struct {
	text     string
	min, max int // the number of repeats in a sample
}

// A sketch is a part of a pattern, and a function that writes a sample of what it may
// match. The sample is a guess, which makes matches likely.
type sketch struct {
	pattern string
	sample  func() string
	bare    bool // cannot be repeated
	look    bool // cannot be possessive
}

func pick[T any](g *regexGenerator, from []T) T { return from[g.IntN(len(from))] }

func (g *regexGenerator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *regexGenerator) letter() string { return pick(g, g.alphabet) }

func empty() string { return "" }

// grammatical makes a pattern that is almost always well-formed.
func (g *regexGenerator) grammatical() regexCase {
	g.alphabet = pick(g, g.source.alphabets)
	g.groups, g.closed, g.captured = 0, nil, map[int]string{}
	s := g.alternation(1 + g.IntN(nesting))
	return regexCase{g.framed(s.pattern), g.subjects(s.sample)}
}

// framed adds a common beginning or end to a pattern.
func (g *regexGenerator) framed(pattern string) string {
	if g.oneIn(5) {
		pattern = "^" + pattern
	}
	if g.oneIn(6) {
		pattern = "(?i)" + pattern
	}
	if g.oneIn(5) {
		pattern += "$"
	}
	return pattern
}

func (g *regexGenerator) alternation(depth int) sketch {
	branches := []sketch{g.sequence(depth)}
	for len(branches) < mostBranches && g.oneIn(3) {
		if g.oneIn(8) {
			branches = append(branches, sketch{sample: empty})
			continue
		}
		branches = append(branches, g.sequence(depth))
	}
	return sketch{
		pattern: strings.Join(patternsOf(branches), "|"),
		sample:  func() string { return pick(g, branches).sample() },
	}
}

func (g *regexGenerator) sequence(depth int) sketch {
	parts := make([]sketch, 1+g.IntN(mostSequence))
	for i := range parts {
		parts[i] = g.part(depth)
	}
	return sketch{pattern: strings.Join(patternsOf(parts), ""), sample: func() string { return joinedSamples(parts) }}
}

// joinedSamples stops once the text is long, since nested repeats would otherwise have
// endless samples.
func joinedSamples(sketches []sketch) string {
	var s strings.Builder
	for _, part := range sketches {
		if s.WriteString(part.sample()); s.Len() > longSample {
			break
		}
	}
	return s.String()
}

func patternsOf(sketches []sketch) []string {
	patterns := make([]string, len(sketches))
	for i, s := range sketches {
		patterns[i] = s.pattern
	}
	return patterns
}

func (g *regexGenerator) part(depth int) sketch {
	s := g.construct(depth)
	if s.bare || g.IntN(100) >= g.source.repeated {
		return s
	}
	q, greediness := pick(g, quantifiers), greediness
	if s.look && !g.oneIn(20) {
		greediness = greedy
	}
	return sketch{pattern: s.pattern + q.text + pick(g, greediness), sample: func() string {
		return joinedSamples(slices.Repeat([]sketch{s}, q.min+g.IntN(q.max-q.min+1)))
	}}
}

// construct makes a construct according to the weights. It makes a leaf if the pattern must
// not become deeper.
func (g *regexGenerator) construct(depth int) sketch {
	leaves := []string{"literal", "class", "escape", "anchor", "backref", "setting", "silent", "unsupported"}
	nests := []string{"capture", "group", "options", "atomic", "lookahead", "lookbehind"}
	names := leaves
	if depth > 0 {
		names = slices.Concat(leaves, nests)
	}
	total := 0
	for _, name := range names {
		total += g.source.weights[name]
	}
	chosen := g.IntN(total)
	for _, name := range names {
		if chosen -= g.source.weights[name]; chosen < 0 {
			return g.named(name, depth-1)
		}
	}
	panic("unreachable")
}

func (g *regexGenerator) named(construct string, depth int) sketch {
	switch construct {
	case "class":
		return sketch{pattern: g.class(), sample: g.letter}
	case "escape":
		return sketch{pattern: pick(g, escapes), sample: g.letter}
	case "anchor":
		return sketch{pattern: pick(g, anchors), sample: empty, bare: true}
	case "setting":
		return sketch{pattern: pick(g, settings), sample: empty, bare: true}
	case "silent":
		return sketch{pattern: pick(g, silent), sample: empty, bare: true}
	case "unsupported":
		return sketch{pattern: pick(g, unsupported), sample: g.letter, bare: true}
	case "capture":
		return g.capture(depth)
	case "group":
		return g.enclosed("(?:", depth)
	case "options":
		return g.enclosed(pick(g, groupBegins), depth)
	case "atomic":
		return g.enclosed("(?>", depth)
	case "lookahead":
		return g.lookahead(depth)
	case "lookbehind":
		return sketch{pattern: pick(g, []string{"(?<=", "(?<!"}) + g.fixed() + ")", sample: empty, look: true}
	case "backref":
		return g.backref()
	}
	return g.literal()
}

func (g *regexGenerator) literal() sketch {
	if g.oneIn(40) {
		return sketch{pattern: `\Qa.\E`, sample: func() string { return "a." }, bare: true}
	}
	letter := g.letter()
	return sketch{pattern: escaped(letter), sample: func() string { return letter }, bare: letter == "\r\n"}
}

// escaped returns text with a backslash before every sign.
func escaped(text string) string {
	var s strings.Builder
	for _, r := range text {
		if '!' <= r && r <= '~' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			s.WriteByte('\\')
		}
		s.WriteRune(r)
	}
	return s.String()
}

func (g *regexGenerator) class() string {
	var s strings.Builder
	s.WriteString(pick(g, []string{"[", "[", "[^"}))
	s.WriteString(pick(g, []string{"", "", "", "", "", "", "]", "-"}))
	items := classItems
	if !g.oneIn(20) {
		items = pick(g, [][]string{positiveItems, negatedItems})
	}
	for range 1 + g.IntN(3) {
		s.WriteString(pick(g, items))
	}
	s.WriteString(pick(g, []string{"", "", "", "", "", "", "-"}))
	return s.String() + "]"
}

func (g *regexGenerator) capture(depth int) sketch {
	g.groups++
	group := g.groups
	begin := "("
	if g.oneIn(3) {
		begin = fmt.Sprintf(pick(g, []string{"(?<n%d>", "(?P<n%d>", "(?'n%d'"}), group)
	}
	inner := g.alternation(depth)
	g.closed = append(g.closed, group)
	return sketch{pattern: begin + inner.pattern + ")", sample: func() string {
		g.captured[group] = inner.sample()
		return g.captured[group]
	}}
}

func (g *regexGenerator) enclosed(begin string, depth int) sketch {
	inner := g.alternation(depth)
	return sketch{pattern: begin + inner.pattern + ")", sample: inner.sample}
}

// lookahead makes a sample only for the captures in it. The sample of the whole pattern
// does not include it.
func (g *regexGenerator) lookahead(depth int) sketch {
	inner := g.enclosed(pick(g, []string{"(?=", "(?=", "(?!"}), depth)
	return sketch{pattern: inner.pattern, look: true, sample: func() string {
		inner.sample()
		return ""
	}}
}

// backref refers to a group that has ended or, rarely, to one that has not.
func (g *regexGenerator) backref() sketch {
	groups := g.closed
	if g.groups > 0 && g.oneIn(100) {
		groups = []int{1 + g.IntN(g.groups)}
	}
	if len(groups) == 0 {
		return g.literal()
	}
	group := pick(g, groups)
	forms := []string{fmt.Sprintf(`\%d`, group), fmt.Sprintf(`(?:\%d)`, group)}
	return sketch{pattern: pick(g, forms), sample: func() string { return g.captured[group] }}
}

// fixed makes the content of a lookbehind: branches of a fixed length.
func (g *regexGenerator) fixed() string {
	branches := make([]string, 1+g.IntN(2))
	for i := range branches {
		for range 1 + g.IntN(3) {
			branches[i] += g.fixedPart()
		}
	}
	return strings.Join(branches, "|")
}

func (g *regexGenerator) fixedPart() string {
	letter := escaped(g.letter())
	switch g.IntN(9) {
	case 0:
		return pick(g, anchors)
	case 1:
		return g.class()
	case 2:
		return fmt.Sprintf("(?:%s|b){%d}", letter, 1+g.IntN(2))
	case 3:
		return "."
	case 4:
		return "(?=" + letter + ")"
	case 5:
		return "(?>" + letter + "|b)"
	}
	return letter
}

// subjects returns samples with few or many changes, and a few texts that are unrelated to
// the pattern.
func (g *regexGenerator) subjects(sample func() string) []string {
	subjects := make([]string, subjectsEach)
	for i := range subjects {
		if g.oneIn(4) {
			subjects[i] = g.letters(mostRandom)
			continue
		}
		subjects[i] = g.change(sample(), g.alphabet, g.IntN(mostChanges+1))
	}
	return subjects
}

// letters returns at most that many random letters.
func (g *regexGenerator) letters(most int) string {
	var s strings.Builder
	for range g.IntN(most + 1) {
		s.WriteString(g.letter())
	}
	return s.String()
}

// change makes that many changes to a text.
func (g *regexGenerator) change(text string, alphabet []string, changes int) string {
	for range changes {
		runes := []rune(text)
		at := g.IntN(len(runes) + 1)
		before, after := string(runes[:at]), string(runes[at:])
		switch rest := string(runes[min(at+1, len(runes)):]); {
		case g.oneIn(6):
			text += "\n"
		case g.oneIn(3):
			text = before + pick(g, alphabet) + after
		case g.oneIn(2):
			text = before + rest
		case at < len(runes):
			text = before + string(unicode.SimpleFold(runes[at])) + rest
		}
	}
	return text
}

// tokens makes a pattern of tokens in any order, and subjects of the same tokens.
func (g *regexGenerator) tokens() regexCase {
	g.alphabet = pick(g, g.source.alphabets)
	var pattern strings.Builder
	for range 1 + g.IntN(mostTokens) {
		pattern.WriteString(pick(g, soup))
	}
	c := regexCase{pattern: g.closedGroups(pattern.String())}
	for range subjectsEach {
		c.subjects = append(c.subjects, g.change(g.letters(mostRandom), soup, g.IntN(mostChanges+1)))
	}
	return c
}

// closedGroups adds missing parentheses to the pattern. Without them, both sides would
// refuse most patterns.
func (g *regexGenerator) closedGroups(pattern string) string {
	if lacking := strings.Count(pattern, "(") - strings.Count(pattern, ")"); lacking > 0 && !g.oneIn(5) {
		pattern += strings.Repeat(")", lacking)
	}
	return pattern
}

// changed makes a small change to a practical pattern, or joins two of them.
func (g *regexGenerator) changed() regexCase {
	g.alphabet = pick(g, g.source.alphabets)
	c := pick(g, g.practical)
	pattern := g.change(c.pattern, soup, 1+g.IntN(mostChanges))
	if g.oneIn(4) {
		other := pick(g, g.practical)
		pattern = c.pattern + pick(g, []string{"|", "", "|(?=", "(?!.*"}) + other.pattern
		pattern = g.closedGroups(pattern)
	}
	return regexCase{pattern, g.likeThem(c.subjects)}
}

// likeThem returns some of the subjects with small changes.
func (g *regexGenerator) likeThem(subjects []string) []string {
	changed := make([]string, changedEach)
	for i := range changed {
		changed[i] = g.change(pick(g, subjects), g.alphabet, g.IntN(mostChanges+1))
	}
	return changed
}

// classPatterns returns the patterns of classes whose characters are compared one by one.
func classPatterns() []string {
	patterns := []string{
		".", "(?s).", `\N`, `\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\h`, `\H`, `\v`, `\V`, `\R`, `\b`, "(?x)^ $",
		"(?i)[a-z]", "(?i)[^a-z]", "(?i)k", "(?i)s", "(?i)[A-Za-z0-9_]", `(?i)[\x{80}-\x{3000}]`, `(?i)[A-\x{17e}]`, `(?i)[Ѐ-ӿ]`, `(?i)[\x{10400}-\x{10427}]`,
		`\p{L&}`, `\p{Any}`, `(?i)\p{L&}`,
	}
	for _, name := range []string{"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word", "xdigit"} {
		patterns = append(patterns, "[[:"+name+":]]", "[[:^"+name+":]]", "(?i)[[:"+name+":]]")
	}
	for _, name := range strings.Fields("C Cc Cf Cn Co L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs") {
		patterns = append(patterns, `\p{`+name+`}`)
	}
	return patterns
}

// pairCases returns patterns with each class repeated before each other class, or before
// an anchor. The subjects are pairs of characters from the classes.
func pairCases() []regexCase {
	classes := []string{
		`\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\h`, `\H`, `\v`, `\V`, `\N`, `\R`, ".", "(?s:.)", `\p{L}`, `\P{L}`, `\p{Zs}`, `\p{Cc}`, `[\S]`, `[\v]`, `[^\s]`,
		"[[:space:]]", "[[:^space:]]", "[^a]", `[^\x{85}]`, "a", "(?i:k)", "(?i:[k])", `\x{85}`, `\x{a0}`, `\x{2028}`,
	}
	characters := []string{"a", "k", "1", "_", "-", " ", "\n", "\r", "\t", "\v", "\u0085", "\u00a0", "\u2028", "\u3000", "é", "\u0663", "\u212a"}
	var subjects []string
	for _, first := range characters {
		for _, second := range characters {
			subjects = append(subjects, first+second)
		}
	}
	var cases []regexCase
	for _, first := range classes {
		for _, second := range slices.Concat(classes, []string{"$", `\z`, `\b`, `\B`, "(?m:$)"}) {
			for _, repeat := range []string{"*", "+?", "?"} {
				cases = append(cases, regexCase{"^" + first + repeat + second, subjects})
			}
		}
	}
	return cases
}

// behindRepeatCases returns patterns with a repeat before each group that may match the
// empty string.
func behindRepeatCases() []regexCase {
	bodies := []string{
		"", "|b", "b|", "b?", "b*", "c*|b", "c?c*+|b", "(b)?", "(?:b)?", "(?:b)??", "(?:b)*", "(?:b|)", "(?:|b)", "(?:bc){0,2}", "(?>|b)", "(?>b?)", "()|b", "(?=a)|b", "(?=c)?",
		`\b|b`, "$|b", "c|(?:|b)", "b?(?:c)?", "(?:b)?c|b", "(?!c)(?:b)?",
	}
	var cases []regexCase
	for _, group := range []string{"(?>%s)", "(?:%s)++", "(?:%s)?+", "(?:%s){2}+", "(?=%s)", "(?!%s)", "(%s)"} {
		for _, body := range bodies {
			pattern := "a*" + fmt.Sprintf(group, body) + "a"
			cases = append(cases, regexCase{pattern, []string{"", "a", "aa", "aba", "aab", "aca", "baa", "abca", "b"}})
		}
	}
	return cases
}

// constructs recognizes the constructs by whose share refusals are counted.
var constructs = []struct {
	name     string
	spelling *regexp.Regexp
}{
	{"anchor", regexp.MustCompile(`\\[AzZ]|[$]|(?:^|[^\[])\^`)},
	{"atomic group", regexp.MustCompile(`\(\?>`)},
	{"back-reference", regexp.MustCompile(`\\[1-9]|\\k|\\g[^<']|\(\?P=`)},
	{"blanks or no minimum in {}", regexp.MustCompile(`\{ *(,| )[0-9, ]*\}|\{[0-9]*,? +[0-9, ]*\}`)},
	{"branch reset", regexp.MustCompile(`\(\?\|`)},
	{"callout", regexp.MustCompile(`\(\?C`)},
	{"capture group", regexp.MustCompile(`\((?:[^?*]|\?P?<[A-Za-z_]|\?')`)},
	{"class", regexp.MustCompile(`\[`)},
	{"class escape (\\d \\w ...)", regexp.MustCompile(`\\[dDwWsShHvV]`)},
	{"code point", regexp.MustCompile(`\\[xo0]`)},
	{"comment", regexp.MustCompile(`\(\?#`)},
	{"conditional", regexp.MustCompile(`\(\?\(`)},
	{"lazy repeat", regexp.MustCompile(`[*+?}]\?`)},
	{"lookahead", regexp.MustCompile(`\(\?[=!]`)},
	{"lookbehind", regexp.MustCompile(`\(\?<[=!]`)},
	{"named group", regexp.MustCompile(`\(\?(?:P?<[A-Za-z_]|')`)},
	{"newline sequence \\R", regexp.MustCompile(`\\R`)},
	{"not newline \\N", regexp.MustCompile(`\\N`)},
	{"option", regexp.MustCompile(`\(\?[\^imnsx-]*[imnsx^][\^imnsx-]*[:)]`)},
	{"POSIX class", regexp.MustCompile(`\[:\^?[a-z]+:\]`)},
	{"possessive repeat", regexp.MustCompile(`[*+?}]\+`)},
	{"property", regexp.MustCompile(`\\[pP]`)},
	{"quoting \\Q \\E", regexp.MustCompile(`\\[QE]`)},
	{"repeat", regexp.MustCompile(`[^(][*+?]|\{[0-9]+(,[0-9]*)?\}`)},
	{"subroutine or recursion", regexp.MustCompile(`\(\?(?:R|&|P>|[+-]?[0-9])|\\g[<']`)},
	{"verb", regexp.MustCompile(`\(\*`)},
	{"word boundary", regexp.MustCompile(`\\[bB]`)},
	{"\\K \\G \\C \\X", regexp.MustCompile(`\\[KGCX]`)},
}

// escapedSign matches an escaped character that might look like a construct.
var escapedSign = regexp.MustCompile(`\\[^A-Za-z0-9]`)

// constructsOf returns the names of the constructs in a pattern.
func constructsOf(pattern string) []string {
	pattern = escapedSign.ReplaceAllString(pattern, "_")
	var names []string
	for _, c := range constructs {
		if c.spelling.MatchString(pattern) {
			names = append(names, c.name)
		}
	}
	return names
}
