package pcre

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes is how long a pattern may be, in bytes.
const MaxBytes = 4 << 10

// The other bounds of a pattern. maxRepeat is PCRE2's own.
const (
	maxNesting   = 100
	maxRepeat    = 65535
	maxRanges    = 10_000
	maxGroupName = 32
	foldedRanges = 300 // to charge at most for folding a range, which may hold all cased characters
)

// A Tree is a pattern that has been read. It is immutable and safe for concurrent
// use.
type Tree struct {
	pattern string
	root    *node
}

// Parse reads a pattern. Its error is for people: it says what is wrong, at which
// character, and what would be right. Reading is paid for from b, and so are the
// questions that a Tree answers without a Budget.
func Parse(pattern string, b *Budget) (*Tree, error) {
	root, err := parse(pattern, b)
	if err != nil {
		return nil, err
	}
	return &Tree{pattern, root}, nil
}

// parse reads a pattern as PCRE2 does in UTF mode. Its grammar is a list of what is
// allowed. Anything else is an error that names it.
//
// Reading is paid for from b, and so are the walks over the tree that follow it.
func parse(pattern string, b *Budget) (*node, error) {
	if len(pattern) > MaxBytes {
		return nil, fmt.Errorf("the regex has %d bytes, but at most %d are allowed", len(pattern), MaxBytes)
	}
	if !utf8.ValidString(pattern) {
		return nil, fmt.Errorf("the regex is not valid UTF-8")
	}
	if err := b.Spend(len(pattern)*patternByteWork, 0); err != nil {
		return nil, err
	}
	p := &parser{budget: b, newline: -1, escaped: map[rune]bool{}, looped: map[rune]bool{}, text: []rune(pattern), names: map[string]int{}, open: map[int]bool{}}
	tree, err := p.alternation()
	if err != nil {
		return nil, err
	}
	if !p.done() {
		return nil, errorAt(p.pos, `this ")" closes nothing: write "\)" for the character`)
	}
	if p.takenForDisjoint() {
		return nil, fmt.Errorf(`\S together with \h or \v, one of them repeated, is not supported, since PCRE2 takes them for disjoint, which they are not beyond ASCII: write [ \t] for \h, \n for \v`)
	}
	if p.newline >= 0 && p.varies {
		return nil, errorAt(p.newline, `\R beside a quantifier is not supported, since PCRE2 gets it wrong behind a repeat: write (?:\r\n|\n|\r)`)
	}
	settleEmpty(tree)
	return tree, nil
}

// takenForDisjoint reports whether PCRE2 would not give back what \S took for a
// \h or \v behind it, or the other way round.
func (p *parser) takenForDisjoint() bool {
	blanks := p.escaped['h'] || p.escaped['v']
	loopedBlanks := p.looped['h'] || p.looped['v']
	return p.looped['S'] && blanks || p.escaped['S'] && loopedBlanks
}

type parser struct {
	budget  *Budget
	text    []rune
	pos     int
	options optionSet
	quoted  bool           // between \Q and \E
	nesting int            // of groups
	groups  int            // capture groups begun so far
	open    map[int]bool   // those of them that have not ended
	names   map[string]int // the groups that have a name
	inner   innerClasses   // of the class that is being read
	ranges  int            // of all classes so far
	behind  int            // how many lookbehinds are being read
	escaped map[rune]bool  // the letters of class escapes outside of classes
	looped  map[rune]bool  // those of them that a quantifier repeats
	newline int            // where a \R stands, -1 for none
	varies  bool           // some quantifier has a minimum below its maximum
}

type optionSet uint

const (
	optionCaseless     optionSet = 1 << iota // (?i)
	optionMultiline                          // (?m)
	optionNoCapture                          // (?n)
	optionDotAll                             // (?s)
	optionExtended                           // (?x)
	optionExtendedMore                       // (?xx)
)

// alternation reads up to the end of the group that it is in. An option set in
// one branch holds in the branches after it, too.
func (p *parser) alternation() (*node, error) {
	n := &node{op: opAlternate, at: p.pos}
	for {
		branch, err := p.concat()
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, branch)
		if !p.take("|") {
			break
		}
	}
	if len(n.subs) == 1 {
		return n.subs[0], nil
	}
	return n, nil
}

func (p *parser) concat() (*node, error) {
	n := &node{op: opConcat, at: p.pos}
	for {
		if err := p.skip(); err != nil {
			return nil, err
		}
		if p.done() || !p.quoted && (p.next() == '|' || p.next() == ')') {
			break
		}
		item, err := p.item()
		if err != nil {
			return nil, err
		}
		if item == nil {
			continue
		}
		if item, err = p.repeated(item); err != nil {
			return nil, err
		}
		n.subs = append(n.subs, item)
	}
	if len(n.subs) == 1 {
		return n.subs[0], nil
	}
	return n, nil
}

// skip passes over what stands for nothing: comments, \Q and \E themselves, and
// white space under (?x). All of it may come between an item and its quantifier.
func (p *parser) skip() error {
	for !p.done() {
		start := p.pos
		switch {
		case p.take(`\E`):
			p.quoted = false
		case p.quoted:
			return nil
		case p.take(`\Q`):
			p.quoted = true
		case p.take("(?#"):
			if !p.skipPast(')') {
				return errorAt(start, `this comment has no ")"`)
			}
		case p.has(optionExtended) && unicode.Is(unicode.Pattern_White_Space, p.next()):
			p.pos++
		case p.has(optionExtended) && p.take("#"):
			if !p.skipPast('\n') {
				p.pos = len(p.text)
			}
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) skipPast(end rune) bool {
	i := slices.Index(p.text[p.pos:], end)
	p.pos += i + 1
	return i >= 0
}

// item reads what a quantifier may follow. It is nil for an option setting,
// which matches nothing and cannot be repeated.
func (p *parser) item() (*node, error) {
	start := p.pos
	if p.quoted {
		p.pos++
		return p.character(start, p.text[start])
	}
	switch _, ok, err := p.quantifier(); {
	case err != nil:
		return nil, err
	case ok:
		return nil, errorAt(start, `there is nothing for this quantifier to repeat: write "\%c" for the character`, p.text[start])
	}
	p.pos++
	switch c := p.text[start]; c {
	case '\\':
		return p.escape(start)
	case '[':
		return p.class(start)
	case '(':
		return p.parenthesis(start)
	case '.':
		if p.has(optionDotAll) {
			return &node{op: opSet, at: start, set: anyClass}, nil
		}
		return &node{op: opSet, at: start, set: newlineClass.negate()}, nil
	case '^':
		if p.has(optionMultiline) {
			return &node{op: opBeginLine, at: start}, nil
		}
		return &node{op: opBeginText, at: start}, nil
	case '$':
		if p.has(optionMultiline) {
			return &node{op: opEndLine, at: start}, nil
		}
		return &node{op: opEndOrNewline, at: start}, nil
	default:
		return p.character(start, c)
	}
}

func (p *parser) character(start int, c rune) (*node, error) {
	set, err := p.span(c, c)
	return &node{op: opSet, at: start, set: set}, err
}

// braced reads {...} and gives what is inside.
func (p *parser) braced() (string, bool) {
	if p.next() != '{' {
		return "", false
	}
	end := slices.Index(p.text[p.pos:], '}')
	if end < 0 {
		return "", false
	}
	body := string(p.text[p.pos+1 : p.pos+end])
	p.pos += end + 1
	return body, true
}

func (p *parser) has(option optionSet) bool {
	return p.options&option != 0
}

func (p *parser) done() bool {
	return p.pos == len(p.text)
}

// next is the next character, or -1 at the end.
func (p *parser) next() rune {
	if p.done() {
		return -1
	}
	return p.text[p.pos]
}

func (p *parser) digitAt(i int) bool {
	return p.pos+i < len(p.text) && digitClass.holds(p.text[p.pos+i])
}

// take passes over s, if it comes next.
func (p *parser) take(s string) bool {
	pos := p.pos
	for _, r := range s {
		if pos == len(p.text) || p.text[pos] != r {
			return false
		}
		pos++
	}
	p.pos = pos
	return true
}

// errorAt returns an error that says where it is, in characters from 1.
func errorAt(pos int, format string, args ...any) error {
	return fmt.Errorf("character %d: %s", pos+1, fmt.Sprintf(format, args...))
}

// refusedGroups are the groups that no tree can hold, by what follows the "(?".
var refusedGroups = []struct{ begin, name string }{
	{"|", "a branch reset group"},
	{"(", "a conditional group"},
	{"&", "a subroutine call"},
	{"P>", "a subroutine call"},
	{"+", "a subroutine call"},
	{"R", "a recursion"},
	{"C", "a callout"},
	{"[", "an extended class"},
	{"*", "a non-atomic lookaround"},
	{"<*", "a non-atomic lookaround"},
}

// parenthesis reads what begins with "(": a group, a lookaround, an option
// setting or a back-reference by name.
func (p *parser) parenthesis(start int) (*node, error) {
	if p.next() == '*' {
		return nil, errorAt(start, `verbs and other "(*" items are not supported: write "\(*" for the characters`)
	}
	if !p.take("?") {
		if p.has(optionNoCapture) {
			return p.rest(start, nil)
		}
		return p.capture(start, "")
	}
	for _, refused := range refusedGroups {
		if p.take(refused.begin) {
			return nil, errorAt(start, `"(?%s" begins %s, which is not supported`, refused.begin, refused.name)
		}
	}
	if p.digitAt(0) || p.next() == '-' && p.digitAt(1) {
		return nil, errorAt(start, `"(?" and a number call a group as a subroutine, which is not supported`)
	}
	switch {
	case p.take(":"):
		return p.rest(start, nil)
	case p.take(">"):
		return p.rest(start, &node{op: opAtomic})
	case p.take("="):
		return p.rest(start, &node{op: opLookahead})
	case p.take("!"):
		return p.rest(start, &node{op: opNotLookahead})
	case p.take("<="):
		return p.lookbehind(start, &node{op: opLookbehind})
	case p.take("<!"):
		return p.lookbehind(start, &node{op: opNotLookbehind})
	case p.take("P<"), p.take("<"):
		return p.named(start, '>')
	case p.take("'"):
		return p.named(start, '\'')
	case p.take("P="):
		return p.namedBackref(start, ')')
	}
	return p.setting(start)
}

var optionLetters = map[rune]optionSet{
	'i': optionCaseless,
	'm': optionMultiline,
	'n': optionNoCapture,
	's': optionDotAll,
	'x': optionExtended,
}

// setting reads an option setting, for a group of its own or for the rest of
// the group that it is in.
func (p *parser) setting(start int) (*node, error) {
	outer := p.options
	inner := p.letters()
	switch {
	case p.take(")"):
		p.options = inner
		return nil, nil
	case p.take(":"):
		p.options = inner
		n, err := p.rest(start, nil)
		p.options = outer
		return n, err
	case p.done():
		return nil, errorAt(start, `this "(" has no ")"`)
	}
	return nil, errorAt(p.pos, `"%c" is no option here: only i, m, n, s, x and xx are supported`, p.next())
}

// letters gives the options that option letters make of the present ones.
func (p *parser) letters() optionSet {
	options := p.options
	reset := p.take("^")
	if reset {
		options = 0
	}
	var set, unset optionSet
	letters := &set
	for {
		option, ok := optionLetters[p.next()]
		switch {
		case ok:
			p.pos++
			*letters |= option
			if option == optionExtended && p.take("x") {
				*letters |= optionExtendedMore
			}
		case !reset && letters == &set && p.take("-"):
			letters = &unset
		default:
			if set&optionExtended != 0 && set&optionExtendedMore == 0 || unset&optionExtended != 0 {
				unset |= optionExtendedMore
			}
			return (options | set) &^ unset
		}
	}
}

func (p *parser) named(start int, end rune) (*node, error) {
	name, err := p.name(end)
	if err != nil {
		return nil, err
	}
	if p.names[name] != 0 {
		return nil, errorAt(start, "there is already a group with the name %s", name)
	}
	return p.capture(start, name)
}

// name reads a group's name and the character that ends it.
func (p *parser) name(end rune) (string, error) {
	start := p.pos
	for wordClass.holds(p.next()) {
		p.pos++
	}
	name := string(p.text[start:p.pos])
	if name == "" || onlyDigits(name[:1]) || len(name) > maxGroupName || !p.take(string(end)) {
		return "", errorAt(start, `a group's name consists of at most %d ASCII letters, digits and "_", begins with no digit and ends with "%c"`, maxGroupName, end)
	}
	return name, nil
}

func (p *parser) capture(start int, name string) (*node, error) {
	p.groups++
	group := p.groups
	if name != "" {
		p.names[name] = group
	}
	p.open[group] = true
	n, err := p.rest(start, &node{op: opCapture, group: group})
	delete(p.open, group)
	return n, err
}

// rest reads the rest of a group, up to its ")", into n, or into a
// group that only groups.
func (p *parser) rest(start int, n *node) (*node, error) {
	if p.nesting++; p.nesting > maxNesting {
		return nil, errorAt(start, "groups are nested deeper than %d", maxNesting)
	}
	options := p.options
	sub, err := p.alternation()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, errorAt(start, `this "(" has no ")": write "\(" for the character`)
	}
	// Some walks over the tree look at a part once for each group around it.
	if err := p.budget.Spend((p.pos-start)*groupWork, 0); err != nil {
		return nil, err
	}
	p.options = options
	p.nesting--
	if n == nil {
		n = &node{op: opConcat}
	}
	n.at = start
	n.subs = []*node{sub}
	return n, nil
}

// lookbehind reads a lookbehind. PCRE2 lets each branch have its own length,
// if that is fixed; from 10.43 on it has ways to do more, which we have not.
func (p *parser) lookbehind(start int, n *node) (*node, error) {
	p.behind++
	n, err := p.rest(start, n)
	p.behind--
	if err != nil {
		return nil, err
	}
	branches := n.subs
	if n.subs[0].op == opAlternate {
		branches = n.subs[0].subs
	}
	for _, branch := range branches {
		if _, fixed := fixedLength(branch); !fixed {
			return nil, errorAt(start, "each branch of a lookbehind must have a fixed length: no back-reference, no \\R, no *, + or ?, no branches of different lengths in a group inside")
		}
	}
	return n, nil
}

// repeated reads the quantifier of an item, if there is one.
func (p *parser) repeated(item *node) (*node, error) {
	if err := p.skip(); err != nil || p.quoted {
		return item, err
	}
	start := p.pos
	q, ok, err := p.quantifier()
	if err != nil || !ok {
		return item, err
	}
	possessive := p.take("+")
	lazy := !possessive && p.take("?")
	switch item.op {
	case opLookahead, opNotLookahead, opLookbehind, opNotLookbehind:
		if possessive {
			return nil, errorAt(start, `a lookaround cannot be possessive: leave the "+" out`)
		}
		if p.behind > 0 {
			return nil, errorAt(start, "a lookaround inside a lookbehind cannot be repeated: leave the quantifier out")
		}
		// Asserting twice is asserting once.
		q.min, q.max = min(q.min, 1), 1
	case opBeginText, opBeginLine, opEndText, opEndLine, opEndOrNewline, opWordBoundary, opNotWordBoundary:
		return nil, errorAt(start, "an anchor or word boundary cannot be repeated: put it into (?:...)")
	}
	p.varies = p.varies || q.min != q.max
	if item.class != 0 {
		p.looped[item.class] = true
	}
	n := &node{op: opRepeat, at: item.at, subs: []*node{item}, min: q.min, max: q.max, lazy: lazy}
	if possessive {
		n = &node{op: opAtomic, at: item.at, subs: []*node{n}}
	}
	return n, nil
}

type repeatCounts struct{ min, max int }

// quantifier reads a quantifier without its "?" or "+". A "{" that begins none
// is an ordinary character.
func (p *parser) quantifier() (q repeatCounts, ok bool, err error) {
	switch {
	case p.take("*"):
		return repeatCounts{0, unbounded}, true, nil
	case p.take("+"):
		return repeatCounts{1, unbounded}, true, nil
	case p.take("?"):
		return repeatCounts{0, 1}, true, nil
	}
	start := p.pos
	body, ok := p.counts()
	if !ok {
		return q, false, nil
	}
	low, high, comma := strings.Cut(body, ",")
	if low == "" || !onlyDigits(low) || !onlyDigits(high) {
		low, high = strings.Trim(low, " \t"), strings.Trim(high, " \t")
		if low+high != "" && onlyDigits(low+high) {
			return q, false, errorAt(start, `"{%s}" is read differently by different versions of PCRE2: write {n}, {n,} or {n,m} without blanks, or "\{" for the character`, body)
		}
		p.pos = start
		return q, false, nil
	}
	if q.min, ok = smallNumber(low); !ok {
		return q, false, errorAt(start, "a quantifier cannot be more than %d", maxRepeat)
	}
	switch {
	case !comma:
		q.max = q.min
	case high == "":
		q.max = unbounded
	default:
		if q.max, ok = smallNumber(high); !ok {
			return q, false, errorAt(start, "a quantifier cannot be more than %d", maxRepeat)
		}
		if q.max < q.min {
			return q, false, errorAt(start, "the numbers of {%s} are out of order: write {%s,%s}", body, high, low)
		}
	}
	if q.max == 0 {
		return q, false, errorAt(start, "{%s} repeats nothing, which some versions of PCRE2 get wrong: leave out what it stands behind", body)
	}
	return q, true, nil
}

// counts reads what braces hold of nothing but digits, commas and blanks.
func (p *parser) counts() (string, bool) {
	end := p.pos + 1
	for end < len(p.text) && strings.ContainsRune("0123456789, \t", p.text[end]) {
		end++
	}
	if p.next() != '{' || end >= len(p.text) || p.text[end] != '}' {
		return "", false
	}
	body := string(p.text[p.pos+1 : end])
	p.pos = end + 1
	return body, true
}

func onlyDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// smallNumber is the number that digits make, if it is not beyond maxRepeat.
func smallNumber(digits string) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n <= maxRepeat
}
