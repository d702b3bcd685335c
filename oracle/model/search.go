package model

import (
	"slices"
)

// find returns what the steps select, each node once and in document order, and why
// they may select more.
func find(root *node, steps []step) (found []*node, doubts doubt) {
	current := []*node{root}
	for _, s := range steps {
		var next []*node
		for _, n := range current {
			next = append(next, s.from(n)...)
		}
		slices.SortFunc(next, func(a, b *node) int { return a.order - b.order })
		current = slices.Compact(next)
	}
	for _, n := range current {
		doubts |= n.doubt
		if n.doubt == 0 {
			found = append(found, n)
		}
	}
	return found, doubts
}

func (s step) from(n *node) []*node {
	from := []*node{n}
	if s.descend {
		from = n.withAllBelow()
	}
	var found []*node
	for _, n := range from {
		for _, p := range s.picks {
			found = append(found, p(n, s.descend)...)
		}
	}
	return slices.DeleteFunc(found, func(n *node) bool { return n == nil })
}

// withAllBelow returns a node and what the object has below it.
func (n *node) withAllBelow() []*node {
	all := []*node{n}
	for _, c := range everything(n, true) {
		if c != nil && c != n {
			all = append(all, c.withAllBelow()...)
		}
	}
	return all
}

// A pick selects from a node. Behind "..", it does not see the node's defaults
// (design 4: Fields that always exist).
type pick func(n *node, descending bool) []*node

// everything is .*: all members or items, and what may be added to them.
func everything(n *node, _ bool) []*node {
	if n.assumed {
		return nil
	}
	all := append(slices.Clone(n.items), n.anyName, n.anyItem)
	for _, c := range n.written {
		all = append(all, c)
	}
	return all
}

func named(name string) pick {
	return func(n *node, descending bool) []*node {
		c := n.named[name]
		if descending {
			c = n.written[name]
		}
		if c == nil {
			c = n.anyName
		}
		return []*node{c}
	}
}

// indexed selects an item. Nobody knows which one it is where it is counted from
// the end and items may be added.
func indexed(i int) pick {
	return func(n *node, _ bool) []*node {
		at := fromStart(i, len(n.items))
		if at < 0 || at >= len(n.items) || i < 0 && n.anyItem != nil {
			return []*node{n.anyItem}
		}
		return n.items[at : at+1]
	}
}

// sliced selects every so many items. What reaches beyond the array selects nothing
// (doc.go: JSONPath).
func sliced(start, end, stride int) pick {
	return func(n *node, _ bool) []*node {
		if n.assumed {
			return nil
		}
		found := []*node{n.anyItem}
		if n.anyItem != nil && (start < 0 || end < 0) {
			return found
		}
		length := len(n.items)
		first, behind := fromStart(start, length), fromStart(end, length)
		if end == toTheEnd {
			behind = length
		}
		if first < 0 || behind > length {
			return found
		}
		for i := first; i < behind; i += stride {
			found = append(found, n.items[i])
		}
		return found
	}
}

func fromStart(i, length int) int {
	if i < 0 {
		return i + length
	}
	return i
}
