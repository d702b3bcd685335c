package pcre

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/vmrules/vmrules/internal/meter"
)

// maxWait is how long all matches that one Budget pays for may wait for slots. Waiting and
// Backtracking together have to be less than the 2 seconds in which a call ends.
const maxWait = time.Second

var errBusy = errors.New("too many other regexes that backtrack are being matched")

// A slotSet has a slot for each match that may backtrack at the same time: as many as cores, so
// that a match has a core while its clock runs. The other matches wait, and get a slot in turn.
//
// If no slot has become free for long, the first that waits takes over a slot. The match that had
// it goes on without. So a few matches that never end do not keep the others from their slots.
type slotSet struct {
	long time.Duration // more than a match takes that is not made to take long

	mu      sync.Mutex
	taken   int
	limit   int                  // GOMAXPROCS, as it was when a match last had to wait
	waiting []chan time.Duration // in turn; each has room for the time at which its match gets a slot
	moved   time.Duration        // when one of them last got a slot, or the first began to wait
	without int                  // matches that go on without a slot
	lost    time.Duration        // when the last of them lost it
}

// slots are those of this process.
var slots = slotSet{long: 50 * time.Millisecond, limit: 1}

// take takes a slot, and returns since when. If none is free, it waits for as long as b allows.
func (s *slotSet) take(b *meter.Budget) (since time.Duration, err error) {
	start := now()
	s.mu.Lock()
	if s.taken < s.limit {
		s.taken++
		s.mu.Unlock()
		return start, nil
	}
	s.mu.Unlock()
	if b.Waited >= maxWait {
		return 0, errBusy
	}
	defer func() { b.Waited += now() - start }()
	return s.wait(time.After(maxWait - b.Waited))
}

func (s *slotSet) wait(timeout <-chan time.Time) (since time.Duration, err error) {
	runtime.Gosched() // A short match may have a slot and wait for a core: let it end.
	slot := s.queue()
	for {
		select {
		case since := <-slot:
			return since, nil
		case <-time.After(s.long / 2):
			s.takeOver()
		case <-timeout:
			if s.unqueue(slot) {
				return 0, errBusy
			}
			return <-slot, nil
		}
	}
}

func (s *slotSet) queue() chan time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := make(chan time.Duration, 1)
	s.limit = runtime.GOMAXPROCS(0)
	if len(s.waiting) == 0 {
		s.moved = now()
	}
	s.waiting = append(s.waiting, slot)
	s.serve()
	return slot
}

// unqueue reports whether the match was still waiting.
func (s *slotSet) unqueue(slot chan time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, slot)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// takeOver gives a slot that is in use to the first match that waits, if none got one for long.
func (s *slotSet) takeOver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := now(); len(s.waiting) > 0 && t-s.moved >= s.long {
		s.without, s.lost = s.without+1, t
		s.taken--
		s.serve()
	}
}

// areCrowded reports whether there are more matches than slots, which keep each other from a core.
func (s *slotSet) areCrowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.without > 0
}

// leave ends a match that got its slot at that time. Which match goes on without a slot does not
// matter: it is the first to end of those that had one when it was lost.
func (s *slotSet) leave(since time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.without > 0 && since < s.lost {
		s.without--
		return
	}
	s.taken--
	s.serve()
}

// serve gives free slots to matches that wait. The caller holds mu.
func (s *slotSet) serve() {
	for s.taken < s.limit && len(s.waiting) > 0 {
		s.taken++
		s.moved = now()
		s.waiting[0] <- s.moved
		s.waiting = s.waiting[1:]
	}
}
