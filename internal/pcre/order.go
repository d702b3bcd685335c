package pcre

import "slices"

// checkOrder returns an error for what the backtracking engine may try in another order than
// PCRE2 where the order decides, and for what PCRE2 itself gets wrong.
func checkOrder(n *node, ordered, behind bool) error {
	switch n.op {
	case opRepeat:
		sub := n.subs[0]
		if n.max > 1 && sub.op != opBackref && sub.mayBeEmpty() && (ordered || n.hasReferred()) {
			return errorAt(n.at, "a repeat of something that can be empty is not supported inside an atomic group, or around a group that a back-reference refers to")
		}
	case opAtomic:
		if beginsOptional(n.subs[0]) {
			return errorAt(n.at, "an atomic group that begins with an optional group, or a branch that can be empty, is not supported, since PCRE2 gets it wrong after a repeat: move the optional part out of it")
		}
		ordered = true
	case opLookahead, opNotLookahead:
		ordered = n.hasReferred()
	case opLookbehind, opNotLookbehind:
		ordered, behind = false, true
	case opCapture:
		if behind && n.referred {
			return errorAt(n.at, "a back-reference to a group inside a lookbehind is not supported")
		}
	case opBackref:
		if behind {
			return errorAt(n.at, "a back-reference inside a lookbehind is not supported")
		}
	}
	for _, sub := range n.subs {
		if err := checkOrder(sub, ordered, behind); err != nil {
			return err
		}
	}
	return nil
}

// beginsOptional reports whether n may begin with an optional group, or with a branch that
// can be empty before others. PCRE2 forgets that possibility when it looks for what cannot
// follow a repeat: a*(?>(b)?)a does not match aa.
func beginsOptional(n *node) bool {
	switch n.op {
	case opConcat:
		for _, sub := range n.subs {
			if beginsOptional(sub) {
				return true
			}
			if !sub.mayBeEmpty() {
				return false
			}
		}
	case opRepeat:
		return n.min == 0 && n.subs[0].op != opSet || beginsOptional(n.subs[0])
	case opAlternate:
		return slices.ContainsFunc(n.subs[:len(n.subs)-1], (*node).mayBeEmpty) || slices.ContainsFunc(n.subs, beginsOptional)
	case opCapture, opAtomic:
		return beginsOptional(n.subs[0])
	}
	return false
}
