package pcre

import (
	"errors"
	"slices"

	"github.com/vmrules/vmrules/internal/meter"
)

// ECMA-262 is the language of patterns in JSON Schema. Any engine may read them, so only
// constructs that all engines read alike are written. Those that some engines lack, such
// as lookbehind, are refused.

// maxECMA is the largest size of a written pattern in bytes: a class of PCRE can become long.
const maxECMA = 16 << 10

// ECMA returns the pattern in the syntax of ECMA-262, for use with its flag u. It returns
// an error if that might not match the same strings.
func (t *Tree) ECMA(b *meter.Budget) (string, error) {
	// Without back-references, the order of trying does not matter, nor does it matter whether a
	// lookahead is atomic.
	if t.root.hasOp(opAtomic, opBackref, opLookbehind, opNotLookbehind, opBeginLine) ||
		slices.ContainsFunc(t.alternatives(), alternative.holdsInsidePairs) {
		return "", errors.New("the regex has parts that not all engines for ECMA-262 support")
	}
	size := sizeOf(t.root)
	if err := b.Spend(200*size.nodes+200*size.ranges, 0); err != nil {
		return "", err
	}
	written := printFor(t.root, ecmaEngine)
	if len(written) > maxECMA {
		return "", errors.New("the regex is too long when written out for ECMA-262")
	}
	return written, nil
}

// holdsInsidePairs reports whether the alternative may match between the halves of a surrogate pair, where V8
// also looks for matches that are empty.
func (a alternative) holdsInsidePairs() bool {
	denies := func(part *node) bool { return part.hasOp(opNotWordBoundary, opNotLookahead) }
	needs := func(part *node) bool { return !part.mayBeEmpty() }
	return a.begin == nil && slices.ContainsFunc(a.between, denies) && !slices.ContainsFunc(a.between, needs)
}
