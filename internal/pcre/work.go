package pcre

import (
	"math/bits"

	"github.com/vmrules/vmrules/internal/meter"
)

// A linearWork says how many steps a match of the linear engine may take, by the bits
// of the subject's length. Beyond the last, steps grow with the length.
type linearWork [18]int

func newLinearWork(tree *node) *linearWork {
	w := &linearWork{}
	for i := range w {
		m := workMeter{length: 1<<i - 1}
		m.walk(tree, places{0, m.length})
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

// price returns what a match costs for a subject of a length in bytes.
func (w *linearWork) price(length, parts int) int {
	work := meter.Plus(meter.Times(length, matchByteWork), meter.Times(w.of(length, parts), matchStepWork))
	return meter.Plus(work, matchCallWork)
}

// of returns the number of steps for a subject of a length in bytes and a pattern of
// so many parts.
func (w *linearWork) of(length, parts int) int {
	last := len(w) - 1
	work := w[min(bits.Len(uint(length)), last)] * int(length>>last+1)
	if parts > maxBitStateParts || work > maxBitStateWork {
		work *= 2
	}
	return work
}

// places are the places in a subject, first to last, at which a part of a pattern
// may begin or end. There are none if last comes before first.
type places struct{ first, last int }

var nowhere = places{0, -1}

func (p places) and(other places) places {
	switch {
	case p == nowhere:
		return other
	case other == nowhere:
		return p
	}
	return places{min(p.first, other.first), max(p.last, other.last)}
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

// walk adds the work of n, which may begin at the places at, and returns those where
// it may end.
func (m *workMeter) walk(n *node, at places) places {
	if at == nowhere {
		return nowhere
	}
	m.work += int(at.last - at.first + 1)
	switch n.op {
	case opSet:
		if len(n.set) > searchedClass {
			m.work += int(at.last - at.first + 1)
		}
		if at.first == m.length {
			return nowhere
		}
		return places{at.first + 1, min(at.last+1, m.length)}
	case opBeginText:
		if at.first > 0 {
			return nowhere
		}
		return places{0, 0}
	case opConcat:
		for _, sub := range n.subs {
			at = m.walk(sub, at)
		}
	case opAlternate:
		ends := nowhere
		for _, sub := range n.subs {
			ends = ends.and(m.walk(sub, at))
		}
		return ends
	case opCapture:
		return m.walk(n.subs[0], at)
	case opRepeat:
		return m.walkRepeat(n, at)
	}
	return at
}

func (m *workMeter) walkRepeat(n *node, at places) places {
	for range n.min {
		at = m.walk(n.subs[0], at)
	}
	if at == nowhere {
		return nowhere
	}
	ends := at
	if n.max == unbounded {
		ends.last = m.length
		m.walk(n.subs[0], ends)
		return ends
	}
	for i := n.min; i < n.max && at != nowhere; i++ {
		at = m.walk(n.subs[0], at)
		ends = ends.and(at)
	}
	return ends
}
