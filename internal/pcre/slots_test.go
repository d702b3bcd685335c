package pcre

import (
	"errors"
	"testing"
	"time"
)

// TestSlots: a match that backtracks waits until others end, and does not pay for that.
func TestSlots(t *testing.T) {
	r := mustCompile(t, "^(?=a)a")
	for range cap(slots) {
		slots <- struct{}{}
	}
	b := fullBudget()
	b.waited = maxWait - time.Millisecond
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
