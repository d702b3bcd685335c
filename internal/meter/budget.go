package meter

import "time"

// A Budget is a Meter, and the time that is left for what cannot be counted: regular expressions
// that backtrack. It is not safe for concurrent use.
type Budget struct {
	Meter
	Backtracking time.Duration // how long they may still be matched
	// Waited is how long they have waited for those of other calls, and Late how long for a core,
	// or matched in vain. Neither is part of that time.
	Waited, Late time.Duration
}

// Lend moves half of what the Meter has left to another Budget, and all of the time.
func (b *Budget) Lend(to *Budget) {
	half := b.Half()
	*to = *b
	to.Meter = half
}

// TakeBack gives back what is left of a Budget that Lend filled.
func (b *Budget) TakeBack(from *Budget) {
	own := b.Meter
	own.Return(from.Meter)
	*b = *from
	b.Meter = own
}
