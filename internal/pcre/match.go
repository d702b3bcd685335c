package pcre

import (
	"errors"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"github.com/vmrules/vmrules/internal/meter"
)

// A Budget is what is left for compiling and matching: work and bytes, and the time
// for matches that backtrack. It is not safe for concurrent use.
type Budget struct {
	meter.Meter
	Backtracking time.Duration
}

var (
	errNotUTF8 = errors.New("the value is not valid UTF-8")
	errTime    = errors.New("the time for regexes that backtrack is used up")
	errStack   = errors.New("the regex takes too much memory on this value")
)

// Match reports whether the regex matches anywhere in subject. It returns an error if b is
// too small, if backtracking takes too much memory, or if subject is not valid UTF-8.
func (r *Regex) Match(subject string, b *Budget) (bool, error) {
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
	return r.work.price(length, r.parts)
}

// maxMatchTimeout keeps the engine's deadline within what it can count.
const maxMatchTimeout = time.Hour

// matchBacktracking matches with a copy of the compiled regex: regexp2 keeps its
// time-out there, and each budget has its own. Copies share everything else.
func (r *Regex) matchBacktracking(subject string, b *Budget) (bool, error) {
	if b.Backtracking <= 0 {
		return false, errTime
	}
	bounded := *r.backtracking
	bounded.MatchTimeout = min(b.Backtracking, maxMatchTimeout)
	start := time.Now()
	matched, err := bounded.MatchString(subject)
	b.Backtracking -= time.Since(start)
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return false, errStack
	case err != nil:
		return false, errTime
	}
	return matched, nil
}
