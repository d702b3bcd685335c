package review

import (
	"context"
	"errors"
	"sync"
)

// As many calls may be in a lane, and of each namespace.
const (
	maxCalls            = 64
	maxCallsOfNamespace = 8
)

var errFull = errors.New("too many others that take as much work wait for it")

// A lane runs functions that take long, a few at a time. Of each namespace, only one call has a
// slot or waits for one, so that namespaces take turns. It is safe for concurrent use.
type lane struct {
	slots slots

	mu         sync.Mutex
	calls      int
	namespaces map[string]*turn
}

// A turn is that of the calls of a namespace.
type turn struct {
	slots // one
	calls int
}

func newLane(n int) *lane { return &lane{slots: make(slots, n), namespaces: map[string]*turn{}} }

// do calls a function when there is a slot. It returns an error, and does not call it, if too many
// wait, or if the context ends before.
func (l *lane) do(ctx context.Context, namespace string, f func()) (err error) {
	t := l.enter(namespace)
	if t == nil {
		return errFull
	}
	defer l.leave(namespace, t)
	if failed := t.do(ctx, func() { err = l.slots.do(ctx, f) }); failed != nil {
		return failed
	}
	return err
}

// enter counts a call. It returns nil if there are too many.
func (l *lane) enter(namespace string) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.namespaces[namespace]
	if t == nil {
		t = &turn{slots: make(slots, 1)}
	}
	if l.calls == maxCalls || t.calls == maxCallsOfNamespace {
		return nil
	}
	l.calls++
	t.calls++
	l.namespaces[namespace] = t
	return t
}

func (l *lane) leave(namespace string, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls--
	if t.calls--; t.calls == 0 {
		delete(l.namespaces, namespace)
	}
}
