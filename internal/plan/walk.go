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

// Work is the cost of looking at a value, and of judging it by an entry.
const Work = 50

// A Mark is the result of a walk for an entry.
type Mark byte

const (
	// Unsure means that the walk has no mark.
	Unsure Mark = iota
	// Holds means that the path selects some values, and all of them satisfy the entry.
	Holds
	// NotNeeded means that what the entry needs is missing.
	NotNeeded
	// Broken means that some values do not satisfy the entry: they are listed.
	Broken
)

// While a walk runs, the Mark of an entry collects these flags.
const (
	isMatched Mark = 1 << iota // its path selects something
	isNeeded                   // what it needs exists
	isBroken                   // some value does not satisfy it
	isUnsure                   // the rest does not count
)

// settled returns the mark for flags.
func settled(flags Mark) Mark {
	switch {
	case flags&isUnsure != 0:
		return Unsure
	case flags&isNeeded == 0:
		return NotNeeded
	case flags&isBroken != 0:
		return Broken
	case flags&isMatched != 0:
		return Holds
	}
	return Unsure
}

// A Wrong is a value that does not satisfy one demand of an entry. It does not refer to the
// object.
type Wrong struct {
	Entry   int
	Demand  constraint.Constraint // nil: the type
	Value   any                   // a scalar; or an empty array or object in place of another
	items   indexes
	StandIn jsonpath.StandIn
}

// indexes are the indexes of the items on the way to a value, as far as a path has such steps.
type indexes [maxItems]int32

// maxItems is how many steps into items a path of a plan may have. Lists in VMs are nested less
// deeply.
const maxItems = 4

// AppendTo appends the steps to the value, whose entry has a path, to the location of the
// object.
func (w *Wrong) AppendTo(at jsonpath.Location, path *jsonpath.Path) jsonpath.Location {
	items := w.items[:]
	for _, step := range path.Steps() {
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
	from := sort.Search(len(all), func(i int) bool { return all[i].Entry >= entry })
	to := from
	for to < len(all) && all[to].Entry == entry {
		to++
	}
	return all[from:to:to]
}

// WrongWork is the cost of a value that is wrong, with the texts that are made of it.
const WrongWork = 1000

// wrongSize is more than the size of a Wrong in bytes, and of what is made of it without the
// texts.
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
	wrong   []Wrong
}

// Run walks a plan through an object, and pays for that at most half of what b has: the caller
// may have to search with the rest. It writes the mark on each entry to marks, which must be as
// long as the plan, and returns the values that break the entries whose mark is Broken: in the
// order of the entries, and for each in document order. If half of b is not enough, the marks
// are Unsure. The last result reports whether no mark is Unsure.
func (p *Plan) Run(object any, b *meter.Budget, marks []Mark) ([]Wrong, bool) {
	if p == nil || p.root == nil {
		clear(marks)
		return nil, len(marks) == 0
	}
	var w walk // and no literal, which would be made elsewhere and copied
	w.found, w.spread = marks, 1
	b.Lend(&w.budget)
	copy(marks, p.start)
	if w.spend(p.root.size) {
		w.visit(p.root, object)
	}
	b.TakeBack(&w.budget)
	if w.budget.Err() != nil {
		clear(marks)
		return nil, false
	}
	isSure := settle(marks)
	if len(w.wrong) == 0 {
		return nil, isSure
	}
	w.wrong = slices.DeleteFunc(w.wrong, func(x Wrong) bool { return marks[x.Entry] != Broken })
	slices.SortStableFunc(w.wrong, func(x, y Wrong) int { return cmp.Compare(x.Entry, y.Entry) })
	return w.wrong, isSure
}

// settle turns flags into marks, and reports whether none is Unsure.
func settle(marks []Mark) bool {
	isSure := true
	for i, flags := range marks {
		marks[i] = settled(flags)
		isSure = isSure && marks[i] != Unsure
	}
	return isSure
}

// spend pays for looking at values.
func (w *walk) spend(values int) bool {
	return w.budget.Spend(values*Work, 0) == nil
}

// visit judges a value and everything below it, and pays for it. The order of traversal does
// not affect the result.
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
	case []any:
		if typed != nil {
			if n.isEnd() {
				w.judge(n, v)
			}
			w.array(n, typed)
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
		next := v[m.name]
		if m.node.field != nil && !isWritten(next) {
			w.field(m.node, v, next)
			continue
		}
		w.visit(m.node, next)
	}
}

// untyped is members for an object of yaml.v2, whose keys may have any type.
func (w *walk) untyped(n *node, v map[any]any) {
	for i := range n.members {
		m := &n.members[i]
		next, ok := v[m.name]
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

// isWritten reports whether a value is one for which no default can stand in. It may return
// false for such a value.
func isWritten(v any) bool {
	switch v := v.(type) {
	case string:
		return true
	case int64:
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
		if k := jsonpath.FromEnd(item.index, len(v)); 0 <= k && k < len(v) {
			w.item(item.node, v, k)
		}
	}
	if n.every == nil || !w.spend(len(v)*n.every.size) {
		return
	}
	outer := w.spread
	w.spread = meter.Times(outer, max(len(v), 1))
	if w.spread > jsonpath.MaxMatches { // that may be more than a search would select
		w.unsure(n.every)
	}
	for k := range v {
		w.item(n.every, v, k)
	}
	w.spread = outer
}

func (w *walk) item(n *node, v []any, k int) {
	w.items[w.depth] = int32(k)
	w.depth++
	w.visit(n, v[k])
	w.depth--
}

// judge judges a value by the entries whose path ends here.
func (w *walk) judge(n *node, v any) {
	for _, i := range n.needed {
		w.found[i] |= isNeeded
	}
	for i := range n.judged {
		r := &n.judged[i]
		w.found[r.index] |= isMatched
		admits, broken := r.shortcut.Judge(v, &w.budget)
		switch {
		case admits:
		case broken != nil:
			w.remember(r, broken, v)
		default:
			w.judgeScalar(n.judged[i:], v)
			return
		}
	}
}

// judgeScalar judges a value without the shortcuts.
func (w *walk) judgeScalar(by []judged, v any) {
	s, isScalar := value.ScalarOf(v)
	if long := s.Cost() - 1; long > 0 && !w.spend(long*len(by)) {
		return
	}
	for i := range by {
		r := &by[i]
		w.found[r.index] |= isMatched
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

// remember keeps a wrong value.
func (w *walk) remember(r *judged, demand constraint.Constraint, v any) {
	f := &w.found[r.index]
	*f |= isBroken
	if len(w.wrong) == maxWrong {
		*f |= isUnsure
	}
	if *f&isUnsure != 0 || w.budget.Spend(WrongWork, r.textSize+constraint.DetailSize(demand)+wrongSize) != nil {
		return
	}
	switch v.(type) {
	case map[string]any, map[any]any:
		v = anyObject
	case []any:
		v = anyArray
	}
	if len(w.wrong) == 1 {
		w.wrong = slices.Grow(w.wrong, usualWrong)
	}
	w.wrong = append(w.wrong, Wrong{r.index, demand, v, w.items, w.standIn})
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
	w.unsure(n.every)
}
