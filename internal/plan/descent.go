package plan

import (
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

var descent jp.Frag = jp.Descent('.')

// maxBelow is how many levels a walk descends. Few objects have more, and a search decides
// whether these are too many.
const maxBelow = value.MaxDepth / 2

// below visits everything below a value that has the name of a member of n.
func (w *walk) below(n *node, v any) {
	before := len(w.wrong)
	w.visit(n, v)
	if w.matched > jsonpath.MaxMatches {
		w.unsure(n)
	}
	w.matched = 0
	wrong := w.wrong[before:]
	for i := range wrong {
		slices.Reverse(wrong[i].below)
	}
	slices.SortStableFunc(wrong, func(x, y Wrong) int { return slices.CompareFunc(x.below, y.below, jsonpath.Element.Compare) })
}

// membersBelow visits the members of an object, those with the name of a member of n as values too.
func (w *walk) membersBelow(n *node, v map[string]any) {
	if !w.descends(n, len(v)) {
		return
	}
	for name, next := range v {
		before := len(w.wrong)
		for _, m := range n.members {
			if m.name == name {
				w.matched++
				w.visit(m.node, next)
			}
		}
		w.visit(n, next)
		w.locate(before, jsonpath.Member(name))
	}
	w.level--
}

func (w *walk) itemsBelow(n *node, v []any) {
	if !w.descends(n, len(v)) {
		return
	}
	for k, next := range v {
		before := len(w.wrong)
		w.visit(n, next)
		w.locate(before, jsonpath.Item(k))
	}
	w.level--
}

// descends pays for the children of a value, and reports whether to visit them. If the value is
// too deep, that counts as too many matches.
func (w *walk) descends(n *node, children int) bool {
	if w.level > maxBelow {
		w.matched = jsonpath.MaxMatches + 1
	}
	if w.matched > jsonpath.MaxMatches || !w.spend(children*n.size) {
		return false
	}
	w.level++
	return true
}

// locate adds a step to the locations of what is wrong behind it.
func (w *walk) locate(from int, step jsonpath.Element) {
	for i := from; i < len(w.wrong); i++ {
		if w.budget.Spend(Work, 2*jsonpath.ElementSize+jsonpath.Location{step}.TextSize()) == nil {
			w.wrong[i].below = append(w.wrong[i].below, step)
		}
	}
}
