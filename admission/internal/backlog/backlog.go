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
	batches map[string]*batch // by the name of the template
}

// An Entry is a VM that waits. The zero Entry is one that did not.
type Entry struct {
	since time.Time // of the first change
	batch *batch    // nil: none waits for it
}

// A batch counts what a change does: that of a template whose VMs all have to be judged again. VMs that
// wait at the same time for templates of one name are in one batch, since nobody can tell apart
// what each of several changes does.
type batch struct {
	name string
	left int // VMs that wait or are being judged
	news map[newsKey]*News
}

// News says how many VMs have another result by a rule of a template.
type News struct {
	Policy, Rule, Result string
	Template             map[string]any
	VMs                  int
}

type newsKey struct{ policy, rule, result string }

// New returns an empty Backlog.
func New() *Backlog {
	return &Backlog{waiting: map[types.NamespacedName]Entry{}, batches: map[string]*batch{}}
}

// Add adds a VM that names a template; "" if it names none.
func (b *Backlog) Add(vm types.NamespacedName, template string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.waiting[vm]; ok {
		return
	}
	in := b.batches[template]
	if in == nil {
		in = &batch{name: template, news: map[newsKey]*News{}}
		b.batches[template] = in
	}
	in.left++
	b.waiting[vm] = Entry{now, in}
}

// Begin takes out a VM that is about to be judged. End follows.
func (b *Backlog) Begin(vm types.NamespacedName) Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.waiting[vm]
	delete(b.waiting, vm)
	return e
}

// End says what became of a VM: what is new or, if failed, that it still has to be judged. End returns the
// news of its batch if that waited for no other VM.
func (b *Backlog) End(vm types.NamespacedName, e Entry, failed bool, all ...News) []News {
	b.mu.Lock()
	defer b.mu.Unlock()
	if failed && !e.since.IsZero() {
		b.waiting[vm] = Entry{e.since, b.waiting[vm].batch} // which it is in if it has changed again
	}
	in := e.batch
	if in == nil {
		return all
	}
	for _, n := range all {
		key := newsKey{n.Policy, n.Rule, n.Result}
		if known := in.news[key]; known != nil {
			n.VMs += known.VMs
		}
		in.news[key] = &n
	}
	if in.left--; in.left > 0 {
		return nil
	}
	delete(b.batches, in.name)
	return in.sorted()
}

// sorted returns the news, with the most VMs first.
func (in *batch) sorted() (all []News) {
	for _, n := range in.news {
		all = append(all, *n)
	}
	slices.SortFunc(all, func(x, y News) int {
		return cmp.Or(cmp.Compare(y.VMs, x.VMs), cmp.Compare(x.Policy, y.Policy), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Result, y.Result))
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
