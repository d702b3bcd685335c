package pcre

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const writeHex = `write \x{...} for a character by its code point`

// refusedEscapes are the letters behind a backslash that a tree cannot hold, that another
// escape replaces, or that PCRE2 itself refuses.
var refusedEscapes = map[rune]string{
	'C': "a single byte",
	'F': "case folding",
	'G': "where the search began",
	'K': "another start of the match",
	'L': "lower case",
	'N': "a character by its name",
	'U': "upper case",
	'X': "a grapheme cluster",
	'c': `write \x{...} for a control character`,
	'g': `write \1 or \k<name> for a back-reference`,
	'l': "lower case",
	'o': writeHex,
	'u': writeHex,
}

var assertionEscapes = map[rune]op{
	'A': opBeginText, 'B': opNotWordBoundary, 'Z': opEndOrNewline, 'b': opWordBoundary, 'z': opEndText,
}

// escape reads what follows a backslash outside a class.
func (p *parser) escape(start int) *node {
	c := p.escaped(start)
	if assertion, ok := assertionEscapes[c]; ok {
		return &node{op: assertion, at: start}
	}
	switch c {
	case 'R':
		p.newline = start
		return newlineSequence(start)
	case 'N':
		return p.notNewline(start)
	case 'k':
		return p.backrefByName(start)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.pos--
		group, _ := smallNumber(p.takeAll(digitClass))
		return p.backref(start, group)
	}
	if set, class := p.classEscape(start, c); class != "" {
		p.classes = append(p.classes, class)
		p.count(start, set)
		return &node{op: opSet, at: start, set: set, class: class}
	}
	return p.character(start, p.characterEscape(start, c))
}

// escaped reads the character behind a backslash.
func (p *parser) escaped(start int) rune {
	if p.done() {
		p.fail(start, `a "\" at the end escapes nothing: write "\\" for the character`)
		return 0
	}
	p.pos++
	return p.text[p.pos-1]
}

// newlineSequence returns \R, which does not give back the \n of a \r\n.
func newlineSequence(start int) *node {
	set := func(set charset) *node { return &node{op: opSet, at: start, set: set} }
	return &node{op: opAtomic, at: start, subs: []*node{{op: opAlternate, at: start, subs: []*node{
		{op: opConcat, at: start, subs: []*node{set(charset{'\r', '\r'}), set(newlineClass)}},
		set(verticalClass),
	}}}}
}

// notNewline reads the rest of \N. With braces that are not a quantifier it would name
// a character, which is refused.
func (p *parser) notNewline(start int) *node {
	behind := p.pos
	isQuantified := p.quantifier() != nil
	p.pos = behind
	if !isQuantified && p.next() == '{' {
		return p.unsupported(start, 'N')
	}
	return &node{op: opSet, at: start, set: newlineClass.negate()}
}

// backrefByName reads the rest of \k.
func (p *parser) backrefByName(start int) *node {
	for _, marks := range []string{"<>", "''", "{}"} {
		if p.take(marks[:1]) {
			return p.namedBackref(start, rune(marks[1]))
		}
	}
	return p.fail(start, `"\k" must be followed by a group's name: \k<name>, \k'name' or \k{name}`)
}

func (p *parser) namedBackref(start int, end rune) *node {
	return p.backref(start, slices.Index(p.names, p.name(end))+1)
}

func (p *parser) backref(start, group int) *node {
	if group < 1 || group > len(p.captures) {
		return p.fail(start, "a back-reference must refer to an earlier group, and there is no such group")
	}
	captured := p.captures[group-1]
	if captured.subs == nil { // it has not ended
		return p.fail(start, "a back-reference inside the group that it refers to is not supported")
	}
	captured.referred = true
	return &node{op: opBackref, at: start, group: group, caseless: p.has(optionCaseless)}
}

// classEscape reads the escapes that stand for one of several characters.
// It returns their name, which is "" for any other escape.
func (p *parser) classEscape(start int, c rune) (set charset, class string) {
	if c == 'p' || c == 'P' {
		return p.property(start, c == 'P')
	}
	if set, ok := escapeClasses[c]; ok {
		return set, string(c)
	}
	if set, ok := escapeClasses[unicode.ToLower(c)]; ok && c <= unicode.MaxASCII {
		return set.negate(), string(c)
	}
	return nil, ""
}

// property reads the rest of \p or \P. The name of a negated one begins with a circumflex.
func (p *parser) property(start int, negated bool) (set charset, class string) {
	name, braced := p.braced()
	if !braced && !p.done() {
		name = string(p.next())
		p.pos++
	}
	if rest, ok := strings.CutPrefix(name, "^"); ok && braced {
		name, negated = rest, !negated
	}
	if !p.spend(propertyClassWork) {
		return nil, ""
	}
	property, ok := properties[name]
	if !ok {
		p.fail(start, "%.20q is not a supported property: only general categories are, such as L, Lu, Nd or P, and Any and L&", name)
		return nil, ""
	}
	if p.has(optionCaseless) && (name == "Lu" || name == "Ll" || name == "Lt") {
		p.fail(start, `\p{%s} under (?i) is read differently by different versions of PCRE2: write \p{L&}`, name)
	}
	if negated {
		return property().negate(), "^" + name
	}
	return property(), "p"
}

var controlEscapes = map[rune]rune{'a': '\a', 'e': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// characterEscape reads the escapes that stand for one character.
func (p *parser) characterEscape(start int, c rune) rune {
	if r, ok := controlEscapes[c]; ok {
		return r
	}
	switch c {
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if p.digitAt(0) {
			p.fail(start, "octal codes of several digits are not supported: %s", writeHex)
		}
		return c - '0' // behind a backslash outside of a class, it would be a group
	case 'x':
		return p.hex(start)
	}
	if c <= unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
		p.unsupported(start, c)
	}
	return c
}

// hex reads a code point in braces, or one or two hexadecimal digits. Without any, PCRE2
// reads \x00, which can only be a mistake.
func (p *parser) hex(start int) rune {
	isBraced := p.next() == '{'
	digits, _ := p.braced()
	for len(digits) < 2 && !isBraced && xdigitClass.holds(p.next()) {
		digits += string(p.next())
		p.pos++
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case err == nil && utf8.ValidRune(rune(n)):
		return rune(n)
	case isBraced:
		p.fail(start, `%.20q does not give a character: write its code point in hexadecimal, \x{...}`, string(p.text[start:p.pos]))
	default:
		p.fail(start, `"\x" must be followed by hexadecimal digits`)
	}
	return 0
}

func (p *parser) unsupported(start int, c rune) *node {
	if name, ok := refusedEscapes[c]; ok {
		return p.fail(start, `"\%c" is not supported (%s)`, c, name)
	}
	return p.fail(start, `"\%c" is not an escape of PCRE2: remove the "\" to match the character`, c)
}
