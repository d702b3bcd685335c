package jsonpath

import (
	"slices"

	"github.com/ohler55/ojg/jp"
)

// below visits v and everything below it. The states are the steps that may come next at
// v, in ascending order. The first is always a "..", which applies at every level.
func (w *Search) below(v any, states []int, f *Implied) bool {
	if !w.Spend(len(states)) {
		return false
	}
	if !w.reads(v) {
		return true
	}
	if states[len(states)-1] == len(w.steps) && !w.found(v) {
		return false
	}
	held := w.branches
	more := w.followAll(w.merged(v, states, f), f)
	w.Meter.Free((w.branches - held) * branchSize)
	w.branches = held
	return more
}

// followAll continues the search in all branches.
func (w *Search) followAll(branches []branch, f *Implied) bool {
	for _, next := range branches {
		before := w.enter(next.selection)
		more := w.follow(next, f.At(next.place))
		w.leave(before)
		if !more {
			return false
		}
	}
	return w.err == nil
}

// follow continues the search in a branch.
func (w *Search) follow(b branch, f *Implied) bool {
	if b.standIn != Written {
		return w.from(b.value, b.states[0], f)
	}
	return w.below(b.value, b.states, f)
}

// A branch is a selection with the steps that may come next there.
type branch struct {
	selection
	states []int
}

// merged returns what the steps select in v: each location once, in document order, with
// the set of steps that may come next there.
func (w *Search) merged(v any, states []int, f *Implied) []branch {
	var all []branch
	for _, i := range states {
		if i == len(w.steps) {
			continue
		}
		after := i + 1
		if w.steps[i] == jp.Descent('.') {
			after = i
		}
		if !w.each(v, i, f, func(s selection) bool {
			if !w.Pay(0, branchSize) {
				return false
			}
			w.branches++
			all = append(all, branch{s, []int{after}})
			return true
		}) {
			return nil
		}
	}
	slices.SortStableFunc(all, func(a, b branch) int { return a.place.Compare(b.place) })
	merged := all[:0]
	for _, next := range all {
		if n := len(merged); n > 0 && merged[n-1].place == next.place {
			merged[n-1] = w.both(merged[n-1], next)
			continue
		}
		if next.standIn == Written {
			next.states = w.reach(nil, next.states[0])
		}
		merged = append(merged, next)
	}
	return merged
}

// both combines two branches to the same location. If one of them found a default, only
// that one counts: it comes from a step that names the field.
func (w *Search) both(a, b branch) branch {
	switch {
	case a.standIn != Written:
		return a
	case b.standIn != Written:
		return b
	}
	a.states = w.reach(a.states, b.states[0])
	return a
}

// reach adds a step to a set. After a "..", the next step may come at once. A ".." replaces
// the steps before it, as it also finds everything that they could still find.
func (w *Search) reach(states []int, i int) []int {
	if i == len(w.steps) || w.steps[i] != jp.Descent('.') {
		return append(states, i)
	}
	return append(states[:0], i, i+1)
}
