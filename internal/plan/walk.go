package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// Work is the cost of looking at a value, and of checking it by an entry.
const Work = 50

// A Mark is the result of a walk for an entry.
type Mark byte

// The results.
const (
	Unsure    Mark = iota // none
	Holds                 // its path selects some values, and all of them satisfy it
	NotNeeded             // what it needs is missing
	Broken                // some values do not satisfy it, or its path selects nothing: what is wrong is listed
	Waits                 // its path selects nothing yet; only Await writes this
)

// While a walk runs, the Mark of an entry collects these flags.
const (
	isMatched Mark = 1 << iota // its path selects something
	isNeeded                   // what it needs exists
	isBroken                   // some value does not satisfy it
	isUnsure                   // the rest does not count
)

// A Wrong is a value that does not satisfy one demand of an entry, or that the path of an entry
// selects nothing. It does not refer to the object.
type Wrong struct {
	Entry   int32
	StandIn jsonpath.StandIn
	Known   bool                  // Compare found it in the old object too
	Demand  constraint.Constraint // nil: the type
	Value   any                   // a scalar; or an empty array or object in place of another; nil: nothing is there
	items   indexes
	below   *jsonpath.Location // the steps in place of ".." and the name; nil: none
}

// indexes are the indexes of the items on the way to a value, as far as a path has such steps.
type indexes [maxItems]int32

// maxItems is how many steps into items a path may have. Lists in VMs are nested less deeply.
const maxItems = 4

// AppendTo appends the steps to the value, whose entry has a path, to the location of the
// object.
func (w *Wrong) AppendTo(at jsonpath.Location, path *jsonpath.Path) jsonpath.Location {
	items := w.items[:]
	for _, step := range path.Steps() {
		if step == descent {
			return append(at, *w.below...)
		}
		if name, ok := step.(jp.Child); ok {
			at = append(at, jsonpath.Member(string(name)))
			continue
		}
		at = append(at, jsonpath.Item(int(items[0])))
		items = items[1:]
	}
	return at
}

// WrongOf returns those of one entry from what Run returned.
func WrongOf(entry int, all []Wrong) []Wrong {
	from := sort.Search(len(all), func(i int) bool { return all[i].Entry >= int32(entry) })
	to := from
	for to < len(all) && all[to].Entry == int32(entry) {
		to++
	}
	return all[from:to:to]
}

// Await makes entries wait, in a form that is not filled in, whose paths select nothing. An empty
// string may hide what else waits: its entry becomes Unsure.
func Await(wrong []Wrong, marks []Mark) {
	for _, w := range wrong {
		switch w.Value {
		case nil:
			marks[w.Entry] = Waits
		case "":
			marks[w.Entry] = Unsure
		}
	}
}

// WrongWork is the cost of a value that is wrong or missing, with the texts that are made of it;
// textWork is that of a byte of the path of one that is missing.
const (
	WrongWork = 1000
	textWork  = 10
)

// wrongSize is more than the bytes of a Wrong, and of what is made of it without the texts.
const wrongSize = 300

// maxWrong is the number of wrong values that a walk keeps. If there are more, it is unsure:
// the caller may stop earlier, when its report is full.
const maxWrong = 1000

// usualWrong is how many more there mostly are where there is more than one.
const usualWrong = 7

// A walk is a walk of a plan through an object. It stays on the stack, as long as nothing
// that it calls keeps a pointer to it.
type walk struct {
	found  []Mark // the flags of each entry
	budget meter.Budget

	items   indexes          // on the way to the current value
	depth   int              // how many there are
	spread  int              // at most how many values the steps so far select
	standIn jsonpath.StandIn // whether the current value is a default
	isOver  bool             // only what waits for arguments is left
	first   bool             // of each entry, only the first Wrong is wanted
	left    int              // the entries of which none is found, if only the first is wanted
	wrong   []Wrong

	slots []any // the values of arguments; nil: not read
	later []later

	level, matched int32 // of a descent: how deep it is, and how many members it selects
}

// Run walks a plan through an object, and pays for that at most half of what b has: the caller
// may have to search with the rest. It writes the mark on each entry to marks, which must be as
// long as the plan, and returns the values that break the entries whose mark is Broken: in the
// order of the entries, and for each in document order. If half of b is not enough, the marks
// are Unsure. If only the first of each entry is wanted, Run need not look further. The last result
// reports whether no mark is Unsure.
func (p *Plan) Run(object any, b *meter.Budget, marks []Mark, first bool) ([]Wrong, bool) {
	if p == nil || p.root == nil {
		clear(marks)
		return nil, len(marks) == 0
	}
	var w walk // a literal would be built in another place, and copied
	w.found, w.spread = marks, 1
	w.first, w.left = first, len(marks)
	b.Lend(&w.budget)
	copy(marks, p.start)
	if p.slots > 0 {
		w.slots = make([]any, p.slots)
	}
	if w.spend(p.root.size) {
		w.visit(p.root, object)
	}
	if len(w.later) > 0 {
		w.finish()
	}
	isSure := w.settle(p.entries)
	b.TakeBack(&w.budget)
	if w.budget.Err() != nil {
		clear(marks)
		return nil, false
	}
	if len(w.wrong) == 0 {
		return nil, isSure
	}
	w.wrong = slices.DeleteFunc(w.wrong, func(x Wrong) bool { return marks[x.Entry] != Broken })
	if len(w.wrong) > 1 {
		slices.SortStableFunc(w.wrong, func(x, y Wrong) int { return cmp.Compare(x.Entry, y.Entry) })
	}
	if first {
		w.wrong = slices.CompactFunc(w.wrong, func(x, y Wrong) bool { return x.Entry == y.Entry })
	}
	return w.wrong, isSure
}

// settle turns flags into marks, and reports whether none is Unsure. It is the end of a walk that
// has seen everything, so an entry that is needed and has matched nothing is broken.
func (w *walk) settle(entries []Entry) bool {
	isSure := true
	for i, flags := range w.found {
		switch {
		case flags == isMatched|isNeeded: // as most are
			w.found[i] = Holds
		case flags&isUnsure != 0:
			w.found[i], isSure = Unsure, false
		case flags&isNeeded == 0:
			w.found[i] = NotNeeded
		default:
			w.found[i] = Broken
			text := len(entries[i].Path.Text())
			if flags&isBroken == 0 && w.budget.Spend(WrongWork+text*textWork, 4*text+wrongSize) == nil {
				w.wrong = append(w.wrong, Wrong{Entry: int32(i)}) // nothing is there
			}
		}
	}
	return isSure
}

func (w *walk) spend(values int) bool {
	return w.budget.Spend(meter.Times(values, Work), 0) == nil
}

// visit checks a value and everything below it, in an order that does not matter, and pays for it.
func (w *walk) visit(n *node, v any) {
	switch typed := v.(type) {
	case string, int64:
		w.judge(n, v)
	case map[string]any:
		if typed != nil {
			if n.isEnd() {
				w.judge(n, v)
			}
			w.members(n, typed)
		}
	case map[any]any:
		if typed != nil {
			w.judge(n, v)
			w.untyped(n, typed)
		}
	case map[string]string:
		if typed != nil {
			w.judge(n, v)
			w.texts(n, typed)
		}
	case []any:
		if typed != nil {
			if n.isEnd() {
				w.judge(n, v)
			}
			w.array(n, typed)
		}
	case []map[string]any:
		if typed != nil && w.spend(len(typed)) {
			w.visit(n, itemsOf(typed))
		}
	case nil:
	case bool, int, uint64:
		w.judge(n, v)
	case json.Number, float64:
		if value.IsReadable(v) {
			w.judge(n, v)
		} else {
			w.unsure(n)
		}
	default:
		w.unsure(n)
	}
}

func (w *walk) members(n *node, v map[string]any) {
	for i := range n.members {
		m := &n.members[i]
		next := v[m.step]
		if m.node.field != nil && !isWritten(next) {
			w.field(m.node, v, next)
			continue
		}
		w.visit(m.node, next)
	}
}

// texts is members for an object that has texts alone.
func (w *walk) texts(n *node, v map[string]string) {
	for i := range n.members {
		m := &n.members[i]
		switch text, ok := v[m.step]; {
		case ok:
			w.visit(m.node, text)
		case m.node.field != nil:
			w.field(m.node, v, nil)
		}
	}
}

// itemsOf returns the items of a list as Go code builds it.
func itemsOf(list []map[string]any) []any {
	items := make([]any, len(list))
	for k := range list {
		items[k] = list[k]
	}
	return items
}

// untyped is members for an object of yaml.v2, whose keys may have any type.
func (w *walk) untyped(n *node, v map[any]any) {
	for i := range n.members {
		m := &n.members[i]
		next, ok := v[m.step]
		switch {
		case !ok && (!w.spend(len(v)/64) || !value.HasOnlyStrings(v)):
			w.unsure(m.node) // another key may have that name
		case m.node.field != nil && !isWritten(next):
			w.field(m.node, v, next)
		default:
			w.visit(m.node, next)
		}
	}
}

// isWritten reports whether a value certainly is one for which no default can stand in.
func isWritten(v any) bool {
	switch v := v.(type) {
	case string:
		return true
	case int64:
		return v != 0
	case int:
		return v != 0
	}
	return false
}

// field visits a member that may have a default.
func (w *walk) field(n *node, parent, next any) {
	next = value.Resolve(next) // a nil map counts as missing, so the default applies
	if value, why := n.field.StandIn(parent, next); why != jsonpath.Written {
		next, w.standIn = value, why
	}
	w.visit(n, next)
	w.standIn = jsonpath.Written
}

func (w *walk) array(n *node, v []any) {
	for _, item := range n.items {
		if k := jsonpath.FromEnd(item.step, len(v)); 0 <= k && k < len(v) {
			w.item(item.node, v, k)
		}
	}
	for i := range n.filtered {
		w.filter(&n.filtered[i], v)
	}
}

func (w *walk) item(n *node, v []any, k int) {
	w.items[w.depth] = int32(k)
	w.depth++
	w.visit(n, v[k])
	w.depth--
}

// judge checks a value by the entries whose path ends here, or may end below.
func (w *walk) judge(n *node, v any) {
	for _, i := range n.needed {
		w.found[i] |= isNeeded
	}
	if n.slot > 0 {
		w.slots[n.slot-1] = v
	}
	if n.below != nil {
		w.below(n.below, v)
	}
	for i := range n.judged {
		r := &n.judged[i]
		w.found[r.index] |= isMatched
		admits, broken := r.shortcut.Judge(v, &w.budget)
		switch {
		case admits:
		case broken != nil:
			w.remember(r, broken, v)
		case r.bounds != nil:
			w.judgeBounded(r, v)
		default:
			w.judgeScalar(n.judged[i:], v)
			return
		}
	}
}

// judgeScalar checks a value without the shortcuts.
func (w *walk) judgeScalar(by []judged, v any) {
	s, isScalar := value.ScalarOf(v)
	if long := s.Cost() - 1; long > 0 && !w.spend(meter.Times(long, len(by))) {
		return
	}
	for i := range by {
		r := &by[i]
		w.found[r.index] |= isMatched
		if r.bounds != nil {
			w.judgeBounded(r, v)
			continue
		}
		if r.comparesNumbers {
			s.ReadQuantity()
		}
		for f := range r.demands.Failures(&s, isScalar, &w.budget) {
			if f.Err != nil {
				w.found[r.index] |= isUnsure
				break
			}
			w.remember(r, f.Demand, v)
		}
	}
}

var (
	anyObject any = map[string]any{}
	anyArray  any = []any{}
)

func (w *walk) remember(r *judged, demand constraint.Constraint, v any) {
	f := &w.found[r.index]
	if w.first && w.level == 0 && *f&isNeeded != 0 { // below "..", values have no order yet
		if *f&isBroken != 0 {
			return
		}
		w.left--
	}
	*f |= isBroken
	if len(w.wrong) == maxWrong {
		*f |= isUnsure
	}
	if *f&isUnsure != 0 || w.budget.Spend(WrongWork, r.textSize+constraint.DetailSize(demand)+wrongSize) != nil {
		return
	}
	switch v.(type) {
	case map[string]any, map[any]any, map[string]string:
		v = anyObject
	case []any, []map[string]any:
		v = anyArray
	}
	if len(w.wrong) == 1 {
		w.wrong = slices.Grow(w.wrong, usualWrong)
	}
	w.wrong = append(w.wrong, Wrong{int32(r.index), w.standIn, false, demand, v, w.items, nil})
}

// unsure handles values that a plan does not support.
func (w *walk) unsure(n *node) {
	if n == nil {
		return
	}
	for _, r := range n.judged {
		w.found[r.index] |= isUnsure
	}
	for _, i := range n.needed {
		w.found[i] |= isUnsure
	}
	for _, m := range n.members {
		w.unsure(m.node)
	}
	for _, item := range n.items {
		w.unsure(item.node)
	}
	for _, f := range n.filtered {
		w.unsure(f.node)
	}
	w.unsure(n.below)
}
