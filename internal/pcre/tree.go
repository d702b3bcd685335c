package pcre

import (
	"math"
	"slices"

	"github.com/vmrules/vmrules/internal/meter"
)

// A node is a part of a pattern, with everything that PCRE2 leaves to options already
// applied: a literal, a dot and a class are all a set of characters.
type node struct {
	op       op
	at       int      // where in the pattern it begins, in characters
	set      charset  // opSet
	class    string   // opSet: the name of the class escape that it was, if it was one
	subs     []*node  // the parts of opConcat and opAlternate; the one part of the others
	min, max int      // opRepeat; max may be unbounded
	group    int      // opCapture, opBackref
	lazy     bool     // opRepeat
	referred bool     // opCapture: a back-reference refers to it
	caseless bool     // opBackref
	length   interval // how many characters it matches; the most of a repeat that varies is math.MaxInt
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

// settleLengths sets length in n and all its parts: to compute it where it is needed takes quadratic time.
func settleLengths(n *node) {
	for _, sub := range n.subs {
		settleLengths(sub)
	}
	switch n.op {
	case opSet:
		n.length = interval{1, 1}
	case opConcat:
		n.length = interval{0, 0}
		for _, sub := range n.subs {
			n.length = interval{meter.Plus(n.length.least, sub.length.least), meter.Plus(n.length.most, sub.length.most)}
		}
	case opAlternate:
		n.length = none
		for _, sub := range n.subs {
			n.length = n.length.or(sub.length)
		}
	case opRepeat:
		n.length = interval{meter.Times(n.subs[0].length.least, n.min), math.MaxInt}
		if n.min == n.max {
			n.length.most = meter.Times(n.subs[0].length.most, n.max)
		}
	case opCapture, opAtomic:
		n.length = n.subs[0].length
	case opBackref:
		n.length = interval{0, math.MaxInt}
	default:
		n.length = interval{0, 0}
	}
}

// mayBeEmpty reports whether n may match the empty string.
func (n *node) mayBeEmpty() bool { return n.length.least == 0 }

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
