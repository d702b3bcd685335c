package pcre

import (
	"slices"
)

// node is a part of a pattern, with everything that PCRE2 leaves to options
// already applied: a literal, a dot and a class are all a set of characters.
type node struct {
	op       op
	at       int     // where in the pattern it begins, in characters
	set      charset // opSet
	class    rune    // opSet: the letter of the class escape that it was, if it was one
	subs     []*node // the parts of opConcat and opAlternate; the one part of the others
	min, max int     // opRepeat; unbounded is no maximum
	lazy     bool    // opRepeat
	group    int     // opCapture, opBackref
	caseless bool    // opBackref
	empty    bool    // whether it may match without a character
}

const unbounded = -1

type op int

const (
	opSet op = iota
	opConcat
	opAlternate
	opRepeat
	opCapture
	opAtomic
	opLookahead
	opNotLookahead
	opLookbehind
	opNotLookbehind
	opBackref
	opBeginText       // \A
	opBeginLine       // ^ under (?m): not after a newline that ends the subject
	opEndText         // \z
	opEndLine         // $ under (?m)
	opEndOrNewline    // $ and \Z: at the end, or before a newline that ends the subject
	opWordBoundary    // \b
	opNotWordBoundary // \B
)

// fixedLength is how many characters n matches, if that is always the same.
func fixedLength(n *node) (length int, fixed bool) {
	switch n.op {
	case opSet:
		return 1, true
	case opConcat:
		for _, sub := range n.subs {
			l, fixed := fixedLength(sub)
			if !fixed {
				return 0, false
			}
			length += l
		}
		return length, length <= maxRepeat
	case opAlternate:
		for i, sub := range n.subs {
			l, fixed := fixedLength(sub)
			if !fixed || i > 0 && l != length {
				return 0, false
			}
			length = l
		}
		return length, true
	case opRepeat:
		length, fixed = fixedLength(n.subs[0])
		length *= n.min
		return length, fixed && n.min == n.max && length <= maxRepeat
	case opCapture, opAtomic:
		return fixedLength(n.subs[0])
	case opBackref:
		return 0, false
	}
	return 0, true
}

// settleEmpty sets empty in n and in all its parts. Asking each part again for all
// that it has inside would take the square of the time.
func settleEmpty(n *node) {
	for _, sub := range n.subs {
		settleEmpty(sub)
	}
	switch n.op {
	case opSet:
		n.empty = false
	case opConcat:
		n.empty = !slices.ContainsFunc(n.subs, func(sub *node) bool { return !sub.empty })
	case opAlternate:
		n.empty = slices.ContainsFunc(n.subs, func(sub *node) bool { return sub.empty })
	case opRepeat:
		n.empty = n.min == 0 || n.subs[0].empty
	case opCapture, opAtomic:
		n.empty = n.subs[0].empty
	default:
		n.empty = true
	}
}

func referredGroups(n *node) map[int]bool {
	groups := map[int]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n.op == opBackref {
			groups[n.group] = true
		}
		for _, sub := range n.subs {
			visit(sub)
		}
	}
	visit(n)
	return groups
}

func isEmpty(n *node) bool { return n.op == opConcat && len(n.subs) == 0 }

func hasOp(n *node, wanted op) bool {
	return n.op == wanted || slices.ContainsFunc(n.subs, func(sub *node) bool { return hasOp(sub, wanted) })
}

type engine int

const (
	linearEngine       engine = iota // Go's regexp
	backtrackingEngine               // regexp2
	ecmaEngine                       // any of ECMA-262, with its flag u and no other
)

// follow is what comes behind a part of a pattern, as far as it is known.
type follow int

const (
	nothingFollows   follow = iota // the pattern ends
	somethingFollows               // at least one character is still to be matched
	unknownFollows
)

// isLinear reports whether the linear engine can match n as PCRE2 does.
func isLinear(n *node, after follow) bool {
	switch n.op {
	case opSet, opBeginText, opEndText, opEndLine, opWordBoundary, opNotWordBoundary:
		return true
	case opBeginLine:
		// Go's also matches behind a newline that ends the subject.
		return after == somethingFollows
	case opEndOrNewline:
		return after == nothingFollows
	case opCapture:
		return isLinear(n.subs[0], after)
	case opRepeat:
		if n.max != 1 && after == nothingFollows {
			after = unknownFollows
		}
		return isLinear(n.subs[0], after)
	case opAlternate:
		for _, sub := range n.subs {
			if !isLinear(sub, after) {
				return false
			}
		}
		return true
	case opConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			sub := n.subs[i]
			if !isLinear(sub, after) {
				return false
			}
			switch {
			case !sub.empty:
				after = somethingFollows
			case after == nothingFollows:
				after = unknownFollows
			}
		}
		return true
	}
	return false
}

// nestedRepeats is how often the innermost parts of n are repeated at most, as the
// linear engine counts it.
func nestedRepeats(n *node) int {
	most := 1
	for _, sub := range n.subs {
		most = max(most, nestedRepeats(sub))
	}
	if n.op == opRepeat {
		most = min(most*max(n.min, n.max, 1), maxLinearRepeat+1)
	}
	return most
}

// boundarySize is the number of parts of a word boundary that is written out.
const boundarySize = 10

// countParts is the number of n's parts. The linear engine writes repeats out;
// the backtracking one counts, and to it a repeated character is one part.
func countParts(n *node, target engine) int {
	total := 1
	switch {
	case n.op == opConcat && len(n.subs) == 1:
		total = 0 // only parentheses
	case target == backtrackingEngine && (n.op == opWordBoundary || n.op == opNotWordBoundary):
		total = boundarySize
	}
	for _, sub := range n.subs {
		total += countParts(sub, target)
	}
	if n.op == opRepeat && (target == linearEngine || n.subs[0].op != opSet) {
		total *= max(n.min, n.max, 1)
	}
	return min(total, maxParts+1)
}

// checkOrder refuses what the backtracking engine may try in another order than
// PCRE2, where the order decides.
func checkOrder(tree *node) error {
	c := orderChecker{referredGroups(tree)}
	return c.check(tree, false, false)
}

type orderChecker struct{ referred map[int]bool }

func (c orderChecker) check(n *node, ordered, behind bool) error {
	switch n.op {
	case opRepeat:
		sub := n.subs[0]
		if n.max > 1 && sub.op != opBackref && sub.empty && (ordered || c.captures(n)) {
			return errorAt(n.at, "a repeat of what can be empty is not supported inside an atomic group, nor around a group that something refers to")
		}
	case opAtomic:
		if beginsOptional(n.subs[0]) {
			return errorAt(n.at, "an atomic group that begins with an optional group or an empty branch is not supported, since PCRE2 gets it wrong behind a repeat: take what is optional out of it")
		}
		ordered = true
	case opLookahead, opNotLookahead:
		ordered = c.captures(n)
	case opLookbehind, opNotLookbehind:
		ordered, behind = false, true
	case opCapture:
		if behind && c.referred[n.group] {
			return errorAt(n.at, "a back-reference to a group inside a lookbehind is not supported")
		}
	case opBackref:
		if behind {
			return errorAt(n.at, "a back-reference inside a lookbehind is not supported")
		}
	}
	for _, sub := range n.subs {
		if err := c.check(sub, ordered, behind); err != nil {
			return err
		}
	}
	return nil
}

// beginsOptional reports whether n may begin with a group that may be left out,
// or with an empty branch before others.
// PCRE2 forgets that it may when it looks behind a repeat for what cannot come
// next: a*(?>(b)?)a does not match aa.
func beginsOptional(n *node) bool {
	switch n.op {
	case opConcat:
		for _, sub := range n.subs {
			if beginsOptional(sub) {
				return true
			}
			if !sub.empty {
				return false
			}
		}
	case opRepeat:
		return n.min == 0 && n.subs[0].op != opSet || beginsOptional(n.subs[0])
	case opAlternate:
		return slices.ContainsFunc(n.subs[:len(n.subs)-1], isEmpty) || slices.ContainsFunc(n.subs, beginsOptional)
	case opCapture, opAtomic:
		return beginsOptional(n.subs[0])
	}
	return false
}

// captures reports whether a group in n is referred to.
func (c orderChecker) captures(n *node) bool {
	if n.op == opCapture && c.referred[n.group] {
		return true
	}
	for _, sub := range n.subs {
		if c.captures(sub) {
			return true
		}
	}
	return false
}
