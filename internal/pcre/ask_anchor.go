package pcre

import (
	"slices"
	"unicode"
)

// MatchesAll reports whether the pattern matches every text, and whether it matches at least
// every text without a newline.
func (t *Tree) MatchesAll() (texts, lines bool) {
	all := t.alternatives()
	return slices.ContainsFunc(all, alternative.matchesTexts), slices.ContainsFunc(all, alternative.matchesLines)
}

func (a alternative) matchesTexts() bool {
	isOpen := a.begin == nil || a.end == nil || a.end.op == opEndLine
	return a.matchesLines() && (isOpen || slices.ContainsFunc(a.between, func(part *node) bool { return slices.Equal(repeated(part), anyClass) }))
}

func (a alternative) matchesLines() bool {
	if slices.ContainsFunc(a.between, func(part *node) bool { return !part.isOptional(a.begin == nil) }) {
		return false
	}
	return a.begin == nil || a.end == nil || slices.ContainsFunc(a.between, matchesAnything)
}

// isOptional reports whether n matches the empty string at every place, or only atEnd of the text, where nothing
// follows that a lookahead could exclude.
func (n *node) isOptional(atEnd bool) bool {
	switch {
	case n.op == opRepeat && n.min == 0:
		return true
	case n.op == opNotLookahead:
		return atEnd && !n.subs[0].mayBeEmpty()
	}
	return n.mayBeEmpty() && !hasAssertion(n)
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
	all := t.alternatives()
	if slices.ContainsFunc(all, func(a alternative) bool { return slices.ContainsFunc(a.between, hasAssertion) }) {
		return Closed
	}
	return max(openSide(all, false), openSide(all, true))
}

func openSide(all []alternative, atEnd bool) Opening {
	opening := Search
	for _, a := range all {
		isAnchored := !atEnd && a.begin != nil || atEnd && a.end != nil
		if isAnchored || len(a.between) == 0 || matchesAnything(outermost(a.between, atEnd)) {
			return Closed
		}
		side := outermost(a.between, atEnd)
		switch isRepeated := side.op == opRepeat; {
		case isRepeated && side.max > 1, !isRepeated && !atEnd && a.end != nil && !isSeparator(side):
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
