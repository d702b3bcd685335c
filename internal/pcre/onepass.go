package pcre

// noOnePass is an empty group. Go's regexp does not make a second program of a
// pattern that begins with it, and still sees that the pattern is anchored.
const noOnePass = "()"

// maxOnePass is how many ranges the copies of classes may have for the second
// program, which matches twice as fast as the first, but can take hundreds of times
// as much memory.
const maxOnePass = 1_000

// A onePassSize counts the ranges that the copies of classes have in Go's second
// program: those that are kept, and all that are made. There is a copy for each
// repeat, and one for each place where there is a choice.
type onePassSize struct {
	ranges     int // at most so many may follow a place
	kept, made int
}

// add counts the copies for n, which is repeated so many times. At most before
// characters of the pattern may come right before n, and after behind it.
func (s *onePassSize) add(n *node, before, times int) (after int) {
	before = min(before, maxOnePass+1)
	switch {
	case n.op == opSet:
		s.copy(len(n.set)/2+1, 1, times)
		return 1
	case n.op == opRepeat:
		return s.addRepeat(n, before, times)
	case n.op == opAlternate:
		s.copy(s.ranges, before, times*(len(n.subs)-1))
		for _, sub := range n.subs {
			after += s.add(sub, before, times)
		}
		return after
	case len(n.subs) == 0:
		s.copy(s.ranges, before, times)
		return before + 1 // the newline of $
	}
	for _, sub := range n.subs {
		before = s.add(sub, before, times)
	}
	return before
}

func (s *onePassSize) addRepeat(n *node, before, times int) (after int) {
	sub, copies, choices := n.subs[0], max(n.max, n.min, 1), n.max-n.min
	if n.max == unbounded {
		choices = 1
	}
	inner := before
	switch {
	case n.max == 1: // what is not repeated does not come before itself
	case sub.mayBeEmpty():
		inner += countInstructions(sub) * copies
	default:
		inner += countInstructions(sub)
	}
	s.copy(s.ranges, inner, times*choices)
	after = s.add(sub, inner, times*copies) * (choices + 1)
	if n.min == 0 {
		after += before
	}
	return after
}

// copy counts a copy of so many ranges, made again for each character that may come right before.
func (s *onePassSize) copy(ranges, before, times int) {
	ranges, before = min(ranges, maxOnePass+1), min(before, maxOnePass+1)
	s.kept += times * ranges
	s.made += times * ranges * max(before, 1)
}
