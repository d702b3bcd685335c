package pcre

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/meter"
)

func fullBudget() *meter.Budget { return budgetOf(math.MaxInt, time.Minute) }

// The default budget of a call that compiles and matches, in work and bytes.
const (
	workOfCall = 1_000_000_000
	keptOfCall = 64 << 20
)

// budgetOf returns a budget with that much work, and with time for backtracking.
func budgetOf(work int, backtracking time.Duration) *meter.Budget {
	return &meter.Budget{Meter: meter.New(work, keptOfCall), Backtracking: backtracking}
}

func workLeft(b *meter.Budget) int {
	work, _ := b.Left()
	return work
}

// mustCompile compiles pattern or ends the test.
func mustCompile(t testing.TB, pattern string) *Regex {
	t.Helper()
	r, err := Compile(pattern, fullBudget())
	if err != nil {
		t.Fatalf("Compile(%q): %v", pattern, err)
	}
	return r
}

func TestMatch(t *testing.T) {
	for _, row := range slices.Concat(constructs, practical) {
		t.Run(row.pattern, func(t *testing.T) {
			r := mustCompile(t, row.pattern)
			row.check(t, func(subject string) (bool, error) { return r.Match(subject, fullBudget()) })
		})
	}
}

// check checks which of the subjects match.
func (e example) check(t *testing.T, match func(subject string) (bool, error)) {
	t.Helper()
	var yes, no []string
	for _, subject := range slices.Concat(e.yes, e.no) {
		matched, err := match(subject)
		switch {
		case err != nil:
			t.Errorf("match(%q): %v", subject, err)
		case matched:
			yes = append(yes, subject)
		default:
			no = append(no, subject)
		}
	}
	if diff := cmp.Diff([][]string{e.yes, e.no}, [][]string{yes, no}); diff != "" {
		t.Errorf("matching and not matching subjects (-want +got):\n%s", diff)
	}
}

func TestSubjectNotUTF8(t *testing.T) {
	for _, pattern := range []string{`a`, `a(?=b)`} {
		if _, err := mustCompile(t, pattern).Match("a\xffb", fullBudget()); !errors.Is(err, errNotUTF8) {
			t.Errorf("%s: error is %v, want %v", pattern, err, errNotUTF8)
		}
	}
}

func TestTimeSpent(t *testing.T) {
	bomb := mustCompile(t, `^(?=(?:a|aa)+$)`)
	subject := strings.Repeat("a", 100) + "b"
	b := budgetOf(workOfCall, 20*time.Millisecond)
	for range 1000 {
		if _, err := bomb.Match(subject, b); !errors.Is(err, errTime) {
			t.Fatalf("error is %v, want %v", err, errTime)
		}
		if b.Backtracking >= 20*time.Millisecond {
			t.Fatalf("time left is %v, no less than before", b.Backtracking)
		}
	}
	if _, err := mustCompile(t, `a(?=b)`).Match("ab", b); !errors.Is(err, errTime) {
		t.Errorf("of another regex, error is %v, want %v", err, errTime)
	}
	if matched, err := mustCompile(t, `a(?=b)`).Match("ab", fullBudget()); !matched || err != nil {
		t.Errorf("with another budget, match is %v, %v; want a match", matched, err)
	}
}

func TestStack(t *testing.T) {
	r := mustCompile(t, `^(?:(a)|b)*\1c`)
	if _, err := r.Match(strings.Repeat("ab", 1_000_000), fullBudget()); !errors.Is(err, errStack) {
		t.Errorf("error is %v, want %v", err, errStack)
	}
	// Captures without a back-reference are not kept.
	r = mustCompile(t, `^(?!-)(?:[a-z0-9-]|\.)+$`)
	if matched, err := r.Match(strings.Repeat("ab", 500_000), fullBudget()); !matched || err != nil {
		t.Errorf("match is %v, %v; want a match", matched, err)
	}
}

func TestHugeTime(t *testing.T) {
	b := budgetOf(workOfCall, 1<<63-1)
	if matched, err := mustCompile(t, `a(?=b)`).Match("ab", b); !matched || err != nil {
		t.Errorf("match is %v, %v; want a match", matched, err)
	}
}

func TestConcurrently(t *testing.T) {
	bomb, linear := mustCompile(t, `^(?=(?:a|aa)+$)`), mustCompile(t, `^a+b$`)
	subject := strings.Repeat("a", 100) + "b"
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			spent := budgetOf(workOfCall, time.Duration(i)*time.Millisecond)
			if _, err := bomb.Match(subject, spent); !errors.Is(err, errTime) {
				t.Errorf("error is %v, want %v", err, errTime)
			}
			if matched, err := bomb.Match("aaa", fullBudget()); !matched || err != nil {
				t.Errorf("match is %v, %v; want a match", matched, err)
			}
			if matched, err := linear.Match(subject, spent); !matched || err != nil {
				t.Errorf("match is %v, %v; want a match", matched, err)
			}
		})
	}
	all.Wait()
}
