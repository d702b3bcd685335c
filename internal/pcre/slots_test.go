package pcre

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vmrules/vmrules/internal/racetest"
)

// TestSlots: a match that backtracks waits until others end, and does not pay for that.
func TestSlots(t *testing.T) {
	r := mustCompile(t, "^(?=a)a")
	for range cap(slots) {
		slots <- struct{}{}
	}
	b := fullBudget()
	b.Waited = maxWait - time.Millisecond
	before := b.Backtracking
	if _, err := r.Match("a", b); !errors.Is(err, errBusy) || b.Backtracking != before {
		t.Errorf("with all slots taken: %v, and %v of %v are left", err, b.Backtracking, before)
	}
	if _, err := r.Match("a", b); !errors.Is(err, errBusy) {
		t.Errorf("after it has waited for so long: %v", err)
	}
	leaveSlot()
	if matched, err := r.Match("a", b); !matched || err != nil {
		t.Errorf("with a free slot: %v, %v", matched, err)
	}
	for range cap(slots) - 1 {
		leaveSlot()
	}
	if len(slots) > 0 {
		t.Errorf("%d slots are not given back", len(slots))
	}
}

// TestManyMatches: the time of a match does not run while it waits for a core, which may be for
// longer than all of that time.
func TestManyMatches(t *testing.T) {
	defer func(before time.Duration) { maxWait = before }(maxWait)
	maxWait = time.Hour // however busy the machine is
	length := 6000
	if racetest.Enabled {
		length = 600
	}
	r, subject := mustCompile(t, "^(?:(?=a*$)a)+$"), strings.Repeat("a", length)
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			b := fullBudget()
			b.Backtracking = time.Second
			if matched, err := r.Match(subject, b); !matched || err != nil {
				t.Errorf("%v, %v", matched, err)
			}
		})
	}
	all.Wait()
}
