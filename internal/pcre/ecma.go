package pcre

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
)

// ECMA-262 is the language of patterns in JSON Schema. Any engine may read them, so only
// constructs that all engines read alike are written. Those that some engines lack, such
// as lookbehind, are refused.

var (
	errNotECMA     = errors.New("the regex has parts that not all engines for ECMA-262 support")
	errECMATooLong = errors.New("the regex is too long when written out for ECMA-262")
)

// maxECMA is the largest size of a written pattern in bytes. A class of PCRE can be long
// once it is written out.
const maxECMA = 16 << 10

// ECMA returns the pattern in the syntax of ECMA-262, for use with its flag u. It returns
// an error if that might not match the same strings.
func (t *Tree) ECMA(b *meter.Budget) (string, error) {
	// Without back-references, the order of trying does not matter, nor does it matter whether a
	// lookahead is atomic.
	if t.root.hasOp(opAtomic, opBackref, opLookbehind, opNotLookbehind, opBeginLine) {
		return "", errNotECMA
	}
	size := sizeOf(t.root)
	if err := b.Spend(200*size.nodes+200*size.ranges, 0); err != nil {
		return "", err
	}
	written := printFor(t.root, ecmaEngine)
	if len(written) > maxECMA {
		return "", errECMATooLong
	}
	return written, nil
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
