package pcre

import (
	"slices"
	"unicode"
)

// MatchesAll reports whether the pattern matches every text, and whether it matches at least
// every text without a newline.
func (t *Tree) MatchesAll() (texts, lines bool) {
	all := alternatives(t.root)
	return slices.ContainsFunc(all, matchesTexts), slices.ContainsFunc(all, matchesLines)
}

func matchesTexts(n *node) bool {
	isOpen := beginning(n) == nil || end(n) == nil || end(n).op == opEndLine
	return matchesLines(n) && (isOpen || slices.ContainsFunc(between(n), func(part *node) bool { return slices.Equal(repeated(part), anyClass) }))
}

func matchesLines(n *node) bool {
	parts := between(n)
	if slices.ContainsFunc(parts, func(part *node) bool { return !part.empty || hasAssertion(part) }) {
		return false
	}
	return beginning(n) == nil || end(n) == nil || slices.ContainsFunc(parts, matchesAnything)
}

// between returns the parts of an alternative between its ^ and $.
func between(n *node) []*node {
	parts := []*node{n}
	if n.op == opConcat {
		parts = n.subs
	}
	if beginning(n) != nil {
		parts = parts[1:]
	}
	if len(parts) > 0 && end(n) != nil {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// matchesAnything reports whether n is any character, as often as may be, as in .* and .+.
func matchesAnything(n *node) bool {
	return slices.Equal(unionOf(repeated(n), newlineClass), anyClass)
}

// repeated returns the characters of which n matches any, as often as may be.
func repeated(n *node) charset {
	for n.op == opCapture || n.op == opAtomic {
		n = n.subs[0]
	}
	if n.op != opRepeat || n.max != unbounded || n.subs[0].op != opSet {
		return nil
	}
	return n.subs[0].set
}

// An Opening says how a pattern matches part of a longer text, if nothing shows that this is meant, as .*
// would: at one side no alternative has an anchor.
type Opening int

// The openings, of which the last one counts that a side has.
const (
	Closed Opening = iota
	Search         // this may be meant
	Idle           // of a repetition at that side, only the least number counts: ^[a-z]+ matches what ^[a-z] matches
	Cut            // the whole text is meant: there is a count at that side, or only a $
)

// Open returns how the pattern matches part of a longer text.
func (t *Tree) Open() Opening {
	all := alternatives(t.root)
	if slices.ContainsFunc(all, func(n *node) bool { return slices.ContainsFunc(between(n), hasAssertion) }) {
		return Closed
	}
	return max(openSide(all, false), openSide(all, true))
}

func openSide(all []*node, atEnd bool) Opening {
	anchor := beginning
	if atEnd {
		anchor = end
	}
	opening := Search
	for _, n := range all {
		parts := between(n)
		if anchor(n) != nil || len(parts) == 0 || matchesAnything(outermost(parts, atEnd)) {
			return Closed
		}
		side := outermost(parts, atEnd)
		switch isRepeated := side.op == opRepeat; {
		case isRepeated && side.max > 1, !isRepeated && !atEnd && end(n) != nil && !isSeparator(side):
			opening = Cut
		case isRepeated && side.min != side.max:
			opening = max(opening, Idle)
		}
	}
	return opening
}

// isSeparator reports whether n is a character such as a dot, with which the end of a text may begin.
func isSeparator(n *node) bool {
	return n.op == opSet && len(n.set) == 2 && n.set[0] == n.set[1] && !unicode.IsLetter(n.set[0]) && !unicode.IsDigit(n.set[0])
}

// outermost returns the first or the last part, looking into groups.
func outermost(parts []*node, last bool) *node {
	for {
		n := parts[0]
		if last {
			n = parts[len(parts)-1]
		}
		if n.op != opConcat && n.op != opCapture && n.op != opAtomic || len(n.subs) == 0 {
			return n
		}
		parts = n.subs
	}
}
