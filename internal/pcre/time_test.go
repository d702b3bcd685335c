package pcre

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/meter"
)

// replaceClocks replaces the clocks of the process and of the thread until the test ends.
func replaceClocks(t *testing.T, ofProcess, ofThread func() time.Duration) {
	process, thread := processTime, threadTime
	forget := func() { lastReading.Store(nil) }
	forget()
	processTime, threadTime = ofProcess, ofThread
	t.Cleanup(func() { processTime, threadTime = process, thread; forget() })
}

func TestTimeOfMatch(t *testing.T) {
	const ms = time.Millisecond
	r := mustCompile(t, `^(?=(?:a|aa)+$)`)
	long, endless := strings.Repeat("a", 25)+"b", strings.Repeat("a", 100)+"b"
	reads := time.Duration(0)
	runs := func() time.Duration { reads++; return reads * time.Hour }
	waits := func() time.Duration { return 0 }
	mostly := func() time.Duration { reads++; return reads * 15 * ms / 2 }
	type outcome struct {
		err                     error
		charged, isOver, isLate bool
		again                   int // how often it begins again; 2 or more are 2
	}
	for _, test := range []struct {
		name, subject   string
		left, late      time.Duration
		without         int // of slots
		process, thread func() time.Duration
		want            outcome
	}{
		{"runs all the time", endless, 1, 0, 0, runs, waits, outcome{errTime, true, true, false, 0}},
		{"runs, as others do", long, time.Minute, 0, 0, runs, waits, outcome{nil, true, false, false, 0}},
		{"runs for most of its time", endless, 10 * ms, 0, 0, mostly, waits, outcome{errTime, true, true, false, 0}},
		{"waits, and ends", long, time.Minute, 0, 0, waits, runs, outcome{nil, false, false, true, 0}},
		{"waits, and begins again", endless, 10 * ms, 0, 0, waits, runs, outcome{errTime, true, true, true, 1}},
		{"waits again and again", endless, 10 * ms, maxLate - 2*time.Second, 0, waits, waits, outcome{errTime, true, true, true, 2}},
		{"has waited for too long", endless, 10 * ms, maxLate, 0, waits, runs, outcome{errTime, true, true, false, 0}},
		{"more matches than slots", endless, 10 * ms, 0, 1, waits, runs, outcome{errTime, true, true, false, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			readsOfThread := 0
			replaceClocks(t, test.process, func() time.Duration { readsOfThread++; return test.thread() })
			slots.without = test.without
			defer func() { slots.without = 0 }()
			b := meter.Budget{Backtracking: test.left, Late: test.late}
			_, err := r.matchTimed(test.subject, now(), &b)
			got := outcome{err, b.Backtracking < test.left, b.Backtracking <= 0, b.Late > test.late, min(readsOfThread/2, 2)}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(outcome{}), cmp.Comparer(errors.Is)); diff != "" {
				t.Errorf("with %v left, late by %v (-want +got):\n%s", b.Backtracking, b.Late, diff)
			}
		})
	}
}

// TestClockIsReadRarely: that takes longer than most matches.
func TestClockIsReadRarely(t *testing.T) {
	reads, matches := 0, 100
	replaceClocks(t, func() time.Duration { reads++; return now() }, threadTime)
	r := mustCompile(t, `a(?=b)`)
	for range matches {
		if matched, err := r.Match("ab", fullBudget()); !matched || err != nil {
			t.Errorf("%v, %v", matched, err)
		}
	}
	if reads == 0 || reads >= matches {
		t.Errorf("%d matches read the clock %d times, want some, but not each", matches, reads)
	}
}
