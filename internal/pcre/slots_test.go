package pcre

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/racetest"
)

// waitingBudget returns a full budget, except that its matches wait for slots only that long.
func waitingBudget(wait time.Duration) *meter.Budget {
	b := fullBudget()
	b.Waited = maxWait - wait
	return b
}

// takeAll takes all slots, and returns a function that gives them back.
func takeAll(t *testing.T, s *slotSet) (leaveAll func()) {
	t.Helper()
	s.limit = runtime.GOMAXPROCS(0)
	var times []time.Duration
	for range s.limit {
		since, err := s.take(fullBudget())
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, since)
	}
	return func() {
		for _, since := range times {
			s.leave(since)
		}
	}
}

func checkUnused(t *testing.T, s *slotSet) {
	t.Helper()
	if s.taken != 0 || len(s.waiting) != 0 || s.without != 0 {
		t.Errorf("%d slots are taken, %d matches wait, %d go on without; want none", s.taken, len(s.waiting), s.without)
	}
}

func TestNoSlotInTime(t *testing.T) {
	s := slotSet{long: time.Hour}
	leaveAll := takeAll(t, &s)
	b := waitingBudget(time.Millisecond)
	if _, err := s.take(b); !errors.Is(err, errBusy) || b.Waited < maxWait {
		t.Errorf("after %v, error is %v, want %v", b.Waited, err, errBusy)
	}
	leaveAll()
	since, err := s.take(b)
	if err != nil {
		t.Fatalf("with a free slot, error is %v", err)
	}
	s.leave(since)
	checkUnused(t, &s)
}

func TestMatchWithoutSlot(t *testing.T) {
	linear, backtracks := mustCompile(t, `^a`), mustCompile(t, `a(?=b)`)
	leaveAll := takeAll(t, &slots)
	b := waitingBudget(0)
	if _, err := backtracks.Match("ab", b); !errors.Is(err, errBusy) || b.Waited != maxWait {
		t.Errorf("error is %v after %v, want %v and no waiting", err, b.Waited-maxWait, errBusy)
	}
	if want := fullBudget().Backtracking; b.Backtracking != want {
		t.Errorf("time left is %v, want %v", b.Backtracking, want)
	}
	if matched, err := linear.Match("ab", b); !matched || err != nil {
		t.Errorf("a linear match is %v, %v; want a match", matched, err)
	}
	leaveAll()
	if matched, err := backtracks.Match("ab", b); !matched || err != nil {
		t.Errorf("with a free slot, match is %v, %v; want a match", matched, err)
	}
	checkUnused(t, &slots)
}

func TestSlotsInTurn(t *testing.T) {
	s := slotSet{long: time.Hour}
	leaveAll := takeAll(t, &s)
	first, second := s.queue(), s.queue()
	leaveAll()
	since := <-first
	s.leave(since)
	if then := <-second; then < since {
		t.Errorf("the second gets a slot after %v, the first after %v", then, since)
	}
}

// TestLongMatch: a match does not keep others from its slot for long.
func TestLongMatch(t *testing.T) {
	s := slotSet{long: time.Millisecond}
	leaveAll := takeAll(t, &s)
	since, err := s.take(fullBudget())
	if err != nil {
		t.Fatal(err)
	}
	s.leave(since)
	if taken := s.limit - 1; s.taken != taken || s.without != 1 {
		t.Errorf("%d slots are taken, %d matches go on without; want %d and 1", s.taken, s.without, taken)
	}
	leaveAll()
	checkUnused(t, &s)
}

func TestSlotIsGivenBack(t *testing.T) {
	for _, test := range []struct {
		pattern, subject string
		want             error
	}{
		{`a(?=b)`, "ab", nil},
		{`a(?=b)`, "a", nil},
		{`a(?=b)`, "\xff", errNotUTF8},
		{`^(?=(?:a|aa)+$)`, strings.Repeat("a", 100) + "b", errTime},
		{`^(?:(a)|b)*\1c`, strings.Repeat("ab", 1_000_000), errStack},
	} {
		b := fullBudget()
		if test.want == errTime {
			b.Backtracking = time.Millisecond
		}
		if _, err := mustCompile(t, test.pattern).Match(test.subject, b); !errors.Is(err, test.want) {
			t.Errorf("%s: error is %v, want %v", test.pattern, err, test.want)
		}
		checkUnused(t, &slots)
	}
}

func TestSlotIsGivenBackByPanic(t *testing.T) {
	broken := &Regex{backtracking: &backtracking{}}
	defer func() {
		if recover() == nil {
			t.Error("the match does not panic")
		}
		checkUnused(t, &slots)
	}()
	_, _ = broken.Match("a", fullBudget())
}

// TestSlotsConcurrently: no more matches than cores have a slot, whether others wait or give up.
func TestSlotsConcurrently(t *testing.T) {
	for _, long := range []time.Duration{time.Hour, time.Microsecond} {
		s := slotSet{long: long}
		var all sync.WaitGroup
		var running, got atomic.Int64
		for i := range 32 {
			all.Go(func() {
				for range 100 {
					since, err := s.take(waitingBudget(time.Duration(i) * 10 * time.Microsecond))
					if err != nil {
						continue
					}
					if n := running.Add(1); n > int64(runtime.GOMAXPROCS(0)) && long == time.Hour {
						t.Errorf("%d matches have a slot", n)
					}
					runtime.Gosched()
					got.Add(1)
					running.Add(-1)
					s.leave(since)
				}
			})
		}
		all.Wait()
		if got.Load() == 0 {
			t.Error("no match got a slot")
		}
		checkUnused(t, &s)
	}
}

// TestManyMatches: the time of a match does not run while it waits for a core, which may be for
// longer than all of that time.
func TestManyMatches(t *testing.T) {
	defer func(before time.Duration) { slots.long = before }(slots.long)
	slots.long = time.Hour // however busy the machine is
	length := 6000
	if racetest.Enabled || runtime.GOARCH == "wasm" { // where a match takes longer
		length = 600
	}
	r, subject := mustCompile(t, "^(?:(?=a*$)a)+$"), strings.Repeat("a", length)
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			b := waitingBudget(time.Hour)
			b.Backtracking = time.Second
			if matched, err := r.Match(subject, b); !matched || err != nil {
				t.Errorf("%v, %v", matched, err)
			}
		})
	}
	all.Wait()
}
