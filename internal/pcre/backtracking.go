//go:build !wasm

package pcre

import (
	"errors"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/vmrules/vmrules/internal/meter"
)

// backtracking matches with regexp2.
//
// It matches with copies of the compiled regex: regexp2 keeps its time-out there, and each budget
// has its own. Copies share everything else.
type backtracking struct{ copies sync.Pool }

func newBacktracking(tree *node, b *meter.Budget) (*backtracking, error) {
	if err := b.Spend(backtrackingCost(tree)); err != nil {
		return nil, err
	}
	regex, err := regexp2.Compile(printFor(tree, backtrackingEngine), regexp2.OptionMaxBacktrackingStackSize(maxStack))
	if err != nil {
		return nil, errEngine
	}
	return &backtracking{sync.Pool{New: func() any { own := *regex; return &own }}}, nil
}

func (b *backtracking) match(subject string, limit time.Duration) (bool, error) {
	regex := b.copies.Get().(*regexp2.Regexp)
	defer b.copies.Put(regex)
	regex.MatchTimeout = min(limit, time.Hour) // so that the engine can count to its deadline
	matched, err := regex.MatchString(subject)
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return false, errStack
	case err != nil:
		return false, errTime
	}
	return matched, nil
}
