package kyverno

import (
	"maps"
	"slices"
	"strconv"
)

// The pattern "" is given to Kyverno as null, which also matches 0 and false. So these values are
// given to Kyverno as texts where the pattern is "".

// asTexts returns a value in which 0 and false are texts where the pattern is "", and whether that is
// another value. If not, what it returns has no meaning. It does not change the value, but copies
// what contains them. It pays for that.
func (w *work) asTexts(n *node, v any) (any, bool) {
	switch value := v.(type) {
	case map[string]any:
		if n.isMap && n.hasEmpty {
			return w.fieldsAsTexts(n, value)
		}
	case []any:
		if n.hasEmpty && (n.isList || !n.isMap) {
			return w.itemsAsTexts(n, value)
		}
	case bool:
		return strconv.FormatBool(value), n.isEmpty() && !value
	case int, int64, float64:
		return "0", n.isEmpty() && (value == 0 || value == int64(0) || value == 0.0)
	}
	return nil, false
}

// isEmpty reports whether the pattern is "".
func (n *node) isEmpty() bool { return n.hasEmpty && !n.isMap && !n.isList }

func (w *work) fieldsAsTexts(n *node, m map[string]any) (any, bool) {
	made, changed := m, map[string]bool{}
	for _, f := range n.fields {
		text, isOther := w.asTexts(f.node, m[f.name])
		if !isOther {
			continue
		}
		if len(changed) == 0 && w.spend(len(m)) {
			made = maps.Clone(m)
		}
		if w.doubt != "" {
			return m, false
		}
		if slices.ContainsFunc(n.fields, func(other field) bool { return other.name == f.name && other.key != f.key }) {
			w.doubts("0 or false is where one of two patterns for a field asks for an empty text")
		}
		made[f.name], changed[f.name] = text, true
	}
	return made, len(changed) > 0
}

func (w *work) itemsAsTexts(n *node, list []any) (any, bool) {
	made, changed := list, false
	for _, item := range n.itemNodes() {
		for i, v := range list {
			text, isOther := w.asTexts(item, v)
			if !isOther {
				continue
			}
			if !changed && w.spend(len(list)) {
				made, changed = slices.Clone(list), true
			}
			if w.doubt != "" {
				return list, false
			}
			if len(n.items) > 1 {
				w.doubts("0 or false is where one of several patterns for items asks for an empty text")
			}
			made[i] = text
		}
	}
	return made, changed
}

// itemNodes returns the nodes for the items of a list. A pattern that is not a list is compared
// with each item.
func (n *node) itemNodes() []*node {
	if n.isList {
		return n.items
	}
	return []*node{n}
}
