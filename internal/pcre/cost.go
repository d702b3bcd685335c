package pcre

// What reading a pattern costs, in units of work.
const (
	patternByteWork   = 300    // a byte of the pattern
	groupWork         = 25     // the same, for each group around it
	classRuneWork     = 100    // the first or last character of a range in a class, which is merged and sorted
	foldWork          = 400    // a character of a range under (?i), with its other cases
	propertyClassWork = 20_000 // a \p, of which the largest has 700 ranges
	maxCased          = 3_000  // characters that have another case
)

// A treeSize counts what a tree consists of, without its repeats written out.
type treeSize struct {
	nodes   int
	ranges  int // of characters
	squares int // of the number of ranges in each class
	classes int // of several characters
	loops   int // repeats of such classes
	pairs   int // of branches of one alternation, for each lookaround or atomic group around it
	depth   int // of lookarounds and atomic groups
}

func sizeOf(tree *node) treeSize {
	var size treeSize
	size.add(tree, 0)
	return size
}

func (s *treeSize) add(n *node, depth int) {
	s.depth = max(s.depth, depth)
	if n.op != opConcat || len(n.subs) != 1 { // else they are only parentheses
		s.nodes++
	}
	switch n.op {
	case opSet:
		ranges := len(n.set) / 2
		s.ranges += ranges
		s.squares += ranges * ranges
		if isClass(n) {
			s.classes++
		}
	case opWordBoundary, opNotWordBoundary:
		s.nodes += 12 // written out
	case opRepeat:
		if isClass(n.subs[0]) {
			s.loops++
		}
	case opAlternate:
		s.pairs += len(n.subs) * len(n.subs) * (depth + 2)
	case opAtomic, opLookahead, opNotLookahead, opLookbehind, opNotLookbehind:
		depth++
	}
	for _, sub := range n.subs {
		s.add(sub, depth)
	}
}

// isClass reports whether n is a set that the engines do not treat as one character.
func isClass(n *node) bool {
	return n.op == opSet && (len(n.set) != 2 || n.set[0] < n.set[1])
}

// backtrackingCost returns the work and the bytes that a tree takes for regexp2, which sorts a
// class again for each range in it. It also compares how branches begin, again for each lookaround
// or atomic group around them, and each loop with what comes behind it.
func backtrackingCost(tree *node) (work, kept int) {
	size := sizeOf(tree)
	perLoop := 250*size.classes + 5*size.ranges
	work = 30_000 + 2_000*size.nodes + (800+50*size.depth)*size.ranges + 6*size.squares + 250*size.pairs
	work += perLoop * size.loops * (size.depth + 2)
	return work, 4_000 + 80*size.nodes + 25*size.ranges
}

// linearCost returns the same for Go's regexp, which writes repeats out. Where onePass is true,
// it may make a second program of an anchored pattern.
func linearCost(tree *node) (work, kept int, onePass bool) {
	size, instructions := sizeOf(tree), countInstructions(tree)
	work = 12_000 + 400*size.nodes + 250*size.ranges + 700*instructions
	kept = 1_500 + 20*size.nodes + 22*size.ranges + 100*instructions
	if !tree.hasOp(opBeginText) {
		return work, kept, true
	}
	second := onePassSize{ranges: size.ranges + 1}
	second.add(tree, 1, 1)
	if second.kept > maxOnePass || second.made > 8*maxOnePass {
		return work, kept, false
	}
	return work + 30*second.made + 300*instructions, kept + 16*second.kept + 60*instructions, true
}

// countInstructions returns the number of instructions for n in Go's first program.
func countInstructions(n *node) int {
	total := 0
	for _, sub := range n.subs {
		total += countInstructions(sub)
	}
	switch n.op {
	case opAlternate:
		return total + len(n.subs) - 1
	case opRepeat:
		if n.max == unbounded {
			return max(n.min, 1)*total + 1
		}
		return n.max*total + n.max - n.min
	case opEndOrNewline:
		return 4
	}
	return max(total, 1)
}
