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
