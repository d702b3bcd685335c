package pcre

import "slices"

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

const (
	maxCharacters = 32      // that isAmbiguous tries
	longRun       = 1 << 15 // long enough to count as unbounded, and short enough to multiply
	manyRepeats   = 10      // from which there are too many ways
)

// repeatedCharacters returns the first character of each set in a repeat, each once.
func repeatedCharacters(tree *node) []rune {
	var found []rune
	isEnough := func(n *node) bool {
		if n.op == opSet && len(n.set) > 0 && !slices.Contains(found, n.set[0]) {
			found = append(found, n.set[0])
		}
		return len(found) == maxCharacters
	}
	tree.has(func(n *node) bool { return n.op == opRepeat && n.has(isEnough) })
	return found
}

// A runFinder finds how long the runs of one character are that the parts of a pattern match.
type runFinder struct {
	character rune
	ambiguous bool // a repeat has parts of different lengths
}

func (f *runFinder) runs(n *node) interval {
	run := none // an atomic part matches in one way only; nothing is known about anchors and back-references
	switch n.op {
	case opSet:
		if n.set.holds(f.character) {
			return interval{1, 1}
		}
	case opConcat, opLookahead, opNotLookahead, opLookbehind, opNotLookbehind:
		run = interval{0, 0}
	}
	for _, sub := range n.subs {
		part := f.runs(sub)
		switch n.op {
		case opConcat:
			run = run.then(part)
		case opAlternate, opCapture:
			run = run.or(part)
		case opRepeat:
			run = f.repeated(n, part)
		}
	}
	return run
}

// then returns the lengths of a run and another one behind it.
func (i interval) then(other interval) interval {
	if i == none || other == none {
		return none
	}
	return interval{min(i.least+other.least, longRun), min(i.most+other.most, longRun)}
}

func (f *runFinder) repeated(n *node, part interval) interval {
	most := n.max
	if most == unbounded {
		most = longRun
	}
	if part == none {
		if n.min == 0 {
			return interval{0, 0}
		}
		return none
	}
	// An empty part ends the repeat, so it does not add ways.
	if most >= manyRepeats && max(part.least, 1) < part.most {
		f.ambiguous = true
	}
	return interval{min(part.least*n.min, longRun), min(part.most*most, longRun)}
}
