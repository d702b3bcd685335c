package crd

import (
	"bytes"
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"
)

// Prices of what Kubernetes' code does with rules and values, as vmrules.Budget counts it: work
// is the time in nanoseconds, size the bytes that are kept. They were measured and rounded up.
const (
	programWork, programSize = 250_000, 24_000 // each expression of kind "cel"
	tokenWork, tokenSize     = 15_000, 200     // each token of it

	validatorWork, validatorSize = 1_500_000, 60_000 // each schema that has rules of x-kubernetes-validations
	ruleWork, ruleSize           = 400_000, 16_000   // each rule of x-kubernetes-validations
	ruleTokenWork                = 25_000            // each of its tokens: it is compiled several times

	stepWork = 100   // each step of the validators, which estimate counts
	costWork = 2_500 // each unit of CEL's cost; the most expensive one is a step of a loop

	measureWork    = 20    // each value that is searched for inexact numbers and long lists
	evaluationWork = 3_000 // each evaluation of an expression, in addition to its cost

	detailWork = 100 // each byte of an error's detail, which is searched for a field
	nameWork   = 500 // each name in an error's field, squared: a name may contain dots

	valueSize  = 200 // each value in a copy of an object
	usualIndex = 6   // each index in a field path

	objectWork, objectSize = 50_000, 4_000 // each object of a schema: it is converted and checked several times
	memberWork, memberSize = 2_000, 300    // each member of an object
	byteWork, byteSize     = 50, 4         // each byte of the schema's text

	levelWork  = 120   // the nesting of brackets in an expression to the third power
	maxNesting = 1_000 // CEL refuses to parse expressions that are nested deeper

	subschemaWork = 10_000 // each schema below one with rules of x-kubernetes-validations: CEL gets a type for each

	knownPatternWork = 50 // each known pattern, times each new one: the validators copy them
)

// payText pays for reading a schema, before it is read.
func (r *reading) payText(text []byte) {
	objects, members, length := int64(bytes.Count(text, []byte("{"))), int64(bytes.Count(text, []byte(","))), int64(len(text))
	r.pay(objects*objectWork+members*memberWork+length*byteWork, objects*objectSize+members*memberSize+length*byteSize)
}

// pay spends from the budget of the call. If the budget is spent, the reading ends, and
// vmrules itself reports the problem.
func (r *reading) pay(work, size int64) {
	r.unpaid = r.source.Spend(time.Duration(work), size) != nil || r.unpaid
}

func (r *reading) failed() bool { return r.unpaid || len(r.problems) > 0 }

var token = regexp.MustCompile(`"[^"]*"?|'[^']*'?|[0-9A-Za-z_]+|[^ ]`)

// tokens returns roughly the number of tokens of an expression. The time to compile it depends on
// that more than on its length.
func tokens(expression string) int64 {
	return int64(len(token.FindAllStringIndex(expression, -1)) + len(expression)/50)
}

// nestingWork returns the work of compiling nested brackets, in addition to the tokens: CEL
// compares nested lists again for each level around them.
func nestingWork(expression string) int64 {
	depth, deepest := int64(0), int64(0)
	for _, c := range expression {
		switch c {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth--
		}
	}
	if deepest > maxNesting {
		return 0
	}
	return levelWork * deepest * deepest * deepest
}

type patternPrice struct {
	steps int // the most steps for each character that it is matched with
	size  int // bytes when compiled
}

func (p patternPrice) isTooLarge() bool { return p.steps > maxPatternSteps || p.size > maxPatternSize }

// largePattern is formatted with a noun and both limits.
const largePattern = "a %s that has more than %d steps, or %d bytes, when its repeats are written out: repeat less"

// parsedSize returns the most bytes that a parsed regular expression takes, with its repeats
// not written out. A Unicode class is a large table.
func parsedSize(pattern string) int64 {
	return 300*int64(len(pattern)) + 28_000*int64(strings.Count(pattern, `\p`)+strings.Count(pattern, `\P`))
}

// payPattern pays for a regular expression: first for parsing it, then for compiling it. It
// pays for each expression only once.
func (r *reading) payPattern(pattern string) patternPrice {
	if price, ok := r.patterns[pattern]; ok {
		return price
	}
	parsed := parsedSize(pattern)
	if r.pay(2*parsed, parsed); r.unpaid {
		return patternPrice{}
	}
	price := priceOf(pattern)
	r.patterns[pattern] = price
	if !price.isTooLarge() { // otherwise it is never compiled
		r.pay(4*int64(price.size), int64(price.size))
	}
	return price
}

// payRegexes pays for the regular expressions that are literals in an expression. It returns their steps,
// and whether one of them is too large.
func (r *reading) payRegexes(e expression) (steps int, tooLarge bool) {
	for _, text := range e.regexes() {
		price := r.payPattern(text)
		steps += price.steps
		tooLarge = tooLarge || price.isTooLarge()
	}
	return steps, tooLarge
}

// priceOf returns the price of a pattern. A pattern that is not valid is never compiled, and
// costs its steps only.
func priceOf(pattern string) patternPrice {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return patternPrice{steps: len(pattern)}
	}
	const program = 1500 // bytes
	steps, size := partsOf(parsed)
	return patternPrice{clamp(steps), clamp(program + size)}
}

func clamp(n float64) int { return int(math.Min(n, math.MaxInt32)) }

// partsOf returns the instructions and the bytes of a pattern with its repeats written out. They are
// floats because nested repeats can make them very large.
func partsOf(r *syntax.Regexp) (instructions, size float64) {
	const perNode, perInstruction, perRune = 150, 230, 18 // bytes
	instructions, runes := 1.0, 0.0
	switch r.Op {
	case syntax.OpLiteral:
		instructions = float64(len(r.Rune))
	case syntax.OpCharClass:
		runes = float64(len(r.Rune))
	}
	size = perNode + perInstruction*instructions + perRune*runes
	for _, sub := range r.Sub {
		n, below := partsOf(sub)
		instructions, size = instructions+n, size+below
	}
	if r.Op == syntax.OpRepeat {
		times := float64(max(r.Min, r.Max, 1))
		instructions, size = instructions*times, size*times
	}
	return instructions, size
}
