package pcre

import "slices"

// An engine reads the text that is made of a tree.
type engine int

const (
	linearEngine       engine = iota // Go's regexp
	backtrackingEngine               // regexp2
	ecmaEngine                       // any of ECMA-262, with its flag u and no other
)

// A follow says what comes behind a part of a pattern, as far as it is known.
type follow int

const (
	nothingFollows   follow = iota // the pattern ends
	somethingFollows               // at least one character is still to be matched
	unknownFollows
)

// isLinear reports whether the linear engine can match n as PCRE2 does.
func isLinear(n *node, after follow) bool {
	switch n.op {
	case opSet, opBeginText, opEndText, opEndLine, opWordBoundary, opNotWordBoundary:
		return true
	case opBeginLine:
		// Go's also matches behind a newline that ends the subject.
		return after == somethingFollows
	case opEndOrNewline:
		return after == nothingFollows
	case opCapture:
		return isLinear(n.subs[0], after)
	case opRepeat:
		if n.max != 1 && after == nothingFollows {
			after = unknownFollows
		}
		return isLinear(n.subs[0], after)
	case opAlternate:
		return !slices.ContainsFunc(n.subs, func(sub *node) bool { return !isLinear(sub, after) })
	case opConcat:
		for _, sub := range slices.Backward(n.subs) {
			if !isLinear(sub, after) {
				return false
			}
			switch {
			case !sub.mayBeEmpty():
				after = somethingFollows
			case after == nothingFollows:
				after = unknownFollows
			}
		}
		return true
	}
	return false
}

// nestedRepeats returns how often the innermost parts are repeated at most, as the linear engine counts.
func nestedRepeats(n *node) int {
	most := 1
	for _, sub := range n.subs {
		most = max(most, nestedRepeats(sub))
	}
	if n.op == opRepeat {
		most = min(most*max(n.min, n.max, 1), maxLinearRepeat+1)
	}
	return most
}

// countParts returns the number of n's parts. The linear engine writes repeats out.
// The backtracking engine counts, and takes a repeated character for one part.
func countParts(n *node, target engine) int {
	total := 1
	switch {
	case n.op == opConcat && len(n.subs) == 1:
		total = 0 // only parentheses
	case target == backtrackingEngine && (n.op == opWordBoundary || n.op == opNotWordBoundary):
		total = 10 // written out
	}
	for _, sub := range n.subs {
		total += countParts(sub, target)
	}
	if n.op == opRepeat && (target == linearEngine || n.subs[0].op != opSet) {
		total *= max(n.min, n.max, 1)
	}
	return min(total, maxParts+1)
}
