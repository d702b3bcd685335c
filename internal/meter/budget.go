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

// Half returns half of what the Meter has left, and all of the time.
func (b *Budget) Half() Budget { return Budget{b.Meter.Half(), b.Backtracking, b.Waited} }

// Return gives back what is left of a Budget that Half returned.
func (b *Budget) Return(half Budget) {
	b.Meter.Return(half.Meter)
	b.Backtracking, b.Waited = half.Backtracking, half.Waited
}
