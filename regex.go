package vmrules

import (
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// regex is a compiled PCRE pattern. It matches as PCRE2 does in UTF mode without
// UCP, anywhere in a subject, or it does not compile. It is safe for concurrent
// use.
//
// What Go's regexp can express goes there, where a match takes linear time. The
// rest goes to regexp2, which backtracks, and so is bounded in time and memory.
type regex struct {
	linear       *regexp.Regexp
	backtracking *regexp2.Regexp
	parts        int         // of the pattern, with its repeats written out
	work         *linearWork // of linear
}

const (
	maxRegexSize    = 10_000
	maxRegexStack   = 1_000_000 // numbers on the stack of regexp2
	maxLinearRepeat = 1000      // as Go's regexp has it, nested repeats multiplied
)

// errRegexEngine is not to be seen: what the parser accepts, the engines accept.
var errRegexEngine = errors.New("the regex cannot be compiled, which is a defect of this library")

// compileRegex compiles a pattern. Its error is for people: what is wrong, at
// which character, and what would be right. Everything is paid for from b before
// it is done.
func compileRegex(pattern string, b *budget) (*regex, error) {
	tree, err := parseRegex(pattern, b)
	if err != nil {
		return nil, err
	}
	if err := checkOrder(tree); err != nil {
		return nil, err
	}
	r := &regex{}
	if isLinear(tree, nothingFollows) && nestedRepeats(tree) <= maxLinearRepeat {
		if r.parts = countParts(tree, linearEngine); r.parts <= maxRegexSize {
			return r, r.compileLinear(tree, b)
		}
	}
	if r.parts = countParts(tree, backtrackingEngine); r.parts <= maxRegexSize {
		return r, r.compileBacktracking(tree, b)
	}
	return nil, fmt.Errorf("the regex is too large: with its repeats written out it has more than %d parts", maxRegexSize)
}

func (r *regex) compileLinear(tree *regexNode, b *budget) (err error) {
	cost, onePass := linearCost(tree)
	if err := b.Spend(cost.work, cost.kept); err != nil {
		return err
	}
	r.work = newLinearWork(tree)
	text := printRegex(tree, linearEngine)
	if !onePass {
		text = noOnePass + text
	}
	if r.linear, err = regexp.Compile(text); err != nil {
		return errRegexEngine
	}
	return nil
}

func (r *regex) compileBacktracking(tree *regexNode, b *budget) (err error) {
	cost := backtrackingCost(tree)
	if err := b.Spend(cost.work, cost.kept); err != nil {
		return err
	}
	r.backtracking, err = regexp2.Compile(printRegex(tree, backtrackingEngine), regexp2.OptionMaxBacktrackingStackSize(maxRegexStack))
	if err != nil {
		return errRegexEngine
	}
	return nil
}

var (
	errSubjectNotUTF8 = errors.New("the value is not valid UTF-8")
	errRegexTime      = errors.New("the time for regexes that backtrack is used up")
	errRegexStack     = errors.New("the regex takes too much memory on this value")
)

// match reports whether the regex matches anywhere in subject.
func (r *regex) match(subject string, b *budget) (bool, error) {
	if err := b.Spend(r.price(len(subject)), 0); err != nil {
		return false, err
	}
	if !utf8.ValidString(subject) {
		return false, errSubjectNotUTF8
	}
	if r.linear != nil {
		return r.linear.MatchString(subject), nil
	}
	return r.matchBacktracking(subject, b)
}

// price is the work of a match on a subject of a length in bytes. That of
// backtracking has its own clock, and only looking at the subject is paid for here.
func (r *regex) price(length int) int {
	if r.linear == nil {
		return length
	}
	return r.work.price(length, r.parts)
}

// maxMatchTimeout keeps the engine's deadline within what it can count.
const maxMatchTimeout = time.Hour

// matchBacktracking matches with a copy of the compiled regex, since regexp2 has
// its time-out there, and each budget has its own. Copies share everything else.
func (r *regex) matchBacktracking(subject string, b *budget) (bool, error) {
	if b.backtracking <= 0 {
		return false, errRegexTime
	}
	bounded := *r.backtracking
	bounded.MatchTimeout = min(b.backtracking, maxMatchTimeout)
	start := time.Now()
	matched, err := bounded.MatchString(subject)
	b.backtracking -= time.Since(start)
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return false, errRegexStack
	case err != nil:
		return false, errRegexTime
	}
	return matched, nil
}
