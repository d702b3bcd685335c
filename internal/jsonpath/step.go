package jsonpath

import (
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// each yields what step i selects in v, in document order. It returns false to end the search.
func (w *Search) each(v any, i int, f *Implied, yield func(selection) bool) bool {
	if w.couldBeAnything(v) || !w.keepsItems(v, i, f) {
		return true
	}
	switch step := w.steps[i].(type) {
	case jp.Child:
		s, ok := w.member(v, i, f, string(step))
		return !ok || yield(s)
	case jp.Nth:
		k := FromEnd(int(step), value.Len(v))
		if k < 0 || k >= value.Len(v) {
			return true
		}
		next, ok := w.resolved(value.RawItem(v, k))
		return !ok || yield(selection{Item(k), next, Written})
	case jp.Union:
		return w.eachOf(step, v, i, f, yield)
	}
	if !w.Spend(value.ChildrenCost(v)) {
		return false
	}
	if w.standIn != Written { // the object contains nothing below a default
		return true
	}
	for k := range value.Len(v) {
		if w.selectsItem(w.steps[i], v, k, f) {
			if next, ok := w.resolved(value.RawItem(v, k)); ok && !yield(selection{Item(k), next, Written}) {
				return false
			}
		}
	}
	if !selectsMembers(w.steps[i]) {
		return w.err == nil
	}
	w.mayHaveMore(v)
	w.addOpenMembers(v, i, f)
	v = value.ByName(v)
	for _, name := range value.Names(v) {
		next, ok := w.resolved(value.RawMember(v, name))
		if !ok || w.setBy(f.At(Member(name)), v, next) != 0 {
			continue
		}
		if !yield(selection{Member(name), next, Written}) {
			return false
		}
	}
	return w.err == nil
}

// member returns what a step that names a member selects: the member in the object or,
// unless the name follows "..", a default.
func (w *Search) member(v any, i int, f *Implied, name string) (selection, bool) {
	if cost := value.LookupCost(v, name); cost > 0 && !w.Spend(cost) {
		return selection{}, false
	}
	next, ok := w.resolved(value.RawMember(v, name))
	s := selection{Member(name), next, Written}
	if !ok && w.mayHaveMore(v) {
		return s, false
	}
	f = f.At(s.place)
	if w.setBy(f, v, next) != 0 {
		w.addOpenMember(name, i, f)
		return s, false
	}
	if i > 0 && w.steps[i-1] == jp.Descent('.') {
		return s, ok
	}
	if value, why := f.StandIn(v, next); why != Written {
		return selection{s.place, value, why}, true
	}
	return s, ok
}

// resolved returns what a raw item or member is in JSON; false if there is nothing. It pays for a Go value
// that only its own methods or fields can turn into JSON: each look at it encodes and decodes all of it, which
// takes about four times as long as looking at everything in it.
func (w *Search) resolved(raw any) (any, bool) {
	next := value.Resolve(raw)
	isFree := !isContainer(next) || isContainer(raw) || !value.IsEncoded(raw)
	return next, next != nil && (isFree || w.Spend(4*countValues(next)))
}

// isContainer reports whether a value is an object or array of the types that decoders return.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// countValues returns how many values there are in a decoded value, with itself.
func countValues(v any) int {
	count := 1
	switch v := v.(type) {
	case map[string]any:
		for _, next := range v {
			count += countValues(next)
		}
	case []any:
		for _, next := range v {
			count += countValues(next)
		}
	}
	return count
}

// eachOf yields what the keys of a union select, each once.
func (w *Search) eachOf(keys jp.Union, v any, i int, f *Implied, yield func(selection) bool) bool {
	if !w.Spend(len(keys)) {
		return false
	}
	for _, e := range w.elements(keys, v) {
		var s selection
		var ok bool
		if !e.IsItem() {
			s, ok = w.member(v, i, f, e.Name())
		} else {
			s = selection{place: e}
			s.value, ok = w.resolved(value.RawItem(v, e.Index()))
		}
		if ok && !yield(s) {
			return false
		}
	}
	return w.err == nil
}

// elements returns the elements of v that the keys of a union select, in document order.
func (w *Search) elements(keys jp.Union, v any) []Element {
	var all []Element
	for _, key := range keys {
		switch key := key.(type) {
		case jp.Child:
			all = append(all, Member(string(key)))
		case jp.Nth:
			if k := FromEnd(int(key), value.Len(v)); k >= 0 && k < value.Len(v) {
				all = append(all, Item(k))
			}
		case jp.Slice:
			if !w.Spend(value.Len(v)) {
				return nil
			}
			for k := range value.Len(v) {
				if inSlice(key, k, value.Len(v)) {
					all = append(all, Item(k))
				}
			}
		}
	}
	slices.SortFunc(all, Element.Compare)
	return slices.Compact(all)
}

// selectsItem reports whether a step that looks at all items selects item k.
func (w *Search) selectsItem(step jp.Frag, v any, k int, f *Implied) bool {
	switch step := step.(type) {
	case jp.Slice:
		return inSlice(step, k, value.Len(v))
	case Filter:
		return w.holds(step, v, k, f)
	}
	return true
}

// selectsMembers reports whether a step selects all members of an object.
func selectsMembers(step jp.Frag) bool { return step == jp.Wildcard('*') || step == jp.Descent('.') }

// FromEnd returns an index, which is negative if it counts from the end of an array of this
// length, as an index from the start.
func FromEnd(i, length int) int {
	if i < 0 {
		return i + length
	}
	return i
}

// inSlice reports whether a slice of an array contains an index. As in Kubernetes, a slice
// that extends beyond the array selects nothing.
func inSlice(s jp.Slice, i, length int) bool {
	start, end, by := 0, length, 1
	if s[0] != jp.SliceNotSet {
		start = FromEnd(s[0], length)
	}
	if s[1] != jp.SliceNotSet {
		end = FromEnd(s[1], length)
	}
	if s[2] != jp.SliceNotSet {
		by = s[2]
	}
	return start >= 0 && end <= length && i >= start && i < end && (i-start)%by == 0
}
