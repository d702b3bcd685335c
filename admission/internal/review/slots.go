package review

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// A queue limits how much is done at the same time, for instance how many requests are read and validated: that takes
// only processor time, so more at once would not be faster, but take more memory. The smallest call that waits is
// the next, and of those of a size the first: what rules take grows with the product of their size and that of the
// object, so that a plain review waits for none that take long, however many there are. It is safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	free    int // slots, or bytes
	waiting []*waiter
}

type waiter struct {
	size, cost int
	next       chan struct{} // closed when it has what it costs
}

// do calls a function of a size when there is free what it costs. It returns an error if the request ends before.
func (q *queue) do(ctx context.Context, size, cost int, f func()) error {
	w := &waiter{size, cost, make(chan struct{})}
	q.change(func() { q.waiting = append(q.waiting, w) })
	defer q.change(func() {
		if i := slices.Index(q.waiting, w); i >= 0 {
			q.waiting = slices.Delete(q.waiting, i, i+1)
		} else {
			q.free += cost
		}
	})
	select {
	case <-w.next:
		f()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("there were too many requests to validate this one in time: %w", context.Cause(ctx))
	}
}

// change changes the queue, and gives what is free to the smallest that wait.
func (q *queue) change(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f()
	for len(q.waiting) > 0 {
		next := slices.MinFunc(q.waiting, func(a, b *waiter) int { return a.size - b.size })
		if next.cost > q.free {
			return
		}
		q.waiting = slices.DeleteFunc(q.waiting, func(w *waiter) bool { return w == next })
		q.free -= next.cost
		close(next.next)
	}
}
