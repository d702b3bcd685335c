package plan

import (
	"encoding/json"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/value"
)

// Work is the cost of looking at a value, and of judging it by an entry.
const Work = 50

// A Verdict is the result of a walk for an entry.
type Verdict int

const (
	// Unsure means that the walk has no verdict.
	Unsure Verdict = iota
	// Holds means that the path selects some values, and all of them satisfy the entry.
	Holds
	// NotNeeded means that what the entry needs is missing.
	NotNeeded
	// Broken means that some values do not satisfy the entry, or may not: Wrong lists them.
	Broken
)

// A Wrong is a value that does not satisfy an entry, or may not satisfy it.
type Wrong struct {
	Value   any
	At      jsonpath.Location
	StandIn jsonpath.StandIn
}

// A Walk walks plans through objects. It keeps its memory from one walk to the next, and
// it is not safe for concurrent use.
type Walk struct {
	plan   *Plan
	found  []found // of each entry
	budget pcre.Budget

	root    jsonpath.Location // the location of the object
	items   []int             // the indexes on the way to the current value
	value   value.Scalar      // the current value
	standIn jsonpath.StandIn  // whether the current value is a default
	wrong   int               // the number of wrong values so far
}

// found is what a walk finds out about an entry.
type found struct {
	matches  int  // how many values its path selects
	isNeeded bool // what it needs exists
	isUnsure bool // the rest does not count
	wrong    []Wrong
}

// maxWrong is the number of wrong values that a walk keeps. If there are more, it is unsure:
// the caller may stop earlier, when its report is full.
const maxWrong = 1000

// Run walks a plan through an object at a location, pays from m and returns what is left. If
// m does not have enough, the walk is unsure of all entries.
func (w *Walk) Run(p *Plan, object any, at jsonpath.Location, m meter.Meter) meter.Meter {
	w.begin(p)
	if p == nil || p.root == nil {
		return m
	}
	w.budget = pcre.Budget{Meter: m}
	w.root, w.items, w.wrong = at, w.items[:0], 0
	if w.spend(p.root.size) {
		w.visit(p.root, object)
	}
	if w.budget.Err() != nil {
		w.Forget(p)
	}
	return w.budget.Meter
}

// Forget makes the walk unsure of all entries of a plan.
func (w *Walk) Forget(p *Plan) {
	w.begin(p)
	for i := range w.found {
		w.found[i].isUnsure = true
	}
}

func (w *Walk) begin(p *Plan) {
	w.plan, w.found = p, w.found[:0]
	if p != nil {
		w.found = append(w.found, make([]found, len(p.entries))...)
	}
}

// Verdict returns the result for an entry.
func (w *Walk) Verdict(entry int) Verdict {
	f, e := &w.found[entry], w.plan.entries[entry]
	switch {
	case !e.isPlanned || f.isUnsure:
		return Unsure
	case e.hasNeeds && !f.isNeeded:
		return NotNeeded
	case f.wrong != nil:
		return Broken
	case f.matches > 0:
		return Holds
	}
	return Unsure
}

// Wrong returns the values that break an entry, in document order; nil if its Verdict is
// not Broken.
func (w *Walk) Wrong(entry int) []Wrong {
	if w.Verdict(entry) != Broken {
		return nil
	}
	return w.found[entry].wrong
}

// Release drops all references to the object.
func (w *Walk) Release() {
	clear(w.found)
	w.plan, w.root, w.value, w.standIn = nil, nil, value.Scalar{}, jsonpath.Written
}

// spend pays for looking at values.
func (w *Walk) spend(values int) bool {
	return w.budget.Spend(values*Work, 0) == nil
}

// visit judges a value and everything below it, and pays for it. The order of traversal does
// not affect the result.
func (w *Walk) visit(n *node, v any) {
	switch typed := v.(type) {
	case map[string]any:
		if typed != nil {
			w.judge(n, v)
			w.members(n, typed)
		}
	case []any:
		if typed != nil {
			w.judge(n, v)
			w.array(n, typed)
		}
	case nil:
	case string, bool, json.Number, int, int64, uint64, float64:
		w.judge(n, v)
	default:
		w.unsure(n)
	}
}

func (w *Walk) members(n *node, v map[string]any) {
	for i := range n.members {
		m := &n.members[i]
		next := v[m.name]
		if f := m.node.field; f != nil {
			next = value.Resolve(next) // a nil map counts as missing, so the default applies
			if value, why := f.StandIn(v, next); why != jsonpath.Written {
				w.visitDefault(m.node, value, why)
				continue
			}
		}
		w.visit(m.node, next)
	}
	if n.any != nil && w.spend(len(v)*n.any.size) {
		for _, next := range v {
			w.visit(n.any, next)
		}
	}
}

// visitDefault judges the default of a missing field.
func (w *Walk) visitDefault(n *node, v any, why jsonpath.StandIn) {
	w.standIn = why
	w.visit(n, v)
	w.standIn = jsonpath.Written
}

func (w *Walk) array(n *node, v []any) {
	for _, item := range n.items {
		if k := jsonpath.FromEnd(item.index, len(v)); 0 <= k && k < len(v) {
			w.visitItem(item.node, v, k)
		}
	}
	for _, all := range [...]*node{n.every, n.any} {
		if all == nil || !w.spend(len(v)*all.size) {
			continue
		}
		for k := range v {
			w.visitItem(all, v, k)
		}
	}
}

func (w *Walk) visitItem(n *node, v []any, k int) {
	w.items = append(w.items, k)
	w.visit(n, v[k])
	w.items = w.items[:len(w.items)-1]
}

// judge judges a value by the entries whose path ends here.
func (w *Walk) judge(n *node, v any) {
	if !n.isEnd {
		return
	}
	for _, i := range n.needed {
		w.found[i].isNeeded = true
	}
	isScalar := w.value.Set(v)
	if long := w.value.Cost() - 1; long > 0 && !w.spend(long*len(n.judged)) {
		return
	}
	for i := range n.judged {
		r := &n.judged[i]
		f := &w.found[r.index]
		f.matches++
		switch {
		case f.matches > jsonpath.MaxMatches:
			f.isUnsure = true
		case !isScalar || !w.holds(r):
			w.remember(f, r, v)
		}
	}
}

// remember keeps a wrong value.
func (w *Walk) remember(f *found, r *judged, v any) {
	w.wrong++
	if w.wrong > maxWrong || !r.isOrdered {
		f.isUnsure = true
		return
	}
	depth := len(w.root) + len(r.path)
	if w.budget.Spend(depth, depth*jsonpath.ElementSize) != nil {
		return
	}
	f.wrong = append(f.wrong, Wrong{v, w.locate(r.path), w.standIn})
}

// locate returns the location of the value that is being judged.
func (w *Walk) locate(path jp.Expr) jsonpath.Location {
	at := append(make(jsonpath.Location, 0, len(w.root)+len(path)), w.root...)
	items := w.items
	for _, step := range path {
		if name, ok := step.(jp.Child); ok {
			at = append(at, jsonpath.Member(string(name)))
			continue
		}
		at = append(at, jsonpath.Item(items[0]))
		items = items[1:]
	}
	return at
}

// holds reports whether the value certainly satisfies an entry.
func (w *Walk) holds(r *judged) bool {
	if r.comparesNumbers {
		w.value.ReadQuantity()
	}
	return r.demands.Admits(&w.value, &w.budget)
}

// unsure handles a value of a type that a plan does not support.
func (w *Walk) unsure(n *node) {
	if n == nil {
		return
	}
	for _, r := range n.judged {
		w.found[r.index].isUnsure = true
	}
	for _, i := range n.needed {
		w.found[i].isUnsure = true
	}
	for _, m := range n.members {
		w.unsure(m.node)
	}
	for _, item := range n.items {
		w.unsure(item.node)
	}
	w.unsure(n.every)
	w.unsure(n.any)
}
