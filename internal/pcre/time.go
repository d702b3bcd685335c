package pcre

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/vmrules/vmrules/internal/meter"
)

const (
	// slow is how long a match takes at least for which the clock of the process is read: that takes
	// longer than most matches.
	slow = time.Millisecond
	// maxLate is how long all matches that one Budget pays for may wait for a core, or run in vain.
	// After that, all time counts.
	maxLate = 30 * time.Second
	// maxGrowth is how many times as long a match that begins again may take, since the machine may
	// no longer be as busy.
	maxGrowth = 4
)

// matchTimed matches, and takes the time in which the match ran from b: on a busy machine, a match
// waits for a core for much longer. The engine has only the clock on the wall. A match that it ends
// although it ran for less than half of its time begins again, with more. since is when it began.
func (r *Regex) matchTimed(subject string, since time.Duration, b *meter.Budget) (bool, error) {
	before := recentProcessTime(since)
	matched, err := r.backtracking.match(subject, b.Backtracking)
	if errors.Is(err, errSteps) { // no clock says how long it took
		b.Backtracking = 0
		return false, err
	}
	took := now() - since
	ran := took
	if took >= slow { // other threads of the process may have run, too
		ran = min(took, processTime()-before)
	}
	if endedEarly(b, took, ran, err) {
		return r.matchAgain(subject, took, ran, b)
	}
	pay(b, took, ran, err)
	return matched, err
}

// matchAgain matches until the match has run for its time. It took so long before.
func (r *Regex) matchAgain(subject string, took, ran time.Duration, b *meter.Budget) (bool, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for limit := b.Backtracking; ; {
		b.Late += took
		needed := float64(took) / float64(ran) * float64(b.Backtracking)
		limit = time.Duration(min(needed, maxGrowth*float64(limit), float64(maxLate-b.Late)))
		start, before := now(), threadTime()
		matched, err := r.backtracking.match(subject, limit)
		took = now() - start
		ran = min(took, threadTime()-before)
		if !endedEarly(b, took, ran, err) {
			pay(b, took, ran, err)
			return matched, err
		}
	}
}

// endedEarly reports whether a match should begin again. Where there are more matches than slots, they
// keep each other from a core, and none gets more time.
func endedEarly(b *meter.Budget, took, ran time.Duration, err error) bool {
	return errors.Is(err, errTime) && ran < b.Backtracking/2 && b.Late+took < maxLate && !slots.areCrowded()
}

func pay(b *meter.Budget, took, ran time.Duration, err error) {
	if !errors.Is(err, errTime) {
		late := min(took-ran, maxLate-b.Late)
		b.Late += late
		took -= late
	}
	b.Backtracking -= took
}

// A processReading is how long the process had run at some time.
type processReading struct{ at, ran time.Duration }

var lastReading atomic.Pointer[processReading]

// recentProcessTime returns how long the process had run at a time just before now, or a few
// milliseconds earlier: to ask each time would take too long.
func recentProcessTime(at time.Duration) time.Duration {
	last := lastReading.Load()
	if last == nil || at-last.at > 10*time.Millisecond {
		last = &processReading{at, processTime()}
		lastReading.Store(last)
	}
	return last.ran
}

var loaded = time.Now()

// now returns the time since this package was loaded, which is quicker than time.Now.
func now() time.Duration { return time.Since(loaded) }
