package review

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// calls are calls of a lane, each named after its namespace and numbered.
type calls struct {
	*lane
	t     *testing.T
	notes sync.Mutex
	order []string // in which they were called, or refused
	hold  chan struct{}
}

// enter makes a call wait for the lane, behind those that wait already.
func (c *calls) enter(ctx context.Context, namespace, name string) {
	go func() {
		err := c.do(ctx, namespace, func() {
			c.note(name)
			<-c.hold
		})
		if err != nil {
			c.note(name + ": " + err.Error())
		}
	}()
	synctest.Wait()
}

func (c *calls) note(text string) {
	c.notes.Lock()
	defer c.notes.Unlock()
	c.order = append(c.order, text)
}

// finish ends all calls, one after the other, and compares their order.
func (c *calls) finish(want string) {
	c.t.Helper()
	for len(c.waiting) > 0 {
		c.hold <- struct{}{}
		synctest.Wait()
	}
	close(c.hold)
	synctest.Wait()
	if diff := cmp.Diff(want, strings.Join(c.order, " ")); diff != "" {
		c.t.Errorf("(-want +got):\n%s", diff)
	}
	if len(c.waiting) != 0 || c.free != 1 {
		c.t.Errorf("in the end, %d wait and %d slots are free", len(c.waiting), c.free)
	}
}

func onLane(t *testing.T, test func(t *testing.T, c *calls)) {
	synctest.Test(t, func(t *testing.T) {
		test(t, &calls{lane: &lane{free: 1}, t: t, hold: make(chan struct{})})
	})
}

func TestNamespacesTakeTurns(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		for _, name := range strings.Fields("a1 a2 a3 a4 b1 a5 c1 c2 b2 d1") {
			c.enter(t.Context(), name[:1], name)
		}
		c.finish("a1 a2 b1 c1 d1 a3 c2 b2 a4 a5")
	})
}

// Whoever has most calls loses one if there are too many.
func TestLaneIsBounded(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		c.enter(t.Context(), "a", "a1")
		for range maxWaiting {
			c.enter(t.Context(), "a", "a")
		}
		c.enter(t.Context(), "b", "b1")
		c.enter(t.Context(), "a", "last")
		full := ": " + errFull.Error()
		c.finish("a1 a" + full + " last" + full + " a b1" + strings.Repeat(" a", maxWaiting-2))
	})
}

// With one call in each of many namespaces, the new namespace has to wait.
func TestLaneIsBoundedAmongMany(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		c.enter(t.Context(), "a", "a")
		for i := range maxWaiting {
			c.enter(t.Context(), string(rune('A'+i)), "x")
		}
		c.enter(t.Context(), "b", "b")
		c.finish("a b: " + errFull.Error() + strings.Repeat(" x", maxWaiting))
	})
}

func TestLaneIsLeft(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		gone, leave := context.WithCancelCause(t.Context())
		c.enter(t.Context(), "a", "a1")
		c.enter(gone, "a", "a2")
		c.enter(gone, "b", "b1")
		c.enter(t.Context(), "a", "a3")
		leave(errors.New("gone"))
		synctest.Wait()
		if len(c.waiting) != 1 {
			t.Errorf("%d calls wait", len(c.waiting))
		}
		c.order = c.order[:1] // those that left did so in any order
		c.finish("a1 a3")
	})
}
