package plan

import (
	"encoding/json"
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

var descent jp.Frag = jp.Descent('.')

// maxBelow is how many levels a walk descends. Few objects have more: a search decides about those.
const maxBelow = value.MaxDepth / 2

// below visits everything below a value that has the name of a member of n.
func (w *walk) below(n *node, v any) {
	before := len(w.wrong)
	w.descend(n, v)
	if w.matched > jsonpath.MaxMatches {
		w.unsure(n)
	}
	w.matched = 0
	wrong := w.wrong[before:]
	for i := range wrong {
		slices.Reverse(*wrong[i].below)
	}
	slices.SortStableFunc(wrong, func(x, y Wrong) int { return slices.CompareFunc(*x.below, *y.below, jsonpath.Element.Compare) })
}

// descend is below in any order. A value that is too deep counts as too many matches.
func (w *walk) descend(n *node, v any) {
	if w.level > maxBelow {
		w.matched = jsonpath.MaxMatches + 1
	}
	w.level++
	switch v := v.(type) {
	case map[string]any:
		w.descendInto(n, v)
	case []any:
		for k := 0; k < len(v) && w.matched <= jsonpath.MaxMatches && w.spend(1); k++ {
			before := len(w.wrong)
			w.descend(n, v[k])
			w.locate(before, jsonpath.Item(k))
		}
	case nil, string, bool, int64, int, uint64, float64, json.Number:
		w.visit(n, v) // which may be unsure of it
	default:
		w.unsure(n)
	}
	w.level--
}

func (w *walk) descendInto(n *node, v map[string]any) {
	for name, next := range v {
		if w.matched > jsonpath.MaxMatches || !w.spend(n.size) {
			return
		}
		before := len(w.wrong)
		for _, m := range n.members {
			if m.step == name {
				w.matched++
				w.visit(m.node, next)
			}
		}
		w.descend(n, next)
		w.locate(before, jsonpath.Member(name))
	}
}

// locate adds a step to the locations of what is wrong behind it.
func (w *walk) locate(from int, step jsonpath.Element) {
	for i := from; i < len(w.wrong); i++ {
		if w.wrong[i].below == nil {
			w.wrong[i].below = &jsonpath.Location{}
		}
		if at := w.wrong[i].below; w.budget.Spend(Work, 2*jsonpath.ElementSize+jsonpath.Location{step}.TextSize()) == nil {
			*at = append(*at, step)
		}
	}
}
