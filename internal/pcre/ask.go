package pcre

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
)

// hasAssertion reports whether n depends on more than the text that it matches.
func hasAssertion(n *node) bool {
	return n.has(func(part *node) bool { return part.op >= opLookahead })
}

// An alternative is one of those of the whole pattern.
type alternative struct {
	begin, end *node   // its ^ and its $, or nil
	between    []*node // its other parts
}

// alternatives returns those of the whole pattern, which may be only one.
func (t *Tree) alternatives() (all []alternative) {
	n := t.root
	for n.op == opCapture || n.op == opConcat && len(n.subs) == 1 {
		n = n.subs[0]
	}
	for _, branch := range n.branches() {
		a := alternative{between: []*node{branch}}
		if branch.op == opConcat {
			a.between = branch.subs
		}
		if len(a.between) > 0 && slices.Contains(beginnings, a.between[0].op) {
			a.begin, a.between = a.between[0], a.between[1:]
		}
		if last := len(a.between) - 1; last >= 0 && slices.Contains(ends, a.between[last].op) {
			a.end, a.between = a.between[last], a.between[:last]
		}
		all = append(all, a)
	}
	return all
}

var beginnings, ends = []op{opBeginText, opBeginLine}, []op{opEndText, opEndLine, opEndOrNewline}

// IsHalfAnchored reports whether the pattern has alternatives of which only the first begins with ^, or only
// the last ends with $.
func (t *Tree) IsHalfAnchored() bool {
	all := t.alternatives()
	last := len(all) - 1
	for i, a := range all {
		if i > 0 && a.begin != nil || i < last && a.end != nil {
			return false
		}
	}
	return last > 0 && (all[0].begin != nil || all[last].end != nil)
}

// Anchored returns a half-anchored pattern with its ^ and $ around all alternatives. It
// returns "" for any other pattern, if an anchor is missing or written differently, or if the
// result does not compile.
func (t *Tree) Anchored(b *meter.Budget) string {
	all := t.alternatives()
	first, last, text := all[0].begin, all[len(all)-1].end, []rune(t.pattern)
	if !t.IsHalfAnchored() || first == nil || last == nil || text[first.at] != '^' || text[last.at] != '$' {
		return ""
	}
	pattern := string(text[:first.at]) + "^(?:" + string(text[first.at+1:last.at]) + ")$" + string(text[last.at+1:])
	if _, err := Compile(pattern, b); err != nil {
		return ""
	}
	return pattern
}

// NeedsMoreThan reports whether every match has a character that is not one of characters.
// It ignores lookarounds and back-references, so it may return false if only they demand
// such a character.
func (t *Tree) NeedsMoreThan(characters string) bool { return t.root.needsMoreThan(characters) }

func (n *node) needsMoreThan(characters string) bool {
	needs := func(sub *node) bool { return sub.needsMoreThan(characters) }
	switch n.op {
	case opSet:
		return !strings.ContainsFunc(characters, n.set.holds)
	case opConcat:
		return slices.ContainsFunc(n.subs, needs)
	case opAlternate:
		return !slices.ContainsFunc(n.subs, func(sub *node) bool { return !needs(sub) })
	case opRepeat:
		return n.min > 0 && needs(n.subs[0])
	case opCapture, opAtomic:
		return needs(n.subs[0])
	}
	return false
}
