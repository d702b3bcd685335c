package vmrules

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/ohler55/ojg/jp"
)

// A walk is one search of a path through an object. It goes down step by step
// until a step "..", and from there through everything below, once, with the
// set of steps that may come next: so each location is found once and in
// document order, however many ".." a path has.
type walk struct {
	nodes      *int                          // values that may still be looked at
	parameters bool                          // strings may hold template parameters
	fields     *field                        // what stands in for fields that are not written; nil: nothing
	visit      func(w *walk, value any) bool // called for each value; false ends the walk

	steps    jp.Expr
	at       location // of the value that is being looked at
	standIn  standIn  // whether it is a default
	matches  int
	byOthers bool  // a field that the instance type sets is not written
	err      error // why the walk cannot be trusted
}

// A standIn says why a value counts that the object does not hold.
type standIn int

const (
	written standIn = iota
	unset           // the field is not there
	zero            // the field is 0, which means the same
)

// run searches from root. An error says that a bound was reached, or that a
// template's parameter had to be compared; what was visited is then no answer.
func (w *walk) run(p Path, root any) error {
	if p.IsZero() {
		return nil
	}
	w.steps = p.expr
	if root = resolve(root); root != nil {
		w.from(root, 0, w.fields)
	}
	return w.err
}

// from goes on at step i with value v; false ends the walk.
func (w *walk) from(v any, i int, f *field) bool {
	if !w.spend(1) {
		return false
	}
	if i == len(w.steps) {
		return w.found(v)
	}
	switch step := w.steps[i].(type) {
	case jp.Child:
		return w.child(v, i, f, string(step))
	case jp.Nth:
		k := fromEnd(int(step), length(v))
		return k < 0 || k >= length(v) || w.enter(v, indexed(k), i+1, f)
	case jp.Union:
		return w.union(v, i, f, step)
	case jp.Descent:
		return w.below(v, w.reach(nil, i), f)
	}
	if !w.spend(childCount(v)) {
		return false
	}
	for e := range children(v) {
		if w.selects(w.steps[i], v, e, f) && !w.enter(v, e, i+1, f) {
			return false
		}
	}
	return w.err == nil
}

// spend counts values that are looked at, and ends the walk at the bounds.
func (w *walk) spend(values int) bool {
	*w.nodes -= values
	if *w.nodes < 0 {
		w.fail(errTooManyNodes)
	}
	if len(w.at) > maxDepth {
		w.fail(errTooDeep)
	}
	return w.err == nil
}

func (w *walk) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *walk) found(v any) bool {
	w.matches++
	if w.matches > maxMatches {
		w.fail(errTooManyMatches)
		return false
	}
	return w.visit(w, v)
}

// enter goes on below v at one of its members or items, if it is there.
func (w *walk) enter(v any, e element, i int, f *field) bool {
	next, ok := entry(v, e)
	if !ok {
		return true
	}
	return w.push(next, e, i, f)
}

func (w *walk) push(next any, e element, i int, f *field) bool {
	w.at = append(w.at, e)
	more := w.from(next, i, f.at(e))
	w.at = w.at[:len(w.at)-1]
	return more
}

func entry(v any, e element) (any, bool) {
	if e.index >= 0 {
		return item(v, e.index)
	}
	return member(v, e.name)
}

// children lists what an object or array holds, in document order.
func children(v any) iter.Seq[element] {
	return func(yield func(element) bool) {
		for _, name := range memberNames(v) {
			if !yield(named(name)) {
				return
			}
		}
		for i := range length(v) {
			if !yield(indexed(i)) {
				return
			}
		}
	}
}

// child goes on at a member that a step names: there, and only there, a
// default counts.
func (w *walk) child(v any, i int, f *field, name string) bool {
	e := named(name)
	next, ok := member(v, name)
	if f.isSetByOthers(w.steps[i:], next) {
		w.byOthers = true
		return true
	}
	value, why := f.at(e).standIn(v, next)
	if why == written {
		return !ok || w.push(next, e, i+1, f)
	}
	before := w.standIn
	w.standIn = why
	more := w.push(resolve(value), e, i+1, f)
	w.standIn = before
	return more
}

func (w *walk) union(v any, i int, f *field, keys jp.Union) bool {
	if !w.spend(len(keys)) {
		return false
	}
	for _, e := range unionOf(keys, v) {
		more := true
		if e.index < 0 {
			more = w.child(v, i, f, e.name)
		} else {
			more = w.enter(v, e, i+1, f)
		}
		if !more {
			return false
		}
	}
	return true
}

// unionOf resolves the keys of a union for v: each once, in document order.
func unionOf(keys jp.Union, v any) []element {
	var all []element
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			all = append(all, named(key))
		case int64:
			if k := fromEnd(int(key), length(v)); k >= 0 && k < length(v) {
				all = append(all, indexed(k))
			}
		case jp.Slice:
			for i := range length(v) {
				if inSlice(key, i, length(v)) {
					all = append(all, indexed(i))
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b element) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.index, b.index))
	})
	return slices.Compact(all)
}

// selects tells whether a step selects this member or item of v.
func (w *walk) selects(step jp.Frag, v any, e element, f *field) bool {
	switch step := step.(type) {
	case jp.Child:
		return e.index < 0 && e.name == string(step)
	case jp.Nth:
		return e.index >= 0 && e.index == fromEnd(int(step), length(v))
	case jp.Wildcard:
		return e.index >= 0 || step == jp.Wildcard('*')
	case jp.Slice:
		return e.index >= 0 && inSlice(step, e.index, length(v))
	case jp.Union:
		return w.spend(len(step)) && slices.Contains(unionOf(step, v), e)
	case filter:
		return e.index >= 0 && w.holds(step, v, e, f)
	}
	return false
}

func fromEnd(i, length int) int {
	if i < 0 {
		return i + length
	}
	return i
}

// inSlice tells whether an index is in a slice of an array. As in Kubernetes,
// a slice that reaches beyond the array selects nothing.
func inSlice(s jp.Slice, i, length int) bool {
	start, end, by := 0, length, 1
	if s[0] != jp.SliceNotSet {
		start = fromEnd(s[0], length)
	}
	if s[1] != jp.SliceNotSet {
		end = fromEnd(s[1], length)
	}
	if s[2] != jp.SliceNotSet {
		by = s[2]
	}
	return start >= 0 && end <= length && i >= start && i < end && (i-start)%by == 0
}

// holds tells whether a filter selects an item.
func (w *walk) holds(f filter, v any, e element, fields *field) bool {
	current, ok := item(v, e.index)
	if !ok {
		return false
	}
	below := fields.at(e)
	if f.operator == "" {
		return len(w.operand(f.left.path, current, below, 1)) == 1
	}
	left, ok := w.comparable(f.left, current, below)
	if !ok {
		return false
	}
	right, ok := w.comparable(f.right, current, below)
	return ok && compares(left, f.operator, right)
}

// comparable is the scalar that an operand stands for, if it is exactly one.
func (w *walk) comparable(o operand, current any, f *field) (scalar, bool) {
	if o.path == nil {
		return o.literal, true
	}
	values := w.operand(o.path, current, f, 2)
	if len(values) != 1 {
		return scalar{}, false
	}
	s, ok := scalarOf(values[0])
	w.check(s)
	return s, ok && w.err == nil
}

// operand lists what a path selects from the current item, at most so many.
func (w *walk) operand(path jp.Expr, current any, f *field, most int) []any {
	var values []any
	inner := walk{nodes: w.nodes, fields: f, steps: path, visit: func(_ *walk, value any) bool {
		values = append(values, value)
		return len(values) < most
	}}
	inner.from(current, 0, f)
	if inner.err != nil {
		w.fail(inner.err)
	}
	return values
}

// check ends the walk where a comparison has no answer.
func (w *walk) check(s scalar) {
	if s.err != nil {
		w.fail(fmt.Errorf("a value that a filter compares %w", s.err))
	}
	if name := parameterIn(s.text); w.parameters && name != "" {
		w.fail(unfilledParameter(name))
	}
}

// compares judges a filter: numbers by value, strings by their bytes, booleans
// only for equality; different types never match, not even under !=.
func compares(a scalar, operator string, b scalar) bool {
	if a.shape != b.shape {
		return false
	}
	order := cmp.Compare(a.text, b.text)
	if a.shape == numeric {
		order = a.number.compare(b.number)
	}
	switch operator {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	}
	if a.shape == boolean {
		return false
	}
	switch operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// below visits v and everything under it. The states are the steps that may
// come next at v, in ascending order.
func (w *walk) below(v any, states []int, f *field) bool {
	if !w.spend(len(states) + childCount(v)) {
		return false
	}
	if states[len(states)-1] == len(w.steps) && !w.found(v) {
		return false
	}
	for e := range children(v) {
		next, ok := entry(v, e)
		if !ok {
			continue
		}
		if after := w.advance(v, e, states, f); !w.visitBelow(next, e, after, f) {
			return false
		}
	}
	for _, i := range states {
		if name, ok := w.defaultAt(v, i, f); ok && !w.child(v, i, f, name) {
			return false
		}
	}
	return w.err == nil
}

func (w *walk) visitBelow(next any, e element, states []int, f *field) bool {
	if len(states) == 0 {
		return w.err == nil
	}
	w.at = append(w.at, e)
	more := w.below(next, states, f.at(e))
	w.at = w.at[:len(w.at)-1]
	return more
}

// advance is the set of steps that may come next at a child of v.
func (w *walk) advance(v any, e element, states []int, f *field) []int {
	var next []int
	for _, i := range states {
		if i == len(w.steps) {
			continue
		}
		if _, ok := w.steps[i].(jp.Descent); ok {
			next = w.reach(next, i)
			continue
		}
		if name, ok := w.defaultAt(v, i, f); ok && e == named(name) {
			continue // child goes on with the default
		}
		if w.selects(w.steps[i], v, e, f) {
			next = w.reach(next, i+1)
		}
	}
	return next
}

// reach adds a step to a set. A ".." may be skipped at once; and what an
// earlier ".." could still find is also found from this one.
func (w *walk) reach(states []int, i int) []int {
	if i == len(w.steps) {
		return append(states, i)
	}
	if _, ok := w.steps[i].(jp.Descent); !ok {
		return append(states, i)
	}
	return append(states[:0], i, i+1)
}

// defaultAt is the member that step i names where a default stands in for it.
// The name behind ".." sees only what is written.
func (w *walk) defaultAt(v any, i int, f *field) (string, bool) {
	if i == len(w.steps) {
		return "", false
	}
	step, ok := w.steps[i].(jp.Child)
	if !ok {
		return "", false
	}
	if _, ok := w.steps[i-1].(jp.Descent); ok {
		return "", false
	}
	next, _ := member(v, string(step))
	_, why := f.at(named(string(step))).standIn(v, next)
	return string(step), why != written
}
