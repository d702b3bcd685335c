package review

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxWaiting is how many calls may wait in a lane.
const maxWaiting = 64

var errFull = errors.New("too many others that take as much work wait for it")

// A lane runs functions that take long, a few at a time. The namespaces that wait take turns, so
// that one with many calls does not keep out the others. It is safe for concurrent use.
type lane struct {
	mu      sync.Mutex
	free    int     // slots
	round   int     // in which each namespace has a turn
	waiting []*call // in the order of their rounds
}

// A call is told when it has a slot, or that it never gets one.
type call struct {
	namespace string
	round     int
	told      chan error
}

// do calls a function when there is a slot. It returns an error, and does not call it, if too many
// wait, or if the context ends before.
func (l *lane) do(ctx context.Context, namespace string, f func()) error {
	c := l.enter(namespace)
	var err error
	select {
	case err = <-c.told:
	case <-ctx.Done():
		if l.remove(c) {
			return context.Cause(ctx)
		}
		err = <-c.told // at the same moment
	}
	if err != nil {
		return err
	}
	defer l.next()
	f()
	return nil
}

// enter gives a new call a slot, or lets it wait. If too many wait, the last loses its place: that
// of a namespace with many.
func (l *lane) enter(namespace string) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &call{namespace, l.round, make(chan error, 1)}
	if l.free > 0 {
		l.free--
		c.told <- nil
		return c
	}
	for _, other := range l.waiting {
		if other.namespace == namespace {
			c.round = other.round + 1
		}
	}
	at, _ := slices.BinarySearchFunc(l.waiting, c.round+1, func(other *call, round int) int { return other.round - round })
	l.waiting = slices.Insert(l.waiting, at, c)
	if last := len(l.waiting) - 1; last == maxWaiting {
		l.waiting[last].told <- errFull
		l.waiting = l.waiting[:last]
	}
	return c
}

// remove ends the waiting of a call. It reports false if the call waits no more.
func (l *lane) remove(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, c)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// next gives the slot of a call that has ended to the first that waits.
func (l *lane) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.free++
		return
	}
	first := l.waiting[0]
	l.waiting, l.round = l.waiting[1:], first.round
	first.told <- nil
}
