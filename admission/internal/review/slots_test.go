package review

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// The smallest call that waits is the next, and of those of a size the first.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{free: 1}
		var mu sync.Mutex
		var order []string
		hold := make(chan struct{})
		gone, leave := context.WithCancel(t.Context())
		enter := func(ctx context.Context, name string, size int) {
			go func() {
				note := name
				if err := q.do(ctx, size, 1, func() { <-hold }); err != nil {
					note += " left"
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, note)
			}()
			synctest.Wait()
		}
		enter(t.Context(), "first", 9)
		enter(t.Context(), "large", 5)
		enter(t.Context(), "small", 1)
		enter(t.Context(), "medium", 3)
		enter(gone, "impatient", 1)
		enter(t.Context(), "another medium", 3)
		leave()
		synctest.Wait()
		for range 5 {
			hold <- struct{}{}
			synctest.Wait()
		}
		if diff := cmp.Diff("impatient left, first, small, medium, another medium, large", strings.Join(order, ", ")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if q.free != 1 || len(q.waiting) != 0 {
			t.Errorf("in the end, %d slots are free, and %d calls wait", q.free, len(q.waiting))
		}
	})
}
