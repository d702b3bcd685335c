package pcre

import (
	"strconv"
	"strings"
)

// repeated reads the quantifier of an item, if there is one.
func (p *parser) repeated(item *node) *node {
	p.skip()
	if p.quoted {
		return item
	}
	start := p.pos
	n := p.quantifier()
	if n == nil {
		return item
	}
	possessive := p.take("+")
	n.lazy = !possessive && p.take("?")
	switch item.op {
	case opLookahead, opNotLookahead, opLookbehind, opNotLookbehind:
		if possessive {
			return p.fail(start, `a lookaround cannot be possessive: remove the "+"`)
		}
		if p.behind > 0 {
			return p.fail(start, "a lookaround inside a lookbehind cannot be repeated: remove the quantifier")
		}
		// Asserting twice is asserting once.
		n.min, n.max = min(n.min, 1), 1
	case opBeginText, opBeginLine, opEndText, opEndLine, opEndOrNewline, opWordBoundary, opNotWordBoundary:
		return p.fail(start, "an anchor or word boundary cannot be repeated: put it into (?:...)")
	}
	p.varies = p.varies || n.min != n.max
	if item.class != "" {
		p.looped = append(p.looped, item.class)
	}
	n.at, n.subs = item.at, []*node{item}
	if possessive {
		n = &node{op: opAtomic, at: item.at, subs: []*node{n}}
	}
	return n
}

// quantifier reads a quantifier without its "?" or "+", as a repeat of nothing yet; nil if there
// is none, or it is wrong. A "{" that does not begin a quantifier is an ordinary character.
func (p *parser) quantifier() *node {
	switch {
	case p.take("*"):
		return &node{op: opRepeat, min: 0, max: unbounded}
	case p.take("+"):
		return &node{op: opRepeat, min: 1, max: unbounded}
	case p.take("?"):
		return &node{op: opRepeat, min: 0, max: 1}
	case p.take("{"):
		return p.counts(p.pos - 1)
	}
	return nil
}

var countClass = charset{'\t', '\t', ' ', ' ', ',', ',', '0', '9'}

// counts reads the rest of a quantifier in braces, which hold only digits, commas and blanks.
func (p *parser) counts(start int) *node {
	body := p.takeAll(countClass)
	if !p.take("}") {
		p.pos = start
		return nil
	}
	low, high, comma := strings.Cut(body, ",")
	if !comma {
		high = low
	}
	if low == "" || !onlyDigits(low) || !onlyDigits(high) {
		low, high = strings.Trim(low, " \t"), strings.Trim(high, " \t")
		if low+high != "" && onlyDigits(low+high) {
			return p.fail(start, `"{%s}" is read differently by different versions of PCRE2: write {n}, {n,} or {n,m} without blanks, or "\{" for the character`, body)
		}
		p.pos = start
		return nil
	}
	least, isSmall := smallNumber(low)
	most := unbounded
	if isSmall && high != "" {
		most, isSmall = smallNumber(high)
	}
	switch {
	case !isSmall:
		return p.fail(start, "a quantifier cannot be more than %d", maxRepeat)
	case high != "" && most < least:
		return p.fail(start, "the numbers of {%s} are out of order: write {%s,%s}", body, high, low)
	case most == 0:
		return p.fail(start, "{%s} repeats nothing, which some versions of PCRE2 get wrong: remove the item before it", body)
	}
	return &node{op: opRepeat, min: least, max: most}
}

func onlyDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// smallNumber returns the number that digits make, and whether it is at most maxRepeat.
func smallNumber(digits string) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n <= maxRepeat
}
