package vmrules

import "slices"

// regex looks at a regex that is a literal.
func (l *linter) regex(r linted) {
	written, ok := r.Regex.literal.(string)
	if !ok {
		return
	}
	tree, err := parseRegex(written, l.budget)
	if err != nil {
		return // it has been read before, so that only the budget does not suffice
	}
	if !isLinear(tree, nothingFollows) && isAmbiguous(tree) {
		l.add(r, keyRegex, "slow-regex", "a repeat inside a repeat matches one text in very many ways, which may take time without end: let the inner one end where another character begins, or write it possessive, as in (?:a++)+")
	}
	switch {
	case isHalfAnchored(tree):
		f := l.add(r, keyRegex, "half-anchored-regex", "^ holds for the first alternative only, and $ for the last: write ^(?:…|…)$ for all of them")
		f.Suggestion = l.anchored(written, tree)
	case !hasAssertion(tree):
		l.add(r, keyRegex, "unanchored-regex", "this also matches inside of a longer value: write ^ in front and $ behind, if it must not")
	}
}

// isAmbiguous tells whether a repeat has parts that match runs of one character
// in different lengths. A longer run can then be cut into parts in exponentially
// many ways, and a match that fails tries them all.
func isAmbiguous(tree *regexNode) bool {
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

// repeatedCharacters are the first ones of the sets in repeats, each once.
func repeatedCharacters(tree *regexNode) []rune {
	var found []rune
	var visit func(n *regexNode, repeated bool)
	visit = func(n *regexNode, repeated bool) {
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

// A runFinder looks for the lengths of the runs of one character that the parts
// of a pattern match.
type runFinder struct {
	character rune
	ambiguous bool // some repeat is
}

// lengths are those from least to most; there are none if most is less.
type lengths struct{ least, most int }

var noLengths = lengths{0, -1}

// longRun is long enough to count as without end, and short enough to multiply.
const longRun = 1 << 15

// manyRepeats is from how many on the ways add up to too many.
const manyRepeats = 10

func (f *runFinder) runs(n *regexNode) lengths {
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
	// An atomic part matches in one way alone. About anchors and
	// back-references nothing is known.
	return noLengths
}

func (f *runFinder) repeated(n *regexNode, part lengths) lengths {
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
	// An empty part ends the repeat, so that it cuts nothing.
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

// alternatives are those of the whole pattern, nil where it has only one.
func alternatives(tree *regexNode) []*regexNode {
	for tree.op == opCapture || tree.op == opConcat && len(tree.subs) == 1 {
		tree = tree.subs[0]
	}
	if tree.op != opAlternate {
		return nil
	}
	return tree.subs
}

// isHalfAnchored tells whether only the first alternative begins with ^ and only
// the last ends with $.
func isHalfAnchored(tree *regexNode) bool {
	all := alternatives(tree)
	for i, n := range all {
		if (beginning(n) != nil) != (i == 0) || (end(n) != nil) != (i == len(all)-1) {
			return false
		}
	}
	return all != nil
}

// beginning is the ^ in front of an alternative.
func beginning(n *regexNode) *regexNode {
	if n.op == opConcat && len(n.subs) > 0 {
		n = n.subs[0]
	}
	if n.op == opBeginText || n.op == opBeginLine {
		return n
	}
	return nil
}

// end is the $ behind an alternative.
func end(n *regexNode) *regexNode {
	if n.op == opConcat && len(n.subs) > 0 {
		n = n.subs[len(n.subs)-1]
	}
	if n.op == opEndText || n.op == opEndLine || n.op == opEndOrNewline {
		return n
	}
	return nil
}

// anchored is a half-anchored pattern with its ^ and $ around all alternatives,
// "" where it has other anchors than these.
func (l *linter) anchored(written string, tree *regexNode) string {
	all := alternatives(tree)
	characters := []rune(written)
	from, to := beginning(all[0]).at, end(all[len(all)-1]).at
	if characters[from] != '^' || characters[to] != '$' {
		return ""
	}
	pattern := string(characters[:from]) + "^(?:" + string(characters[from+1:to]) + ")$" + string(characters[to+1:])
	if _, err := compileRegex(pattern, l.budget); err != nil {
		return ""
	}
	return pattern
}

// hasAssertion tells whether the regex says anything about what stands around it.
func hasAssertion(tree *regexNode) bool {
	return slices.ContainsFunc([]regexOp{
		opBeginText, opBeginLine, opEndText, opEndLine, opEndOrNewline, opWordBoundary, opNotWordBoundary,
		opLookahead, opNotLookahead, opLookbehind, opNotLookbehind,
	}, func(op regexOp) bool { return hasOp(tree, op) })
}
