package pcre

import (
	"strconv"
	"strings"
)

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
			return nil, errorAt(start, `a lookaround cannot be possessive: remove the "+"`)
		}
		if p.behind > 0 {
			return nil, errorAt(start, "a lookaround inside a lookbehind cannot be repeated: remove the quantifier")
		}
		// Asserting twice is asserting once.
		q.min, q.max = min(q.min, 1), 1
	case opBeginText, opBeginLine, opEndText, opEndLine, opEndOrNewline, opWordBoundary, opNotWordBoundary:
		return nil, errorAt(start, "an anchor or word boundary cannot be repeated: put it into (?:...)")
	}
	p.varies = p.varies || q.min != q.max
	if item.class != "" {
		p.looped[item.class] = true
	}
	n := &node{op: opRepeat, at: item.at, subs: []*node{item}, min: q.min, max: q.max, lazy: lazy}
	if possessive {
		n = &node{op: opAtomic, at: item.at, subs: []*node{n}}
	}
	return n, nil
}

type repeatCounts struct{ min, max int }

// quantifier reads a quantifier without its "?" or "+", and reports whether there is
// one. A "{" that does not begin a quantifier is an ordinary character.
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
		return q, false, errorAt(start, "{%s} repeats nothing, which some versions of PCRE2 get wrong: remove the item before it", body)
	}
	return q, true, nil
}

// counts reads braces that hold only digits, commas and blanks, and returns what they hold.
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

// smallNumber returns the number that digits make, and whether it is at most maxRepeat.
func smallNumber(digits string) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n <= maxRepeat
}
