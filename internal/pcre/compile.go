package pcre

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
)

// A Regex is a compiled pattern. It is immutable and safe for concurrent use.
type Regex struct {
	// One of them is set.
	linear       *regexp.Regexp
	backtracking *backtracking

	parts int         // of the pattern, with its repeats written out
	work  *linearWork // of linear
}

const (
	maxParts        = 10_000
	maxStack        = 1_000_000 // entries of a match that backtracks
	maxLinearRepeat = 1000      // of Go's regexp, nested repeats multiplied
)

// errEngine should never be seen: the engines accept what is written for them.
var errEngine = errors.New("the regex cannot be compiled, which is a defect of this library")

// Compile compiles a pattern. Its error is for people: it says what is wrong, at which
// character, and what would be right. It charges b for each step before it takes it.
func Compile(pattern string, b *meter.Budget) (*Regex, error) {
	read, err := Parse(pattern, b)
	if err != nil {
		return nil, err
	}
	tree := read.root
	if err := checkOrder(tree, false, false); err != nil {
		return nil, err
	}
	r := &Regex{parts: countParts(tree, linearEngine)}
	if r.parts <= maxParts && nestedRepeats(tree) <= maxLinearRepeat && isLinear(tree, nothingFollows) {
		return r, r.compileLinear(tree, b)
	}
	if r.parts = countParts(tree, backtrackingEngine); r.parts <= maxParts {
		r.backtracking, err = newBacktracking(tree, b)
		return r, err
	}
	return nil, fmt.Errorf("the regex is too large: with its repeats written out it has more than %d parts", maxParts)
}

// RE2 returns the pattern in the syntax of RE2, with all sets of characters spelled out; "" if RE2 cannot
// match it alike.
func (r *Regex) RE2() string {
	if r.linear == nil {
		return ""
	}
	return strings.TrimPrefix(r.linear.String(), noOnePass)
}

// IsLinear reports whether a match takes linear time, and none of
// Budget.Backtracking.
func (r *Regex) IsLinear() bool { return r.linear != nil }

func (r *Regex) compileLinear(tree *node, b *meter.Budget) (err error) {
	work, kept, onePass := linearCost(tree)
	if err := b.Spend(work, kept); err != nil {
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
