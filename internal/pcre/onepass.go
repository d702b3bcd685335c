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
type onePassSize struct{ kept, made int }

// add counts the copies for n, which is repeated so many times. At most before
// characters of the pattern may come right before n, and the sets that may follow n
// have at most following ranges.
func (s *onePassSize) add(n *node, before, following, times int) {
	first, _ := outerSets(n)
	switch n.op {
	case opSet:
		s.copy(first+1, 1, times)
	case opConcat:
		s.addConcat(n, before, following, times)
	case opAlternate:
		s.copy(first+following, before, times*(len(n.subs)-1))
		for _, sub := range n.subs {
			s.add(sub, before, following, times)
		}
	case opRepeat:
		s.addRepeat(n, before, following, times)
	case opCapture:
		s.add(n.subs[0], before, following, times)
	default:
		s.copy(first+following, before, times)
	}
}

func (s *onePassSize) addRepeat(n *node, before, following, times int) {
	copies, choices := max(n.max, n.min, 1), n.max-n.min
	if n.max == unbounded {
		choices = 1
	}
	first, last := outerSets(n.subs[0])
	if n.subs[0].empty {
		last *= copies
	}
	before += last
	following += first
	s.copy(following, before, times*choices)
	s.add(n.subs[0], before, following, times*copies)
}

func (s *onePassSize) addConcat(n *node, before, following, times int) {
	if isEmpty(n) {
		s.copy(following, before, times)
	}
	behind := make([]int, len(n.subs))
	for i := len(n.subs) - 1; i >= 0; i-- {
		behind[i] = following
		first, _ := outerSets(n.subs[i])
		if !n.subs[i].empty {
			following = 0
		}
		following += first
	}
	for i, sub := range n.subs {
		s.add(sub, before, behind[i], times)
		_, last := outerSets(sub)
		if !sub.empty {
			before = 0
		}
		before += last
	}
}

// copy counts a copy of so many ranges. It is made again for each character that may
// come right before.
func (s *onePassSize) copy(ranges, before, times int) {
	ranges, before = min(ranges, maxOnePass+1), min(before, maxOnePass+1)
	s.kept += times * ranges
	s.made += times * ranges * max(before, 1)
}

// outerSets returns how many ranges the sets have that n may begin with, and how many
// characters of the pattern may end it.
func outerSets(n *node) (first, last int) {
	switch n.op {
	case opSet:
		return len(n.set) / 2, 1
	case opEndOrNewline:
		return 1, 1
	case opCapture:
		return outerSets(n.subs[0])
	case opAlternate:
		for _, sub := range n.subs {
			f, l := outerSets(sub)
			first, last = first+f, last+l
		}
	case opConcat:
		ended := false
		for _, sub := range n.subs {
			f, l := outerSets(sub)
			if !ended {
				first += f
			}
			if !sub.empty {
				ended, last = true, 0
			}
			last += l
		}
	case opRepeat:
		first, last = outerSets(n.subs[0])
		switch {
		case n.subs[0].empty:
			last *= max(n.max, n.min, 1)
		case n.max > n.min:
			last *= n.max - n.min + 1
		}
	}
	return first, last
}
