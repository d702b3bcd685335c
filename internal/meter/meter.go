// Package meter counts what one call may still spend: work, in units of about
// a nanosecond, and bytes of memory.
//
// Hostile input can make a call repeat any step any number of times. So the caller pays for
// a step before it takes it, and does not take a step that is refused. The caller decides
// what a step costs.
package meter

import (
	"cmp"
	"errors"
	"math"
	"time"
)

// Spend returns these errors, which say what part of a budget is used up.
var (
	ErrWork = errors.New("the budget for time is used up")
	ErrKept = errors.New("the budget for memory is used up")
)

// A Meter is what is left of a budget. The zero Meter refuses everything. It is
// not safe for concurrent use.
type Meter struct {
	work, kept int
	err        error
}

// New returns a Meter with this amount of work and of bytes to spend.
func New(work, kept int) Meter { return Meter{work: max(work, 0), kept: max(kept, 0)} }

// A call may spend this much by default.
const (
	DefaultWork = 1_000_000_000
	DefaultKept = 64 << 20
)

// OrDefault returns a new Meter, with the default for an amount that is 0 or less. The largest
// int is too much for it to spend, so that it refuses what Pay, Times and Plus cut to that.
func OrDefault(time time.Duration, bytes int64) Meter {
	work, kept := cmp.Or(clamp(int64(time)), DefaultWork), cmp.Or(clamp(bytes), DefaultKept)
	return New(min(work, math.MaxInt-1), min(kept, math.MaxInt-1))
}

// clamp returns n, or the nearest int that is not negative.
func clamp(n int64) int { return int(max(0, min(n, math.MaxInt))) }

// Spend takes work and kept bytes from what is left. If that is not enough, it returns
// ErrWork or ErrKept and takes all that is left, so that later calls are refused too. A
// negative amount counts as 0.
func (m *Meter) Spend(work, kept int) error {
	if work > m.work || kept > m.kept {
		return m.refuse(work)
	}
	m.work -= max(work, 0)
	m.kept -= max(kept, 0)
	return nil
}

// Pay is Spend for amounts that may not fit an int. Work takes about the given time.
func (m *Meter) Pay(time time.Duration, bytes int64) error {
	return m.Spend(clamp(int64(time)), clamp(bytes))
}

func (m *Meter) refuse(work int) error {
	err := ErrKept
	if work > m.work {
		err = ErrWork
	}
	*m = Meter{err: cmp.Or(m.err, err)}
	return err
}

// Err returns the error of the first refusal; nil if there was none.
func (m *Meter) Err() error { return m.err }

// Half takes half of what is left, and returns it as another Meter. Use it for a part of a
// call that must not use up what the other parts need.
func (m *Meter) Half() Meter {
	half := New(m.work/2, m.kept/2)
	m.work -= half.work
	m.kept -= half.kept
	return half
}

// Return gives back what is left of a Meter that Half returned.
func (m *Meter) Return(half Meter) {
	m.work += half.work
	m.kept += half.kept
}

// Free gives back bytes that are no longer kept. It does nothing after a refusal.
func (m *Meter) Free(kept int) {
	if m.err == nil {
		m.kept += max(kept, 0)
	}
}

// Left returns how much work and how many bytes are left.
func (m *Meter) Left() (work, kept int) { return m.work, m.kept }

// Times returns n * each, or the largest int if the product is larger.
// Neither may be negative.
func Times(n, each int) int {
	if each > 0 && n > math.MaxInt/each {
		return math.MaxInt
	}
	return n * each
}

// Plus returns a + b, or the largest int if the sum is larger. Neither may
// be negative.
func Plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
