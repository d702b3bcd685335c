package plan

import (
	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A filter selects all items, or those in which a member is a text: [?(@.member=="text")].
type filter struct {
	isAll        bool
	member, text string
	mayBeUnset   bool // the member has a default
}

// filterOf returns a step into a list with these fields as a filter; false if a plan does not support it.
func filterOf(step jp.Frag, list *jsonpath.Implied) (filter, bool) {
	s, ok := step.(jsonpath.Filter)
	if !ok {
		return filter{isAll: true}, step == jp.Wildcard('#')
	}
	if s.Operator != "==" || len(s.Left.Path) != 1 || s.Right.Path != nil || s.Right.Literal.Shape() != value.String {
		return filter{}, false
	}
	member, ok := s.Left.Path[0].(jp.Child)
	return filter{false, string(member), s.Right.Literal.Text(), list.After(s).After(member).Default() != nil}, ok
}

// selects reports whether a filter selects an item, and whether that is sure.
func (f *filter) selects(item any) (selects, isSure bool) {
	object, _ := item.(map[string]any)
	switch member := object[f.member].(type) {
	case string:
		return member == f.text, true
	case nil:
		return false, object != nil && !f.mayBeUnset
	}
	return false, false
}

// filter visits the items that a filter selects.
func (w *walk) filter(f *branch[filter], v []any) {
	if !w.spend(meter.Times(len(v), f.node.size+len(f.step.text)/100)) {
		return
	}
	outer := w.spread
	w.spread = meter.Times(outer, max(len(v), 1))
	if w.spread > jsonpath.MaxMatches { // that may be more than a search would select
		w.unsure(f.node)
	}
	for k := range v {
		if w.left == 0 {
			break
		}
		if f.step.isAll {
			w.item(f.node, v, k)
		} else if selects, isSure := f.step.selects(v[k]); selects {
			w.item(f.node, v, k)
		} else if !isSure {
			w.unsure(f.node)
		}
	}
	w.spread = outer
}
