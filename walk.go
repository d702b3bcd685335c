package vmrules

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A walk is one search of a path through an object. It goes down step by step
// until a step "..", and from there through everything below, once, with the
// set of steps that may come next: so each location is found once and in
// document order, however many ".." a path has.
type walk struct {
	budget     *budget
	parameters bool     // strings may hold template parameters
	implied    *implied // what counts without being written; nil: nothing
	others     setters  // what may set fields that are not written
	object     any      // where the search begins, for what depends on all of it
	visitor    visitor
	root       jsonpath.Location // where the search begins

	steps   jp.Expr
	at      jsonpath.Location // of the value that is being looked at
	standIn standIn           // whether it is a default
	matches int
	doubt   error // why what was found may not be all: a comparison had no answer
	err     error // why the walk cannot be trusted at all: a bound was reached
}

// A visitor is told of each value that is found; false ends the walk.
type visitor interface {
	visit(w *walk, value any) bool
}

type visitorFunc func(w *walk, value any) bool

func (f visitorFunc) visit(w *walk, value any) bool { return f(w, value) }

// A standIn says why a value counts that the object does not hold.
type standIn int

const (
	written standIn = iota
	unset           // the field is not there
	zero            // the field is 0, which means the same
)

// A selection is what a step selects in a value.
type selection struct {
	place   jsonpath.Element
	value   any
	standIn standIn
}

// usualDepth is how many elements most locations have at most.
const usualDepth = 16

// run searches from root. An error says that a bound was reached; what was
// visited is then no answer.
func (w *walk) run(p Path, root any) error {
	if p.IsZero() {
		return nil
	}
	w.steps = p.steps()
	w.at = append(make(jsonpath.Location, 0, len(w.root)+min(len(w.steps), usualDepth)), w.root...)
	if root = value.Resolve(root); root != nil {
		w.object = root
		w.from(root, 0, w.implied)
	}
	return w.err
}

// from goes on at step i with value v; false ends the walk.
func (w *walk) from(v any, i int, f *implied) bool {
	if !w.spend(1) {
		return false
	}
	if i == len(w.steps) {
		return w.found(v)
	}
	if _, ok := w.steps[i].(jp.Descent); ok {
		return w.below(v, w.reach(nil, i), f)
	}
	return w.each(v, i, f, func(s selection) bool {
		before := w.enter(s)
		more := w.from(s.value, i+1, f.at(s.place))
		w.leave(before)
		return more
	})
}

// spend counts values that are looked at, and ends the walk at the bounds.
func (w *walk) spend(values int) bool {
	w.pay(meter.Times(values, nodeWork), 0)
	if len(w.at)-len(w.root) > value.MaxDepth {
		w.fail(value.ErrTooDeep)
	}
	return w.err == nil
}

// pay pays for a step, and ends the walk where the budget does not suffice.
func (w *walk) pay(work, kept int) bool {
	if err := w.budget.Spend(work, kept); err != nil {
		w.fail(err)
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
	return w.visitor.visit(w, v)
}

// enter goes to a selection's location. It returns what leave needs to come back.
func (w *walk) enter(s selection) standIn {
	before := w.standIn
	if s.standIn != written {
		w.standIn = s.standIn
	}
	w.at = append(w.at, s.place)
	return before
}

func (w *walk) leave(before standIn) {
	w.at = w.at[:len(w.at)-1]
	w.standIn = before
}

// each yields what step i selects in v, in document order; false ends the
// walk.
func (w *walk) each(v any, i int, f *implied, yield func(selection) bool) bool {
	if w.couldBeAnything(v) || !w.keepsItems(v, i, f) {
		return true
	}
	switch step := w.steps[i].(type) {
	case jp.Child:
		s, ok := w.member(v, i, f, string(step))
		return !ok || yield(s)
	case jp.Nth:
		k := fromEnd(int(step), value.Len(v))
		if k < 0 || k >= value.Len(v) {
			return true
		}
		next, ok := w.item(v, k)
		return !ok || yield(selection{jsonpath.Item(k), next, written})
	case jp.Union:
		return w.eachOf(step, v, i, f, yield)
	}
	if !w.spend(value.ChildrenCost(v)) {
		return false
	}
	if w.standIn != written { // a default has nothing below it that is written
		return true
	}
	for k := range value.Len(v) {
		if w.selectsItem(w.steps[i], v, k, f) {
			if next, ok := w.item(v, k); ok && !yield(selection{jsonpath.Item(k), next, written}) {
				return false
			}
		}
	}
	if !selectsMembers(w.steps[i]) {
		return w.err == nil
	}
	w.mayHaveMore(v)
	w.leaveOutMembers(v, i, f)
	v = value.ByName(v)
	for _, name := range value.Names(v) {
		next, ok := w.memberOf(v, name)
		if !ok || w.isLeft(f.at(jsonpath.Member(name)), v, next) {
			continue
		}
		if !yield(selection{jsonpath.Member(name), next, written}) {
			return false
		}
	}
	return w.err == nil
}

// member is what a step that names a member selects: what is written or, but
// for a name behind "..", a default.
func (w *walk) member(v any, i int, f *implied, name string) (selection, bool) {
	if cost := value.LookupCost(v, name); cost > 0 && !w.spend(cost) {
		return selection{}, false
	}
	next, ok := w.memberOf(v, name)
	s := selection{jsonpath.Member(name), next, written}
	if !ok && w.mayHaveMore(v) {
		return s, false
	}
	f = f.at(s.place)
	if w.isLeft(f, v, next) {
		w.leaveOutMember(name, i, f)
		return s, false
	}
	if i > 0 && w.steps[i-1] == jp.Descent('.') {
		return s, ok
	}
	if value, why := f.standIn(v, next); why != written {
		return selection{s.place, value, why}, true
	}
	return s, ok
}

// item is an item of v, paid for.
func (w *walk) item(v any, k int) (any, bool) {
	next, ok := value.Item(v, k)
	if !ok || !isContainer(next) {
		return next, ok
	}
	if list, isPlain := v.([]any); isPlain {
		return next, w.paysFor(list[k], next)
	}
	return next, w.paysFor(reflect.ValueOf(v).Index(k).Interface(), next)
}

// memberOf is a member of v, paid for.
func (w *walk) memberOf(v any, name string) (any, bool) {
	next, ok := value.Member(v, name)
	if m, isPlain := v.(map[string]any); ok && isPlain && isContainer(next) {
		return next, w.paysFor(m[name], next)
	}
	return next, ok
}

// isContainer reports whether a value is an object or array as decoders make it.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// paysFor pays for what came of a Go value that only its methods or fields turn
// into JSON. Each time that it is looked at, all of it is written and read again,
// which takes about four times as long as looking at all of it.
func (w *walk) paysFor(raw, resolved any) bool {
	return isContainer(raw) || !value.IsEncoded(raw) || w.weigh(resolved)
}

func (w *walk) weigh(v any) bool {
	if !w.spend(4) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, next := range v {
			if !w.weigh(next) {
				return false
			}
		}
	case []any:
		for _, next := range v {
			if !w.weigh(next) {
				return false
			}
		}
	}
	return true
}

// eachOf yields what the keys of a union select, each once.
func (w *walk) eachOf(keys jp.Union, v any, i int, f *implied, yield func(selection) bool) bool {
	if !w.spend(len(keys)) {
		return false
	}
	for _, e := range w.resolved(keys, v) {
		var s selection
		var ok bool
		if !e.IsItem() {
			s, ok = w.member(v, i, f, e.Name())
		} else {
			s = selection{place: e}
			s.value, ok = w.item(v, e.Index())
		}
		if ok && !yield(s) {
			return false
		}
	}
	return w.err == nil
}

// resolved lists the keys of a union for v, in document order.
func (w *walk) resolved(keys jp.Union, v any) []jsonpath.Element {
	var all []jsonpath.Element
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			all = append(all, jsonpath.Member(key))
		case int64:
			if k := fromEnd(int(key), value.Len(v)); k >= 0 && k < value.Len(v) {
				all = append(all, jsonpath.Item(k))
			}
		case jp.Slice:
			if !w.spend(value.Len(v)) {
				return nil
			}
			for k := range value.Len(v) {
				if inSlice(key, k, value.Len(v)) {
					all = append(all, jsonpath.Item(k))
				}
			}
		}
	}
	slices.SortFunc(all, jsonpath.Element.Compare)
	return slices.Compact(all)
}

// selectsItem tells whether a step that looks at all items selects one.
func (w *walk) selectsItem(step jp.Frag, v any, k int, f *implied) bool {
	switch step := step.(type) {
	case jp.Slice:
		return inSlice(step, k, value.Len(v))
	case jsonpath.Filter:
		return w.holds(step, v, k, f)
	}
	return true
}

// selectsMembers tells whether a step selects all members of an object.
func selectsMembers(step jp.Frag) bool { return step == jp.Wildcard('*') || step == jp.Descent('.') }

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
func (w *walk) holds(f jsonpath.Filter, v any, k int, i *implied) bool {
	current, ok := w.item(v, k)
	if !ok {
		return false
	}
	below := i.at(jsonpath.Item(k))
	if f.Operator == "" {
		return len(w.operand(f.Left.Path, current, below, 1)) == 1
	}
	left, ok := w.comparable(f.Left, current, below)
	if !ok {
		return false
	}
	// Different types never match, not even under !=.
	right, ok := w.comparable(f.Right, current, below)
	if !ok || w.couldBeAnything(left.Canonical()) || w.couldBeAnything(right.Canonical()) || left.Shape() != right.Shape() {
		return false
	}
	if err := cmp.Or(w.incomparable(left), w.incomparable(right)); err != nil {
		w.doubt = err
		return false
	}
	return compares(left, f.Operator, right)
}

// comparable is the scalar that an operand stands for, if it is exactly one.
func (w *walk) comparable(o jsonpath.Operand, current any, f *implied) (value.Scalar, bool) {
	if o.Path == nil {
		return o.Literal, true
	}
	values := w.operand(o.Path, current, f, 2)
	if len(values) != 1 {
		return value.Scalar{}, false
	}
	s, ok := value.ScalarOf(values[0])
	return s, ok && w.spend(s.Cost())
}

// operand lists what a path selects from the current item, at most so many.
func (w *walk) operand(path jp.Expr, current any, f *implied, most int) []any {
	var values []any
	inner := walk{budget: w.budget, parameters: w.parameters, implied: f, others: w.others, object: w.object, steps: path, visitor: visitorFunc(func(_ *walk, value any) bool {
		values = append(values, value)
		return len(values) < most
	})}
	inner.from(current, 0, f)
	if inner.err != nil {
		w.fail(inner.err)
	}
	if isLeftOut(inner.doubt) {
		return w.leftOperand(inner.doubt, values, most)
	}
	w.doubt = cmp.Or(inner.doubt, w.doubt)
	return values
}

// couldBeAnything tells whether a value is a parameter ${{NAME}} of a template,
// which may be filled in with a value of any type.
func (w *walk) couldBeAnything(v any) bool {
	if !w.parameters {
		return false
	}
	s, _ := v.(string)
	name := parameterAt(s, "${{", "}}")
	if name != "" {
		w.doubt = unfilledParameter(name)
	}
	return name != ""
}

// mayHaveMore reports whether a key of an object holds a parameter of a template:
// filled in, it may be any name.
func (w *walk) mayHaveMore(v any) bool {
	if !w.parameters || value.ShapeOf(v) != value.Object || !w.spend(value.ChildCount(v)/4) {
		return false
	}
	for _, name := range value.Names(v) {
		if parameter := parameterIn(name); parameter != "" {
			w.doubt = unfilledParameter(parameter)
			return true
		}
	}
	return false
}

// incomparable says why a comparison with a scalar has no answer; nil where it
// has one.
func (w *walk) incomparable(s value.Scalar) error {
	if s.Err() != nil {
		return fmt.Errorf("a value that a filter compares %w", s.Err())
	}
	return unfilled(&s, w.parameters)
}

// compares judges a filter on two values of one type: numbers by value, strings
// by their bytes, booleans only for equality.
func compares(a value.Scalar, operator string, b value.Scalar) bool {
	order := cmp.Compare(a.Text(), b.Text())
	if a.Shape() == value.Number {
		order = a.Number().Compare(b.Number())
	}
	switch operator {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	}
	if a.Shape() == value.Boolean {
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
// come next at v, in ascending order; the first is always a "..", which stays.
func (w *walk) below(v any, states []int, f *implied) bool {
	if !w.spend(len(states)) {
		return false
	}
	if states[len(states)-1] == len(w.steps) && !w.found(v) {
		return false
	}
	for _, next := range w.merged(v, states, f) {
		before := w.enter(next.selection)
		more := w.follow(next, f.at(next.place))
		w.leave(before)
		if !more {
			return false
		}
	}
	return w.err == nil
}

// follow goes on where a branch leads.
func (w *walk) follow(b branch, f *implied) bool {
	if b.standIn != written {
		return w.from(b.value, b.states[0], f)
	}
	return w.below(b.value, b.states, f)
}

// A branch is a selection with the steps that may come next there.
type branch struct {
	selection
	states []int
}

// merged brings together what the steps select in v: each location once, in
// document order, with the set of steps that follow.
func (w *walk) merged(v any, states []int, f *implied) []branch {
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
		if next.standIn == written {
			next.states = w.reach(nil, next.states[0])
		}
		merged = append(merged, next)
	}
	return merged
}

// both are two branches to one location. Where a default stands in, the step
// that names the field is the one that counts.
func (w *walk) both(a, b branch) branch {
	switch {
	case a.standIn != written:
		return a
	case b.standIn != written:
		return b
	}
	a.states = w.reach(a.states, b.states[0])
	return a
}

// reach adds a step to a set. A ".." may be skipped at once; and what an
// earlier ".." could still find is also found from this one.
func (w *walk) reach(states []int, i int) []int {
	if i == len(w.steps) || w.steps[i] != jp.Descent('.') {
		return append(states, i)
	}
	return append(states[:0], i, i+1)
}
