package pcre

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/meter"
)

// The bounds of a pattern. maxRepeat is PCRE2's own.
const (
	MaxBytes     = 4 << 10 // of its text
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

// Parse reads a pattern as PCRE2 does in UTF mode. Its grammar lists what is allowed: all else is
// an error, for people: it says what is wrong, at which character, and what would be right. It
// charges b for reading, and for the questions that a Tree answers without a Budget.
func Parse(pattern string, b *meter.Budget) (Tree, error) {
	if len(pattern) > MaxBytes {
		return Tree{}, fmt.Errorf("the regex has %d bytes, but at most %d are allowed", len(pattern), MaxBytes)
	}
	if !utf8.ValidString(pattern) {
		return Tree{}, fmt.Errorf("the regex is not valid UTF-8")
	}
	if err := b.Spend(len(pattern)*patternByteWork, 0); err != nil {
		return Tree{}, err
	}
	p := &parser{budget: b, newline: -1, text: []rune(pattern)}
	root := p.alternation()
	if !p.done() {
		p.fail(p.pos, `this ")" has no "(": write "\)" for the character`)
	}
	// PCRE2 would not give back what \S took for a \h or \v behind it, or the other way round.
	isBlank := func(class string) bool { return class == "h" || class == "v" }
	blanks, loopedBlanks := slices.ContainsFunc(p.classes, isBlank), slices.ContainsFunc(p.looped, isBlank)
	switch {
	case p.err != nil:
		return Tree{}, p.err
	case slices.Contains(p.looped, "S") && blanks || slices.Contains(p.classes, "S") && loopedBlanks:
		return Tree{}, fmt.Errorf(`\S together with \h or \v, one of them repeated, is not supported, since PCRE2 treats them as disjoint, which is wrong beyond ASCII: write [ \t] for \h and \n for \v`)
	case negated(p.looped) > 0 && negated(p.classes) > 1:
		return Tree{}, fmt.Errorf(`two negated properties, one of them repeated, are not supported, since PCRE2 treats them as disjoint: write [\P{L}] for \P{L}`)
	case p.newline >= 0 && p.varies:
		return Tree{}, errorAt(p.newline, `\R beside a quantifier is not supported, since PCRE2 gets it wrong after a repeat: write (?:\r\n|\n|\r)`)
	}
	settleLengths(root)
	return Tree{pattern, root}, nil
}

// negated counts the different negated properties among classes.
func negated(classes []string) (n int) {
	for i, class := range classes {
		if class[0] == '^' && !slices.Contains(classes[:i], class) {
			n++
		}
	}
	return n
}

type parser struct {
	budget   *meter.Budget
	text     []rune
	pos      int
	options  optionSet
	quoted   bool     // between \Q and \E
	nesting  int      // of groups
	captures []*node  // those begun so far; one that has not ended has no subs
	names    []string // of the captures; "" of one without
	ranges   int      // of all classes so far
	behind   int      // how many lookbehinds are being read
	classes  []string // the names of class escapes outside of classes
	looped   []string // those of them that a quantifier repeats
	newline  int      // where a \R stands, -1 for none
	varies   bool     // some quantifier has a minimum below its maximum

	// What the class that is being read has inside.
	hasNegated bool // \W, \S, \D or [:^...:]
	hasOther   bool // [:...:] or a property

	err error // the first one, which ends reading
}

// fail ends reading with an error at a character, if it is the first. It returns nil, for what reads a node.
func (p *parser) fail(at int, format string, args ...any) *node {
	if p.err == nil {
		p.err = errorAt(at, format, args...)
	}
	return nil
}

// spend pays for a step, and reports whether to take it.
func (p *parser) spend(work int) bool {
	if p.err == nil {
		p.err = p.budget.Spend(work, 0)
	}
	return p.err == nil
}

type optionSet uint

// optionLetters has the letter of each option, in the order of their bits.
const optionLetters = "imnsx"

const (
	optionCaseless  optionSet = 1 << iota // (?i)
	optionMultiline                       // (?m)
	optionNoCapture                       // (?n)
	optionDotAll                          // (?s)
	optionExtended                        // (?x)
)

// alternation reads up to the end of the group that it is in. An option that is set in
// one branch also holds in the branches after it.
func (p *parser) alternation() *node {
	at := p.pos
	first := p.concat()
	if !p.take("|") {
		return first
	}
	n := &node{op: opAlternate, at: at, subs: []*node{first}}
	for more := true; more; more = p.take("|") {
		n.subs = append(n.subs, p.concat())
	}
	return n
}

func (p *parser) concat() *node {
	at := p.pos
	var subs []*node
	for {
		p.skip()
		if p.done() || !p.quoted && (p.next() == '|' || p.next() == ')') {
			break
		}
		if item := p.item(); item != nil {
			subs = append(subs, p.repeated(item))
		}
	}
	if len(subs) == 1 {
		return subs[0]
	}
	return &node{op: opConcat, at: at, subs: subs}
}

// skip passes over what has no meaning of its own: comments, \Q and \E, and white
// space under (?x). All of it may come between an item and its quantifier.
func (p *parser) skip() {
	for {
		p.skipQuotes()
		start := p.pos
		switch {
		case p.done(), p.quoted:
			return
		case p.take("(?#"):
			if !p.skipPast(')') {
				p.fail(start, `this comment has no ")"`)
			}
		case p.has(optionExtended) && unicode.Is(unicode.Pattern_White_Space, p.next()):
			p.pos++
		case p.has(optionExtended) && p.take("#"):
			if !p.skipPast('\n') {
				p.pos = len(p.text)
			}
		default:
			return
		}
	}
}

// skipQuotes passes over \Q and \E.
func (p *parser) skipQuotes() {
	for {
		switch {
		case p.take(`\E`):
			p.quoted = false
		case p.quoted || !p.take(`\Q`):
			return
		default:
			p.quoted = true
		}
	}
}

func (p *parser) skipPast(end rune) bool {
	i := slices.Index(p.text[p.pos:], end)
	p.pos += i + 1
	return i >= 0
}

// item reads what a quantifier may follow. It returns nil for an option setting, which
// matches nothing and cannot be repeated.
func (p *parser) item() *node {
	start := p.pos
	if p.quoted {
		p.pos++
		return p.character(start, p.text[start])
	}
	if p.quantifier() != nil {
		return p.fail(start, `there is nothing for this quantifier to repeat: write "\%c" for the character, or ".*" for any text`, p.text[start])
	}
	p.pos = start + 1
	switch c := p.text[start]; c {
	case '\\':
		return p.escape(start)
	case '[':
		return p.class(start)
	case '(':
		return p.parenthesis(start)
	case '.':
		if p.has(optionDotAll) {
			return &node{op: opSet, at: start, set: anyClass}
		}
		return &node{op: opSet, at: start, set: newlineClass.negate()}
	case '^':
		if p.has(optionMultiline) {
			return &node{op: opBeginLine, at: start}
		}
		return &node{op: opBeginText, at: start}
	case '$':
		if p.has(optionMultiline) {
			return &node{op: opEndLine, at: start}
		}
		return &node{op: opEndOrNewline, at: start}
	default:
		return p.character(start, c)
	}
}

func (p *parser) character(start int, c rune) *node {
	return &node{op: opSet, at: start, set: p.span(c, c)}
}

// braced reads {...} and returns what is inside.
func (p *parser) braced() (string, bool) {
	start := p.pos
	if !p.take("{") || !p.skipPast('}') {
		p.pos = start
		return "", false
	}
	return string(p.text[start+1 : p.pos-1]), true
}

func (p *parser) has(option optionSet) bool {
	return p.options&option != 0
}

// done reports whether there is no more to read, as after an error.
func (p *parser) done() bool {
	return p.err != nil || p.pos == len(p.text)
}

// next returns the next character, or -1 at the end.
func (p *parser) next() rune {
	if p.done() {
		return -1
	}
	return p.text[p.pos]
}

func (p *parser) digitAt(i int) bool {
	return p.pos+i < len(p.text) && digitClass.holds(p.text[p.pos+i])
}

// take passes over s if it comes next, and reports whether it does.
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

// takeAll passes over the characters of a set that come next, and returns them.
func (p *parser) takeAll(set charset) string {
	start := p.pos
	for set.holds(p.next()) {
		p.pos++
	}
	return string(p.text[start:p.pos])
}

// errorAt returns an error that says where it is, in characters from 1.
func errorAt(pos int, format string, args ...any) error {
	return fmt.Errorf("character %d: %s", pos+1, fmt.Sprintf(format, args...))
}
