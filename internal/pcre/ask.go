package pcre

import (
	"slices"
	"strings"
)

// HasAssertion reports whether the pattern demands anything of what is around its
// match: an anchor, a word boundary or a lookaround.
func (t *Tree) HasAssertion() bool {
	return slices.ContainsFunc([]op{
		opBeginText, opBeginLine, opEndText, opEndLine, opEndOrNewline, opWordBoundary, opNotWordBoundary,
		opLookahead, opNotLookahead, opLookbehind, opNotLookbehind,
	}, func(assertion op) bool { return hasOp(t.root, assertion) })
}

// alternatives returns those of the whole pattern, or nil where it has only one.
func alternatives(tree *node) []*node {
	for tree.op == opCapture || tree.op == opConcat && len(tree.subs) == 1 {
		tree = tree.subs[0]
	}
	if tree.op != opAlternate {
		return nil
	}
	return tree.subs
}

// IsHalfAnchored reports whether the pattern has alternatives of which only the
// first begins with ^ and only the last ends with $.
func (t *Tree) IsHalfAnchored() bool {
	all := alternatives(t.root)
	for i, n := range all {
		if (beginning(n) != nil) != (i == 0) || (end(n) != nil) != (i == len(all)-1) {
			return false
		}
	}
	return all != nil
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

// Anchored returns a half-anchored pattern with its ^ and $ around all alternatives.
// It returns "" for any other pattern, where the anchors are written differently,
// and where the result does not compile.
func (t *Tree) Anchored(b *Budget) string {
	if !t.IsHalfAnchored() {
		return ""
	}
	all := alternatives(t.root)
	characters := []rune(t.pattern)
	from, to := beginning(all[0]).at, end(all[len(all)-1]).at
	if characters[from] != '^' || characters[to] != '$' {
		return ""
	}
	pattern := string(characters[:from]) + "^(?:" + string(characters[from+1:to]) + ")$" + string(characters[to+1:])
	if _, err := Compile(pattern, b); err != nil {
		return ""
	}
	return pattern
}

// NeedsMoreThan reports whether every match has a character that is not one of
// characters.
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

// IsExponential reports whether a match may take exponential time: the pattern
// backtracks, and a repeat in it has parts that match runs of one character in
// different lengths.
func (t *Tree) IsExponential() bool {
	return !isLinear(t.root, nothingFollows) && isAmbiguous(t.root)
}

// isAmbiguous reports whether a repeat has parts that match runs of one character
// in different lengths. A longer run can then be cut into parts in exponentially
// many ways, and a match that fails tries them all.
func isAmbiguous(tree *node) bool {
	for _, c := range repeatedCharacters(tree) {
		f := runFinder{character: c}
		f.runs(tree)
		if f.ambiguous {
			return true
		}
	}
	return false
}

// maxCharacters is how many characters isAmbiguous tries.
const maxCharacters = 32

// repeatedCharacters returns the first character of each set in a repeat, each once.
func repeatedCharacters(tree *node) []rune {
	var found []rune
	var visit func(n *node, repeated bool)
	visit = func(n *node, repeated bool) {
		repeated = repeated || n.op == opRepeat
		if n.op == opSet && repeated && len(n.set) > 0 && len(found) < maxCharacters && !slices.Contains(found, n.set[0]) {
			found = append(found, n.set[0])
		}
		for _, sub := range n.subs {
			visit(sub, repeated)
		}
	}
	visit(tree, false)
	return found
}

// A runFinder finds how long the runs of one character are that the parts of a
// pattern match.
type runFinder struct {
	character rune
	ambiguous bool // a repeat has parts of different lengths
}

// lengths are those from least to most. There are none if most is less.
type lengths struct{ least, most int }

var noLengths = lengths{0, -1}

// longRun is long enough to count as unbounded, and short enough to multiply.
const longRun = 1 << 15

// manyRepeats is the number of repeats from which there are too many ways.
const manyRepeats = 10

func (f *runFinder) runs(n *node) lengths {
	var parts []lengths
	for _, sub := range n.subs {
		parts = append(parts, f.runs(sub))
	}
	switch n.op {
	case opSet:
		if n.set.holds(f.character) {
			return lengths{1, 1}
		}
	case opCapture:
		return parts[0]
	case opConcat:
		return concatenated(parts)
	case opAlternate:
		return alternated(parts)
	case opRepeat:
		return f.repeated(n, parts[0])
	case opLookahead, opNotLookahead, opLookbehind, opNotLookbehind:
		return lengths{0, 0}
	}
	// An atomic part matches in one way only. Nothing is known about anchors and
	// back-references.
	return noLengths
}

func (f *runFinder) repeated(n *node, part lengths) lengths {
	most := n.max
	if most == unbounded {
		most = longRun
	}
	if part == noLengths {
		if n.min == 0 {
			return lengths{0, 0}
		}
		return noLengths
	}
	// An empty part ends the repeat, so it does not add ways.
	if most >= manyRepeats && max(part.least, 1) < part.most {
		f.ambiguous = true
	}
	return lengths{min(part.least*n.min, longRun), min(part.most*most, longRun)}
}

func concatenated(parts []lengths) lengths {
	sum := lengths{0, 0}
	for _, part := range parts {
		if part == noLengths {
			return noLengths
		}
		sum = lengths{min(sum.least+part.least, longRun), min(sum.most+part.most, longRun)}
	}
	return sum
}

func alternated(parts []lengths) lengths {
	all := noLengths
	for _, part := range parts {
		switch {
		case all == noLengths:
			all = part
		case part != noLengths:
			all = lengths{min(all.least, part.least), max(all.most, part.most)}
		}
	}
	return all
}
