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

// alternatives returns the alternatives of the whole pattern, which may be only one.
func alternatives(tree *node) []*node {
	for tree.op == opCapture || tree.op == opConcat && len(tree.subs) == 1 {
		tree = tree.subs[0]
	}
	if tree.op != opAlternate {
		return []*node{tree}
	}
	return tree.subs
}

// IsHalfAnchored reports whether the pattern has alternatives of which only the first begins with ^, or only
// the last ends with $.
func (t *Tree) IsHalfAnchored() bool {
	all := alternatives(t.root)
	first, last := all[0], all[len(all)-1]
	for _, n := range all {
		if n != first && beginning(n) != nil || n != last && end(n) != nil {
			return false
		}
	}
	return first != last && (beginning(first) != nil || end(last) != nil)
}

// beginning returns the ^ in front of an alternative, or nil.
func beginning(n *node) *node {
	if n.op == opConcat && len(n.subs) > 0 {
		n = n.subs[0]
	}
	if n.op == opBeginText || n.op == opBeginLine {
		return n
	}
	return nil
}

// end returns the $ behind an alternative, or nil.
func end(n *node) *node {
	if n.op == opConcat && len(n.subs) > 0 {
		n = n.subs[len(n.subs)-1]
	}
	if n.op == opEndText || n.op == opEndLine || n.op == opEndOrNewline {
		return n
	}
	return nil
}

// Anchored returns a half-anchored pattern with its ^ and $ around all alternatives. It
// returns "" for any other pattern, if an anchor is missing or written differently, or if the
// result does not compile.
func (t *Tree) Anchored(b *meter.Budget) string {
	all := alternatives(t.root)
	first, last := beginning(all[0]), end(all[len(all)-1])
	if !t.IsHalfAnchored() || first == nil || last == nil {
		return ""
	}
	characters := []rune(t.pattern)
	from, to := first.at, last.at
	if characters[from] != '^' || characters[to] != '$' {
		return ""
	}
	pattern := string(characters[:from]) + "^(?:" + string(characters[from+1:to]) + ")$" + string(characters[to+1:])
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
