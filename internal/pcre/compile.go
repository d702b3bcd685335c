package pcre

import (
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"github.com/vmrules/vmrules/internal/meter"
)

// A Regex is a compiled pattern. It is immutable and safe for concurrent use.
type Regex struct {
	// One of them is set.
	linear       *regexp.Regexp
	backtracking *regexp2.Regexp

	parts int         // of the pattern, with its repeats written out
	work  *linearWork // of linear
}

const (
	maxParts        = 10_000
	maxStack        = 1_000_000 // numbers on the stack of regexp2
	maxLinearRepeat = 1000      // of Go's regexp, nested repeats multiplied
)

// errEngine should never be seen: the engines accept what is written for them.
var errEngine = errors.New("the regex cannot be compiled, which is a defect of this library")

// Compile compiles a pattern. Its error is for people: it says what is wrong, at
// which character, and what would be right. Everything is paid for from b before it
// is done.
func Compile(pattern string, b *Budget) (*Regex, error) {
	tree, err := parse(pattern, b)
	if err != nil {
		return nil, err
	}
	if err := checkOrder(tree); err != nil {
		return nil, err
	}
	r := &Regex{}
	if isLinear(tree, nothingFollows) && nestedRepeats(tree) <= maxLinearRepeat {
		if r.parts = countParts(tree, linearEngine); r.parts <= maxParts {
			return r, r.compileLinear(tree, b)
		}
	}
	if r.parts = countParts(tree, backtrackingEngine); r.parts <= maxParts {
		return r, r.compileBacktracking(tree, b)
	}
	return nil, fmt.Errorf("the regex is too large: with its repeats written out it has more than %d parts", maxParts)
}

// IsLinear reports whether a match takes linear time, and none of
// Budget.Backtracking.
func (r *Regex) IsLinear() bool { return r.linear != nil }

func (r *Regex) compileLinear(tree *node, b *Budget) (err error) {
	cost, onePass := linearCost(tree)
	if err := b.Spend(cost.work, cost.kept); err != nil {
		return err
	}
	r.work = newLinearWork(tree)
	text := printFor(tree, linearEngine)
	if !onePass {
		text = noOnePass + text
	}
	if r.linear, err = regexp.Compile(text); err != nil {
		return errEngine
	}
	return nil
}

func (r *Regex) compileBacktracking(tree *node, b *Budget) (err error) {
	cost := backtrackingCost(tree)
	if err := b.Spend(cost.work, cost.kept); err != nil {
		return err
	}
	r.backtracking, err = regexp2.Compile(printFor(tree, backtrackingEngine), regexp2.OptionMaxBacktrackingStackSize(maxStack))
	if err != nil {
		return errEngine
	}
	return nil
}

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

// Match reports whether the regex matches anywhere in subject. It returns an error
// where b does not suffice, where backtracking takes too much memory, and where
// subject is not valid UTF-8.
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

// price returns the work of a match on a subject of a length in bytes. Backtracking
// has its own clock, and only looking at the subject is paid for here.
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
