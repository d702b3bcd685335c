package pcre

import "math/bits"

// A linearWork says how many steps a match of the linear engine may take, by the bits
// of the subject's length. Beyond the last, steps grow with the length.
type linearWork [18]int

func newLinearWork(tree *node) *linearWork {
	w := &linearWork{}
	for i := range w {
		m := workMeter{length: 1<<i - 1}
		m.walk(tree, interval{0, m.length})
		w[i] = m.work
	}
	return w
}

// Beyond these, Go's regexp simulates all threads at once, which takes up to twice as
// long.
const (
	maxBitStateParts = 500
	maxBitStateWork  = 256 << 10
)

// What a match of the linear engine costs, in units of work. These are measured on the
// slowest patterns. Most ordinary ones take a half to a fifth.
const (
	matchCallWork = 100
	matchByteWork = 12 // a byte of the subject
	matchStepWork = 6  // a step that linearWork counts
)

// of returns the steps for a subject of a length in bytes and a pattern of so many parts.
func (w *linearWork) of(length, parts int) int {
	last := len(w) - 1
	work := w[min(bits.Len(uint(length)), last)] * int(length>>last+1)
	if parts > maxBitStateParts || work > maxBitStateWork {
		work *= 2
	}
	return work
}

// An interval has the numbers from least to most. There are none if most is less.
type interval struct{ least, most int }

var none = interval{0, -1}

// or returns the smallest interval around both.
func (i interval) or(other interval) interval {
	switch {
	case i == none:
		return other
	case other == none:
		return i
	}
	return interval{min(i.least, other.least), max(i.most, other.most)}
}

// A workMeter adds up the places in a subject at which each part of a pattern may
// begin. For typical patterns, which are anchored and continue character by character,
// that is much less than parts times length.
type workMeter struct {
	length int
	work   int
}

// searchedClass is the number of ends of ranges beyond which finding a character in a
// class takes as long as everything else.
const searchedClass = 16

// walk adds the work of n, which may begin at some places of a subject, and returns where it may end.
func (m *workMeter) walk(n *node, at interval) interval {
	if at == none {
		return none
	}
	m.work += at.most - at.least + 1
	switch n.op {
	case opSet:
		if len(n.set) > searchedClass {
			m.work += at.most - at.least + 1
		}
		if at.least == m.length {
			return none
		}
		return interval{at.least + 1, min(at.most+1, m.length)}
	case opBeginText:
		if at.least > 0 {
			return none
		}
		return interval{0, 0}
	case opConcat:
		for _, sub := range n.subs {
			at = m.walk(sub, at)
		}
	case opAlternate:
		ends := none
		for _, sub := range n.subs {
			ends = ends.or(m.walk(sub, at))
		}
		return ends
	case opCapture:
		return m.walk(n.subs[0], at)
	case opRepeat:
		return m.walkRepeat(n, at)
	}
	return at
}

func (m *workMeter) walkRepeat(n *node, at interval) interval {
	for range n.min {
		at = m.walk(n.subs[0], at)
	}
	if at == none {
		return none
	}
	ends := at
	if n.max == unbounded {
		ends.most = m.length
		m.walk(n.subs[0], ends)
		return ends
	}
	for i := n.min; i < n.max && at != none; i++ {
		at = m.walk(n.subs[0], at)
		ends = ends.or(at)
	}
	return ends
}
