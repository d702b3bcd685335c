package pcre

import "slices"

// A node is a part of a pattern, with everything that PCRE2 leaves to options already
// applied: a literal, a dot and a class are all a set of characters.
type node struct {
	op       op
	at       int     // where in the pattern it begins, in characters
	set      charset // opSet
	class    string  // opSet: the name of the class escape that it was, if it was one
	subs     []*node // the parts of opConcat and opAlternate; the one part of the others
	min, max int     // opRepeat; max may be unbounded
	lazy     bool    // opRepeat
	group    int     // opCapture, opBackref
	referred bool    // opCapture: a back-reference refers to it
	caseless bool    // opBackref
	empty    bool    // it may match the empty string
}

const unbounded = -1

type op int

// Those from opLookahead on depend on more than the text that they match.
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

// branches returns the branches that n consists of, which may be only one.
func (n *node) branches() []*node {
	if n.op == opAlternate {
		return n.subs
	}
	return []*node{n}
}

// fixedLength returns how many characters n matches, and whether that is always the same.
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

// settleEmpty sets empty in n and all its parts: to compute it where it is needed takes quadratic time.
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

// has reports whether is returns true for n or for a part of it.
func (n *node) has(is func(*node) bool) bool {
	return is(n) || slices.ContainsFunc(n.subs, func(sub *node) bool { return sub.has(is) })
}

// hasReferred reports whether a back-reference refers to a group in n.
func (n *node) hasReferred() bool {
	return n.has(func(part *node) bool { return part.referred })
}

// hasOp reports whether n or a part of it is one of some operations.
func (n *node) hasOp(wanted ...op) bool {
	return n.has(func(part *node) bool { return slices.Contains(wanted, part.op) })
}
