package review

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// So many calls of this size may be in a lane, and of one namespace.
const size, maxCalls, maxCallsOfNamespace = 4 << 20, 64, 8

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
		err := c.do(ctx, namespace, size, func() {
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
	for c.lane.size > 0 {
		c.hold <- struct{}{}
		synctest.Wait()
	}
	if diff := cmp.Diff(want, strings.Join(c.order, " ")); diff != "" {
		c.t.Errorf("(-want +got):\n%s", diff)
	}
	if len(c.namespaces) != 0 || c.slots.free != 1 {
		c.t.Errorf("in the end, %d namespaces wait, and %d slots are free", len(c.namespaces), c.slots.free)
	}
}

func onLane(t *testing.T, test func(t *testing.T, c *calls)) {
	synctest.Test(t, func(t *testing.T) {
		test(t, &calls{lane: newLane(1), t: t, hold: make(chan struct{})})
	})
}

func TestNamespacesTakeTurns(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		for _, name := range strings.Fields("a1 a2 a3 a4 b1 a5 c1 c2 b2 d1") {
			c.enter(t.Context(), name[:1], name)
		}
		c.finish("a1 b1 c1 d1 a2 b2 c2 a3 a4 a5")
	})
}

// A namespace may have few calls, so that it does not keep the others out.
func TestLaneIsBounded(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		for range maxCallsOfNamespace + 1 {
			c.enter(t.Context(), "a", "a")
		}
		c.enter(t.Context(), "b", "b")
		c.finish("a a: " + errFull.Error() + " b" + strings.Repeat(" a", maxCallsOfNamespace-1))
	})
}

func TestLaneIsBoundedAmongMany(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		for i := range maxCalls {
			c.enter(t.Context(), string(rune('A'+i)), "x")
		}
		c.enter(t.Context(), "last", "last")
		c.finish("x last: " + errFull.Error() + strings.Repeat(" x", maxCalls-1))
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
		if c.lane.size != 2*size || len(c.namespaces) != 1 {
			t.Errorf("calls of %d bytes are there, of %d namespaces", c.lane.size, len(c.namespaces))
		}
		c.order = c.order[:1] // those that left did so in any order
		c.finish("a1 a3")
	})
}

// Hundreds of small calls of a namespace may wait, as when its controller makes as many VMs.
func TestLaneHasRoomForSmallCalls(t *testing.T) {
	onLane(t, func(t *testing.T, c *calls) {
		var failed atomic.Int64
		for range 500 {
			go func() {
				if err := c.do(t.Context(), "a", 1, func() { <-c.hold }); err != nil {
					failed.Add(1)
				}
			}()
		}
		synctest.Wait()
		close(c.hold)
		synctest.Wait()
		if n := failed.Load(); n > 0 {
			t.Errorf("%d have no room", n)
		}
	})
}
