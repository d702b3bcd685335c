// Package backlog knows which VMs are still to be validated. It imports little of Kubernetes, so that the race
// detector needs few packages compiled.
package backlog

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A Backlog holds the VMs that are to be validated, because they or what they are validated by have changed, with
// the time of the first change. It is safe for concurrent use.
type Backlog struct {
	mu      sync.Mutex
	waiting map[types.NamespacedName]time.Time
}

// New returns an empty Backlog.
func New() *Backlog { return &Backlog{waiting: map[types.NamespacedName]time.Time{}} }

// Add adds a VM that has waited since then: after a change, or because it could not be decided. It does not
// add one that has not waited.
func (b *Backlog) Add(vm types.NamespacedName, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if first := b.waiting[vm]; !since.IsZero() && (first.IsZero() || since.Before(first)) {
		b.waiting[vm] = since
	}
}

// Begin takes out a VM that is about to be validated, and returns since when it has waited; the zero Time if it
// has not: somebody has changed its Report.
func (b *Backlog) Begin(vm types.NamespacedName) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	since := b.waiting[vm]
	delete(b.waiting, vm)
	return since
}

// Oldest returns for how long a VM has waited that no other has waited longer than; 0 if none waits.
func (b *Backlog) Oldest(now time.Time) (age time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, since := range b.waiting {
		age = max(age, now.Sub(since))
	}
	return age
}
