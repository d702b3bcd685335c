package backlog_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrules/vmrules/admission/internal/backlog"
)

func vm(i int) types.NamespacedName {
	return types.NamespacedName{Namespace: "n", Name: fmt.Sprint("vm-", i)}
}

func fails(rule string) backlog.News {
	return backlog.News{Rule: backlog.Rule{Policy: "templates/linux", Name: rule, Result: "fail"}, VMs: 1}
}

// What a change does is told once, when all VMs are judged.
func TestNews(t *testing.T) {
	b := backlog.New()
	start := time.Unix(0, 0)
	for i := range 3 {
		b.Add(vm(i), start.Add(time.Duration(i)*time.Second))
		b.Add(vm(i), start.Add(time.Hour)) // the first change counts
	}
	first, second := b.Begin(vm(0)), b.Begin(vm(1))
	if got := b.End(vm(0), first, false, fails("cores"), fails("memory")); got != nil {
		t.Error(got)
	}
	if got := b.End(vm(1), second, true); got != nil { // it waits again
		t.Error(got)
	}
	if got := b.Oldest(start.Add(10 * time.Second)); got != 9*time.Second {
		t.Error(got)
	}
	got := b.End(vm(2), b.Begin(vm(2)), false, fails("memory")) // nobody waits for the one that failed
	want := []backlog.News{fails("memory"), fails("cores")}
	want[0].VMs = 2
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := b.Oldest(start.Add(10 * time.Second)); got != 9*time.Second {
		t.Error(got)
	}
	if got := b.End(vm(1), b.Begin(vm(1)), false, fails("cores")); len(got) != 1 || b.Oldest(start) != 0 {
		t.Error(got)
	}
	if got := b.End(vm(1), b.Begin(vm(1)), false); got != nil { // it did not wait, and nothing is new
		t.Error(got)
	}
}

// A VM that changes while it is judged is judged again, and its news wait for that.
func TestChangeWhileJudged(t *testing.T) {
	for _, failed := range []bool{false, true} {
		b := backlog.New()
		b.Add(vm(0), time.Unix(0, 0))
		e := b.Begin(vm(0))
		b.Add(vm(0), time.Unix(5, 0))
		if got := b.End(vm(0), e, failed, fails("cores")); got != nil {
			t.Error(got)
		}
		want := 4 * time.Second
		if failed {
			want = 9 * time.Second
		}
		if got := b.Oldest(time.Unix(9, 0)); got != want {
			t.Error(got)
		}
		if got := b.End(vm(0), b.Begin(vm(0)), false); len(got) != 1 {
			t.Error(got)
		}
	}
}

// With many workers, every VM is counted once, whichever of them ends last.
func TestConcurrent(t *testing.T) {
	b := backlog.New()
	const vms, workers = 1000, 8
	for i := range vms {
		b.Add(vm(i), time.Unix(0, 0))
	}
	var told atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < vms; i += workers {
				for _, n := range b.End(vm(i), b.Begin(vm(i)), false, fails("cores")) {
					told.Add(int64(n.VMs))
				}
				b.Oldest(time.Unix(1, 0))
			}
		})
	}
	group.Wait()
	if told.Load() != vms {
		t.Errorf("%d VMs", told.Load())
	}
}
