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
	branches, made := w.merged(v, states, f)
	more := w.followAll(branches, f)
	w.Meter.Free(made * branchSize)
	return more
}

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
// the set of steps that may come next there. It also returns how many branches it paid for.
func (w *Search) merged(v any, states []int, f *Implied) (all []branch, made int) {
	for _, i := range states {
		if i == len(w.steps) {
			continue
		}
		after := i + 1
		if w.steps[i] == jp.Descent('.') {
			after = i
		}
		next := w.reach(nil, after)
		var own []branch
		if !w.each(v, i, f, func(s selection) bool {
			if !w.Pay(branchWork, branchSize) {
				return false
			}
			made++
			own = append(own, branch{s, next})
			return true
		}) {
			return nil, made
		}
		all = w.union(all, own)
	}
	return all, made
}

// union merges two lists of branches, each in document order and without duplicates.
func (w *Search) union(a, b []branch) []branch {
	if len(a) == 0 {
		return b
	}
	all := make([]branch, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch order := a[0].place.Compare(b[0].place); {
		case order < 0:
			all, a = append(all, a[0]), a[1:]
		case order > 0:
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, w.both(a[0], b[0])), a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
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
	a.states = w.reach(slices.Clone(a.states), b.states[0]) // other branches share it
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
