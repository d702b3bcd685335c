package backlog_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrules/vmrules/admission/internal/backlog"
)

func vm(i int) types.NamespacedName {
	return types.NamespacedName{Namespace: "n", Name: fmt.Sprint("vm-", i)}
}

// The first change of a VM counts, also if it could not be judged, or changes while it is.
func TestOldest(t *testing.T) {
	b := backlog.New()
	start := time.Unix(0, 0)
	oldest := func(want time.Duration) {
		t.Helper()
		if got := b.Oldest(start.Add(10 * time.Second)); got != want {
			t.Errorf("the oldest change is %v ago, want %v", got, want)
		}
	}
	for i := range 2 {
		b.Add(vm(i), start.Add(time.Duration(i)*time.Second))
		b.Add(vm(i), start.Add(time.Hour))
	}
	oldest(10 * time.Second)
	first, second := b.Begin(vm(0)), b.Begin(vm(1))
	oldest(0)
	b.Add(vm(1), start.Add(5*time.Second))
	oldest(5 * time.Second)
	b.Add(vm(1), second)
	oldest(9 * time.Second)
	b.Add(vm(0), first)
	oldest(10 * time.Second)
	b.Begin(vm(0))
	b.Begin(vm(1))
	b.Add(vm(1), b.Begin(vm(1))) // it did not wait
	oldest(0)
}

func TestConcurrent(t *testing.T) {
	b := backlog.New()
	const vms, workers = 1000, 8
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < vms; i += workers {
				b.Add(vm(i), time.Unix(0, 0))
				b.Add(vm(i), b.Begin(vm(i)))
				b.Oldest(time.Unix(1, 0))
				b.Begin(vm(i))
			}
		})
	}
	group.Wait()
	if got := b.Oldest(time.Unix(1, 0)); got != 0 {
		t.Errorf("a VM still waits, for %v", got)
	}
}
