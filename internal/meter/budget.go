package meter

import "time"

// A Budget is a Meter, and the time that is left for what cannot be counted: regular expressions
// that backtrack. It is not safe for concurrent use.
type Budget struct {
	Meter
	// Backtracking is how long they may still be matched.
	Backtracking time.Duration
	// Waited is how long they have waited for those of other calls, which is no part of that
	// time.
	Waited time.Duration
}

// Lend moves half of what the Meter has left to another Budget, and all of the time.
func (b *Budget) Lend(to *Budget) {
	to.Meter = b.Meter.Half()
	to.Backtracking, to.Waited = b.Backtracking, b.Waited
}

// TakeBack gives back what is left of a Budget that Lend filled.
func (b *Budget) TakeBack(from *Budget) {
	b.Meter.Return(from.Meter)
	b.Backtracking, b.Waited = from.Backtracking, from.Waited
}
