package model

import (
	"cmp"
	"slices"
)

// find returns the nodes that the steps select, each once and in document order. The doubt
// says whether they may select others too.
func find(root *node, steps []step) (found []*node, d doubt) {
	current := []*node{root}
	for _, s := range steps {
		var next []*node
		for _, n := range current {
			for _, pick := range s {
				next = append(next, pick(n)...)
			}
		}
		next = slices.DeleteFunc(next, func(n *node) bool { return n == nil })
		slices.SortFunc(next, func(a, b *node) int { return a.order - b.order })
		current = slices.CompactFunc(next, func(a, b *node) bool { return a.order == b.order })
	}
	for _, n := range current {
		d = max(d, n.doubt)
		if n.doubt == certain {
			found = append(found, n)
		}
	}
	return found, d
}

// A pick selects nodes from a node. A nil among them counts as nothing.
type pick func(n *node) []*node

// withAllBelow is the pick for "..": a node and all nodes below it, only as written
// (vmrules: Fields that always exist).
func withAllBelow(n *node) []*node {
	written := *n
	written.named = n.written
	all := []*node{&written}
	for _, c := range everything(n) {
		if c != nil && c != n {
			all = append(all, withAllBelow(c)...)
		}
	}
	return all
}

// everything is the pick for .*: all members or items, and those that may be added.
func everything(n *node) []*node {
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
	return func(n *node) []*node { return []*node{cmp.Or(n.named[name], n.anyName)} }
}

// indexed selects an item. If items may be added, an index from the end selects an unknown
// item.
func indexed(i int) pick {
	return func(n *node) []*node {
		at := fromStart(i, n)
		if at < 0 || at >= len(n.items) || i < 0 && n.anyItem != nil {
			return []*node{n.anyItem}
		}
		return n.items[at : at+1]
	}
}

// sliced selects a range of items with a step. A range that reaches beyond the array
// selects nothing (Path in jsonpath.go).
func sliced(start, end, stride int) pick {
	return func(n *node) []*node {
		if n.assumed {
			return nil
		}
		found := []*node{n.anyItem}
		first, behind := fromStart(start, n), fromStart(end, n)
		if first < 0 || behind > len(n.items) || n.anyItem != nil && min(start, end) < 0 {
			return found
		}
		for i := first; i < behind; i += stride {
			found = append(found, n.items[i])
		}
		return found
	}
}

func fromStart(i int, n *node) int {
	switch {
	case i == toTheEnd:
		return len(n.items)
	case i < 0:
		return i + len(n.items)
	}
	return i
}
