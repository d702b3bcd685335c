package plan

import (
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A comparison finds which of what a walk found wrong was wrong in an old version of the object
// too. Items of some lists are the same if they have the same name, all others if they have the
// same index. A comparison is sure only where both come to the same.
type comparison struct {
	new, old any
	meter    meter.Meter

	lists [maxItems]twoLists // those that were compared last, by how many are around them
}

// twoLists are the old and the new version of a list.
type twoLists struct {
	new, old []any
	agree    bool // items with the same index have the same name, as far as there are both
}

// Compare walks through an old version of an object, and marks what is Known of what is wrong in the
// new one. Entries of which it is not sure become Unsure: all, if the walk cannot be right. It pays
// with at most half of b, as Run does.
func (p *Plan) Compare(object, old any, isRight bool, b *meter.Budget, marks []Mark, wrong []Wrong) {
	then := make([]Mark, len(marks))
	var before []Wrong
	if isRight {
		before, _ = p.Run(old, b, then, false)
	}
	c := comparison{new: object, old: old, meter: b.Half()}
	for len(wrong) > 0 {
		k := int(wrong[0].Entry)
		own := WrongOf(k, wrong)
		wrong = wrong[len(own):]
		if then[k] == Unsure || then[k] == Broken && !c.markKnown(p.entries[k].Path, own, WrongOf(k, before)) {
			marks[k] = Unsure
		}
	}
	b.Return(c.meter)
}

// markKnown marks what is Known of what is wrong by one entry, for which old has what was wrong. It
// returns false if it is not sure of all.
func (c *comparison) markKnown(path *jsonpath.Path, all, old []Wrong) bool {
	items, isSure := itemsOn(path)
	if !isSure || c.meter.Spend((len(all)+len(old))*WrongWork, 0) != nil || !c.agreeOn(path, all) || !c.agreeOn(path, old) {
		return false
	}
	for i := range all {
		w := &all[i]
		at := w.items[:items]
		for len(old) > 0 && slices.Compare(old[0].items[:items], at) < 0 { // both are in document order
			old = old[1:]
		}
		for k := 0; k < len(old) && slices.Equal(old[k].items[:items], at); k++ {
			if keyOf(w) == keyOf(&old[k]) && value.Canonical(w.Value) == value.Canonical(old[k].Value) {
				w.Known = w.Demand == old[k].Demand
				isSure = isSure && w.Known
			}
		}
	}
	return isSure
}

func keyOf(w *Wrong) string { return constraint.Failure{Demand: w.Demand}.Key() }

// itemsOn returns how many steps of a path are into items. It returns false for a path that reaches
// items with names in another way than by [*].
func itemsOn(path *jsonpath.Path) (n int, ok bool) {
	list := ""
	for _, step := range path.Steps() {
		name, isName := step.(jp.Child)
		_, isIndex := step.(jp.Nth)
		isEvery := step == jp.Wildcard('#')
		if !isEvery && (value.NamedIn[list] || !isName && !isIndex) {
			return 0, false
		}
		list = string(name) // "" after an item
		if !isName {
			n++
		}
	}
	return n, true
}

// agreeOn reports whether the lists on the way to values agree, and the values can be compared.
func (c *comparison) agreeOn(path *jsonpath.Path, all []Wrong) bool {
	for i := range all {
		if w := &all[i]; w.Value != nil && (value.Canonical(w.Value) == nil || !c.agreeTo(w, path)) {
			return false
		}
	}
	return true
}

func (c *comparison) agreeTo(w *Wrong, path *jsonpath.Path) bool {
	from, old, list, depth := c.new, c.old, "", 0
	for _, step := range path.Steps() {
		if !isUsual(from) || !isUsual(old) {
			return false
		}
		if name, ok := step.(jp.Child); ok {
			list = string(name)
			a, _ := from.(map[string]any)
			b, _ := old.(map[string]any)
			from, old = a[list], b[list]
			continue
		}
		a, _ := from.([]any)
		b, _ := old.([]any)
		if value.NamedIn[list] && !c.agree(&c.lists[depth], a, b) {
			return false
		}
		k := int(w.items[depth])
		from, old, list = at(a, k), at(b, k), ""
		depth++
	}
	return true
}

// isUsual reports whether a value is no object or list of the types that only some decoders return.
func isUsual(v any) bool {
	switch v.(type) {
	case map[any]any, map[string]string, []map[string]any:
		return false
	}
	return true
}

func at(list []any, k int) any {
	if k < len(list) {
		return list[k]
	}
	return nil
}

// agree compares two lists, unless they are those of last.
func (c *comparison) agree(last *twoLists, a, b []any) bool {
	if isSame(a, last.new) && isSame(b, last.old) {
		return last.agree
	}
	*last = twoLists{a, b, c.meter.Spend((len(a)+len(b))*Work, 0) == nil}
	for k := 0; last.agree && k < max(len(a), len(b)); k++ {
		is, ok := nameOf(at(a, k))
		was, wasOK := nameOf(at(b, k))
		last.agree = ok && wasOK && (is == was || k >= len(a) || k >= len(b))
	}
	return last.agree
}

func isSame(a, b []any) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// nameOf returns the name of an item; "" if it has none. It returns false if that is not sure.
func nameOf(item any) (name string, ok bool) {
	object, isObject := item.(map[string]any)
	name, ok = object["name"].(string)
	return name, ok || item == nil || isObject && object["name"] == nil
}
