// Package backlog knows which VMs are still to be judged, and what the changes have done to those that
// were. It imports little of Kubernetes, so that the race detector needs few packages compiled.
package backlog

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A Backlog holds the VMs that are to be judged, because they or what they are judged by have changed. It
// is safe for concurrent use.
type Backlog struct {
	mu      sync.Mutex
	waiting map[types.NamespacedName]Entry
	left    int // VMs that wait or are being judged, and have not failed since they changed
	news    map[Rule]*News
}

// An Entry is a VM that waits. The zero Entry is one that did not.
type Entry struct {
	since  time.Time // the first change
	counts bool      // among those that are left
}

// A Rule is one of a template, with a result.
type Rule struct{ Policy, Name, Result string }

// News says how many VMs have another result by a rule than before.
type News struct {
	Rule
	Template map[string]any
	VMs      int
}

// New returns an empty Backlog.
func New() *Backlog {
	return &Backlog{waiting: map[types.NamespacedName]Entry{}, news: map[Rule]*News{}}
}

// Add adds a VM.
func (b *Backlog) Add(vm types.NamespacedName, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.waiting[vm]
	if !ok {
		e.since = now
	}
	if !e.counts {
		b.left++
	}
	e.counts = true
	b.waiting[vm] = e
}

// Begin takes out a VM that is about to be judged. End follows.
func (b *Backlog) Begin(vm types.NamespacedName) Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.waiting[vm]
	delete(b.waiting, vm)
	return e
}

// End says what is new about a VM or, if failed, that it still has to be judged. If no VM is left, it returns all
// news, with the most VMs first: what a change does is known when all VMs are judged. Nothing is new about a VM that
// did not wait: somebody has changed its Report.
func (b *Backlog) End(vm types.NamespacedName, e Entry, failed bool, news ...News) (all []News) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.since.IsZero() {
		news = nil
	}
	for _, n := range news {
		if b.news[n.Rule] == nil {
			b.news[n.Rule] = &News{n.Rule, n.Template, 0}
		}
		b.news[n.Rule].VMs += n.VMs
	}
	if failed && !e.since.IsZero() {
		b.waiting[vm] = Entry{e.since, b.waiting[vm].counts} // if it has changed again
	}
	if e.counts {
		b.left--
	}
	if b.left > 0 {
		return nil
	}
	for _, n := range b.news {
		all = append(all, *n)
	}
	clear(b.news)
	slices.SortFunc(all, func(x, y News) int {
		return cmp.Or(cmp.Compare(y.VMs, x.VMs), cmp.Compare(x.Policy, y.Policy), cmp.Compare(x.Name, y.Name))
	})
	return all
}

// Oldest returns for how long a VM has waited that no other has waited longer than; 0 if none waits.
func (b *Backlog) Oldest(now time.Time) (age time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.waiting {
		age = max(age, now.Sub(e.since))
	}
	return age
}
