package pcre

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printFor returns a tree as text for one of the engines. It spells out every set of characters and uses no
// option, so that the engine has nothing left to read in its own way.
func printFor(tree *node, target engine) string {
	p := &printer{engine: target, ordered: tree.hasOp(opAtomic, opBackref)}
	p.print(tree)
	return strings.Clone(p.String()) // without the rest of the buffer, since engines keep it
}

type printer struct {
	strings.Builder
	engine  engine
	ordered bool // whether it matters which way of matching is tried first
	inClass bool // between [ and ]
}

// engineAssertions has the text of the assertions for each engine. The backtracking
// engine's \b knows all of Unicode, and its ^ matches behind a newline that ends the
// subject. The linear engine gets \Z only where nothing follows, and ECMA-262 never
// gets the beginning of a line.
var engineAssertions = map[op][3]string{
	opBeginText:       {`^`, `\A`, `^`},
	opBeginLine:       {`(?m:^)`, `(?:\A|(?<=\n)(?!\z))`},
	opEndText:         {`$`, `\z`, `$`},
	opEndLine:         {`(?m:$)`, `(?=\n|\z)`, `(?=\n|$)`},
	opEndOrNewline:    {`\n?$`, `(?=\n?\z)`, `(?=\n?$)`},
	opWordBoundary:    {`\b`, `(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))`, `\b`},
	opNotWordBoundary: {`\B`, `(?:(?<=[0-9A-Z_a-z])(?=[0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?![0-9A-Z_a-z]))`, `\B`},
}

var groupBegin = map[op]string{
	opLookahead:     "(?=",
	opNotLookahead:  "(?!",
	opLookbehind:    "(?<=",
	opNotLookbehind: "(?<!",
}

// barrier begins a group that captures, with a number beyond any group of a pattern.
// It keeps the backtracking engine from optimizations that are wrong, or that change
// the order in which it tries things. One makes a single repeat of two, but
// (?>a{1,3})+ does not match all that a+ does, and (?:a{2,4})+ does not begin with
// what a{2,} begins with. Another continues the search where a lazy repeat in an
// atomic group ended.
const barrier = "(?<9999>"

func (p *printer) print(n *node) {
	switch n.op {
	case opSet:
		p.printSet(n.set)
	case opConcat:
		for _, sub := range n.subs {
			if sub.op == opAlternate {
				p.printGroup(sub, "(?:")
				continue
			}
			p.print(sub)
		}
	case opAlternate:
		for i, sub := range n.subs {
			if i > 0 {
				p.WriteByte('|')
			}
			p.print(sub)
		}
	case opRepeat:
		p.printRepeated(n.subs[0])
		p.printQuantifier(n)
	case opCapture:
		begin := "(?:" // unless something refers to it
		if n.referred {
			begin = fmt.Sprintf("(?<%d>", n.group)
		}
		p.printGroup(n.subs[0], begin)
	case opAtomic:
		p.printGroup(n.subs[0], "(?>"+barrier)
		p.WriteByte(')')
	case opBackref:
		text := fmt.Sprintf(`\k<%d>`, n.group)
		if n.caseless {
			text = "(?i:" + text + ")"
		}
		p.WriteString(text)
	default:
		if begin, ok := groupBegin[n.op]; ok {
			p.printGroup(n.subs[0], begin)
			return
		}
		p.WriteString(engineAssertions[n.op][p.engine])
	}
}

func (p *printer) printRepeated(n *node) {
	switch {
	case n.op == opSet, n.op == opCapture && p.engine != backtrackingEngine: // which has its own brackets
		p.print(n)
	case p.ordered:
		p.printGroup(n, barrier)
	default:
		p.printGroup(n, "(?:")
	}
}

func (p *printer) printGroup(n *node, begin string) {
	p.WriteString(begin)
	p.print(n)
	p.WriteByte(')')
}

func (p *printer) printQuantifier(n *node) {
	switch {
	case n.max == unbounded && n.min <= 1:
		p.WriteByte("*+"[n.min])
	case n.max == unbounded:
		fmt.Fprintf(p, "{%d,}", n.min)
	case n.min == 0 && n.max == 1:
		p.WriteByte('?')
	case n.min == n.max:
		fmt.Fprintf(p, "{%d}", n.min)
	default:
		fmt.Fprintf(p, "{%d,%d}", n.min, n.max)
	}
	if n.lazy {
		p.WriteByte('?')
	}
}

// printSet writes a set as a literal or a class: a negated one if it reaches to the last character.
func (p *printer) printSet(set charset) {
	switch {
	case len(set) == 0:
		p.printClass("[^", anyClass)
	case len(set) == 2 && set[0] == set[1]:
		p.printCharacter(set[0])
	case set[len(set)-1] == unicode.MaxRune && (len(set) > 2 || set[0] > 0):
		p.printClass("[^", set.negate())
	default:
		p.printClass("[", set)
	}
}

func (p *printer) printClass(begin string, set charset) {
	p.WriteString(begin)
	p.inClass = true
	for i := 0; i < len(set); i += 2 {
		p.printCharacter(set[i])
		if set[i] < set[i+1] {
			p.WriteByte('-')
			p.printCharacter(set[i+1])
		}
	}
	p.inClass = false
	p.WriteByte(']')
}

// printCharacter writes a character: as it is, for people to read, if it is no syntax.
func (p *printer) printCharacter(r rune) {
	isWord := r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
	switch {
	case p.engine == backtrackingEngine && r <= unicode.MaxASCII && !isWord: // an escaped hyphen begins no range for it
		fmt.Fprintf(p, `\x{%x}`, r)
	case isWord, strings.ContainsRune(" !\"#%&',:;<=>@_`~", r), r == '-' && !p.inClass:
		p.WriteRune(r)
	case r > ' ' && r < 0x7f:
		p.WriteByte('\\')
		p.WriteRune(r)
	case p.engine == ecmaEngine && r <= 0xff:
		fmt.Fprintf(p, `\x%02X`, r)
	case p.engine == ecmaEngine:
		fmt.Fprintf(p, `\u{%X}`, r)
	case r > unicode.MaxASCII && utf8.ValidRune(r):
		p.WriteRune(r) // three times as short as its code point
	default:
		fmt.Fprintf(p, `\x{%x}`, r)
	}
}
