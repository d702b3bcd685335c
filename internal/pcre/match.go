package pcre

import (
	"errors"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/meter"
)

var (
	errNotUTF8 = errors.New("the value is not valid UTF-8")
	errTime    = errors.New("the time for regexes that backtrack is used up")
	errSteps   = errors.New("the steps for regexes that backtrack are used up")
	errStack   = errors.New("the regex takes too much memory on this value")
)

// Match reports whether the regex matches anywhere in subject. It returns an error if b is
// too small, if backtracking takes too much memory, or if subject is not valid UTF-8.
func (r *Regex) Match(subject string, b *meter.Budget) (bool, error) {
	if err := b.Spend(r.price(len(subject)), 0); err != nil {
		return false, err
	}
	if !utf8.ValidString(subject) {
		return false, errNotUTF8
	}
	if r.linear != nil {
		return r.linear.MatchString(subject), nil
	}
	return r.matchBacktracking(subject, b)
}

// price returns the work of a match on a subject of a length in bytes. Backtracking has its
// own time limit, so its price is only that of reading the subject.
func (r *Regex) price(length int) int {
	if r.linear == nil {
		return length
	}
	work := meter.Plus(meter.Times(length, matchByteWork), meter.Times(r.work.of(length, r.parts), matchStepWork))
	return meter.Plus(work, matchCallWork)
}

func (r *Regex) matchBacktracking(subject string, b *meter.Budget) (bool, error) {
	if b.Backtracking <= 0 {
		return false, errTime
	}
	since, err := slots.take(b)
	if err != nil {
		return false, err
	}
	defer slots.leave(since)
	return r.matchTimed(subject, since, b)
}
