package pcre

import (
	"errors"
	"runtime"
	"time"

	"github.com/vmrules/vmrules/internal/meter"
)

// slots has room for as many matches that backtrack as there are cores. A match takes one before
// its clock starts, so that the clock does not run while the match waits for a core.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// maxWait is how long all matches that one Budget pays for may wait for slots. So those that take
// long do not keep others waiting for longer. Tests change it.
var maxWait = time.Second

var errBusy = errors.New("too many other regexes that backtrack are being matched")

// takeSlot takes a slot for a match that b pays for, and waits for one if it must. The caller gives it back with leaveSlot.
func takeSlot(b *meter.Budget) error {
	select {
	case slots <- struct{}{}:
		return nil
	default:
	}
	start := time.Now()
	defer func() { b.Waited += time.Since(start) }()
	select {
	case slots <- struct{}{}:
		return nil
	case <-time.After(maxWait - b.Waited):
		return errBusy
	}
}

func leaveSlot() { <-slots }
