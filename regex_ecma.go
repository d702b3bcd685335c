package vmrules

import (
	"errors"
	"fmt"
	"strings"
)

// ECMA-262 is the third language that patterns are written in: that of JSON
// Schema. Nobody knows which engine will read it, so only what all read alike
// is written, and what some are known to lack, such as lookbehind, is not.

var (
	errNotECMA     = errors.New("the regex has parts that ECMA-262 does not have, or not everywhere")
	errECMATooLong = errors.New("the regex is too long when written out for ECMA-262")
)

// maxECMA is how many bytes a pattern may have: a class of PCRE that is written
// out can be long.
const maxECMA = 16 << 10

// ecmaPattern writes a tree for ECMA-262 with its flag u, if it
// certainly matches the same strings there.
func ecmaPattern(tree *regexNode, b *budget) (string, error) {
	if !isECMA(tree) {
		return "", errNotECMA
	}
	if err := b.Spend(printCost(tree), 0); err != nil {
		return "", err
	}
	written := printRegex(tree, ecmaEngine)
	if len(written) > maxECMA {
		return "", errECMATooLong
	}
	return written, nil
}

// isECMA tells whether each part of n has the same meaning in ECMA-262. Where
// nothing refers to a group, the order of trying does not matter, and so
// neither does whether a lookahead is atomic.
func isECMA(n *regexNode) bool {
	switch n.op {
	case opAtomic, opBackref, opLookbehind, opNotLookbehind, opBeginLine:
		return false
	}
	for _, sub := range n.subs {
		if !isECMA(sub) {
			return false
		}
	}
	return true
}

// printECMA writes a character that is neither a letter nor a digit. What is no
// syntax is left as it is, for people to read.
func (p *regexPrinter) printECMA(r rune) {
	switch {
	case strings.ContainsRune(" !\"#%&',:;<=>@_`~", r), r == '-' && !p.inClass:
		p.WriteRune(r)
	case r > ' ' && r < 0x7f:
		p.WriteByte('\\')
		p.WriteRune(r)
	case r <= 0xff:
		fmt.Fprintf(p, `\x%02X`, r)
	default:
		fmt.Fprintf(p, `\u{%X}`, r)
	}
}

// needsMoreThan tells whether whatever n matches has a character that is not
// in a set.
func (n *regexNode) needsMoreThan(set charset) bool {
	switch n.op {
	case opSet:
		return !n.set.overlaps(set)
	case opConcat:
		for _, sub := range n.subs {
			if sub.needsMoreThan(set) {
				return true
			}
		}
		return false
	case opAlternate:
		for _, sub := range n.subs {
			if !sub.needsMoreThan(set) {
				return false
			}
		}
		return true
	case opRepeat:
		return n.min > 0 && n.subs[0].needsMoreThan(set)
	case opCapture, opAtomic:
		return n.subs[0].needsMoreThan(set)
	}
	return false
}

func (s charset) overlaps(other charset) bool {
	for i := 0; i < len(other); i += 2 {
		for k := 0; k < len(s); k += 2 {
			if s[k] <= other[i+1] && other[i] <= s[k+1] {
				return true
			}
		}
	}
	return false
}
