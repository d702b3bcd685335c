package pcre

import (
	"errors"
	"fmt"
	"strings"
)

// ECMA-262 is the language of patterns in JSON Schema. Any engine may read them, so
// only what all of them read alike is written. What some lack, such as lookbehind,
// is refused.

var (
	errNotECMA     = errors.New("the regex has parts that not all engines for ECMA-262 support")
	errECMATooLong = errors.New("the regex is too long when written out for ECMA-262")
)

// maxECMA is how many bytes a pattern may have. A class of PCRE can be long when
// it is written out.
const maxECMA = 16 << 10

// ECMA returns the pattern as ECMA-262 writes it, for use with its flag u. It
// returns an error where that might not match the same strings.
func (t *Tree) ECMA(b *Budget) (string, error) {
	if !isECMA(t.root) {
		return "", errNotECMA
	}
	if err := b.Spend(printCost(t.root), 0); err != nil {
		return "", err
	}
	written := printFor(t.root, ecmaEngine)
	if len(written) > maxECMA {
		return "", errECMATooLong
	}
	return written, nil
}

// isECMA reports whether each part of n has the same meaning in ECMA-262. Without
// back-references, the order of trying does not matter, nor does it matter whether a
// lookahead is atomic.
func isECMA(n *node) bool {
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

// printECMA writes a character that is neither a letter nor a digit. Punctuation
// that is not syntax stays as it is, for people to read.
func (p *printer) printECMA(r rune) {
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
