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
	free    int // slots
	waiting int // calls
	lines   []*line
}

// A line is the calls of a namespace that wait, in the order in which they came. A call gets nil
// when it has a slot, and an error if it never gets one.
type line struct {
	namespace string
	calls     []chan error
}

func newLane(slots int) *lane { return &lane{free: slots} }

// do calls a function when there is a slot. It returns an error, and does not call it, if too many
// wait, or if the context ends before.
func (l *lane) do(ctx context.Context, namespace string, f func()) error {
	call := l.enter(namespace)
	select {
	case err := <-call:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		if l.leave(namespace, call) {
			return context.Cause(ctx)
		}
		if err := <-call; err != nil { // at the same moment
			return err
		}
	}
	defer l.next()
	f()
	return nil
}

// enter gives a new call a slot, or lets it wait. If too many wait, the longest line loses its
// last call.
func (l *lane) enter(namespace string) chan error {
	call := make(chan error, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 {
		l.free--
		call <- nil
		return call
	}
	of := l.lineOf(namespace)
	if of == nil {
		of = &line{namespace: namespace}
		l.lines = append(l.lines, of)
	}
	of.calls = append(of.calls, call)
	if l.waiting++; l.waiting > maxWaiting {
		longest := l.longest()
		last := longest.calls[len(longest.calls)-1]
		l.remove(longest, last)
		last <- errFull
	}
	return call
}

// leave ends the waiting of a call. It reports false if the call waits no more.
func (l *lane) leave(namespace string, call chan error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.lineOf(namespace)
	return of != nil && l.remove(of, call)
}

// next gives the slot of a call that has ended to the namespace whose turn it is.
func (l *lane) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == 0 {
		l.free++
		return
	}
	of := l.lines[0]
	call := of.calls[0]
	l.lines = append(l.lines[1:], of)
	l.remove(of, call)
	call <- nil
}

func (l *lane) lineOf(namespace string) *line {
	i := slices.IndexFunc(l.lines, func(of *line) bool { return of.namespace == namespace })
	if i < 0 {
		return nil
	}
	return l.lines[i]
}

// longest returns the longest line; of equal ones, the one whose turn is last.
func (l *lane) longest() *line {
	longest := l.lines[0]
	for _, of := range l.lines {
		if len(of.calls) >= len(longest.calls) {
			longest = of
		}
	}
	return longest
}

// remove removes a call from a line, and the line if it was the last. It reports false if the call
// is not there.
func (l *lane) remove(of *line, call chan error) bool {
	i := slices.Index(of.calls, call)
	if i < 0 {
		return false
	}
	l.waiting--
	if of.calls = slices.Delete(of.calls, i, i+1); len(of.calls) == 0 {
		l.lines = slices.DeleteFunc(l.lines, func(other *line) bool { return other == of })
	}
	return true
}
