package review

import (
	"cmp"
	"context"
	"errors"
	"sync"
)

// What is in a lane may have this many bytes of text, and what is of one namespace. A call without
// text counts, too.
const (
	maxSize            = 256 << 20
	maxSizeOfNamespace = maxSize / 8
	minSize            = 64 << 10
)

var errFull = errors.New("too many others that take as much work wait for it")

// A lane runs functions that take long, a few at a time. Of each namespace, only one call has a
// slot or waits for one, so that namespaces take turns. It is safe for concurrent use.
type lane struct {
	slots *queue

	mu         sync.Mutex
	size       int
	namespaces map[string]*turn
}

// A turn is that of the calls of a namespace.
type turn struct {
	slot *queue // one
	size int
}

func newLane(n int) *lane { return &lane{slots: &queue{free: n}, namespaces: map[string]*turn{}} }

// do calls a function, for a text of a size, when there is a slot. It returns an error, and does not
// call it, if too many wait, or if the context ends before.
func (l *lane) do(ctx context.Context, namespace string, size int, f func()) (err error) {
	size = max(size, minSize)
	t := l.enter(namespace, size)
	if t == nil {
		return errFull
	}
	defer l.leave(namespace, t, size)
	failed := t.slot.do(ctx, 0, 1, func() { err = l.slots.do(ctx, 0, 1, f) })
	return cmp.Or(failed, err)
}

// enter counts a call. It returns nil if there are too many.
func (l *lane) enter(namespace string, size int) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.namespaces[namespace]
	if t == nil {
		t = &turn{slot: &queue{free: 1}}
	}
	if l.size+size > maxSize || t.size+size > maxSizeOfNamespace {
		return nil
	}
	l.size += size
	t.size += size
	l.namespaces[namespace] = t
	return t
}

func (l *lane) leave(namespace string, t *turn, size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size -= size
	if t.size -= size; t.size == 0 {
		delete(l.namespaces, namespace)
	}
}
