package crd

import (
	"bytes"
	"math"
	"regexp/syntax"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// What Kubernetes' code takes for rules and values, in the units of a
// vmrules.Budget: about a nanosecond of work, and a byte that is kept. The prices
// are measured, and rounded up.
const (
	stepWork = 100   // a step of the validators, as estimate counts them
	costWork = 2_500 // a unit of CEL's cost, at worst: a step of a loop

	loopableWork   = 20    // a value in which lists are looked for
	evaluationWork = 3_000 // what CEL takes beside its cost

	detailWork = 100 // a byte of what an error says, in which its field is looked for
	nameWork   = 500 // a name of its field, which may end at each dot

	valueSize = 200 // a value in a copy of an object

	objectWork, objectSize = 50_000, 4_000 // of a schema: it is converted and checked several times
	memberWork, memberSize = 2_000, 300
	byteWork, byteSize     = 50, 4

	programWork, programSize = 250_000, 24_000 // an expression of kind "cel"
	tokenWork, tokenSize     = 15_000, 200
	levelWork                = 120   // the third power of how deep brackets are nested
	maxNesting               = 1_000 // beyond that, CEL refuses to parse

	validatorWork, validatorSize = 1_500_000, 60_000 // a schema that has rules of x-kubernetes-validations
	subschemaWork                = 10_000            // what is below it, of which it makes types
	ruleWork, ruleSize           = 400_000, 16_000
	ruleTokenWork                = 25_000 // it is compiled several times

	knownPatternWork = 50 // the validators copy all patterns that they know for each new one
)

// payText pays for reading a schema, before it is read.
func (r *reading) payText(text []byte) {
	objects, members := bytes.Count(text, []byte("{")), bytes.Count(text, []byte(","))
	r.pay(objects*objectWork+members*memberWork+len(text)*byteWork, objects*objectSize+members*memberSize+len(text)*byteSize)
}

// pay spends from the budget of the call. If it does not suffice, the reading ends,
// and vmrules reports a problem that says so.
func (r *reading) pay(work, kept int) {
	r.unpaid = r.source.Spend(work, kept) != nil || r.unpaid
}

// failed reports whether there is nothing more to read: something is wrong, or
// cannot be paid for.
func (r *reading) failed() bool { return r.unpaid || len(r.problems) > 0 }

// payRules pays for the rules of x-kubernetes-validations in a schema, before
// they are parsed or compiled.
func (r *reading) payRules(s *apiextensions.JSONSchemaProps) {
	work, kept := 0, 0
	crdvalidation.SchemaHas(s, func(s *apiextensions.JSONSchemaProps) bool {
		if len(s.XValidations) == 0 {
			return false
		}
		work += validatorWork + countSchemas(s)*subschemaWork
		kept += validatorSize
		for _, rule := range s.XValidations {
			n := tokens(rule.Rule) + tokens(rule.MessageExpression)
			work += ruleWork + n*ruleTokenWork + 3*(nestingWork(rule.Rule)+nestingWork(rule.MessageExpression))
			kept += ruleSize + n*tokenSize
		}
		return false
	})
	r.pay(work, kept)
}

// payProgram pays for an expression of kind "cel", before it is parsed.
func (r *reading) payProgram(text string) {
	n := tokens(text)
	r.pay(programWork+n*tokenWork+nestingWork(text), programSize+n*tokenSize)
}

// nestingWork is what it takes to compile an expression beside its tokens: lists in
// lists are compared again for each level around them, and again.
func nestingWork(expression string) int {
	depth, deepest := 0, 0
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

// tokens counts about how many tokens an expression has: that, and not its
// length, decides what it takes to compile it.
func tokens(expression string) int {
	n, inName := 0, false
	var quote rune
	for _, c := range expression {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '"', c == '\'':
			quote = c
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
			if inName {
				continue
			}
			inName = true
			n++
			continue
		case c == ' ':
			inName = false
			continue
		}
		inName = false
		n++
	}
	return n + len(expression)/50
}

// A patternPrice is what a regular expression takes.
type patternPrice struct {
	steps int // for each character of a text that it is matched with, at worst
	size  int // bytes of its program
}

// isTooLarge reports whether a schema or expression in an annotation may not have the
// pattern.
func (p patternPrice) isTooLarge() bool { return p.steps > maxPatternSteps || p.size > maxPatternSize }

// largePattern takes a noun and both limits.
const largePattern = "a %s that comes to more than %d steps, or %d bytes, with its repeats written out: repeat less"

// parsedSize is how many bytes it takes to parse a regular expression at most,
// apart from its repeats: a Unicode class is a large table.
func parsedSize(pattern string) int {
	return 300*len(pattern) + 28_000*(strings.Count(pattern, `\p`)+strings.Count(pattern, `\P`))
}

// payPattern pays for a regular expression, before it is parsed and before it is
// compiled. One that is known already is not paid for again.
func (r *reading) payPattern(pattern string) patternPrice {
	if price, ok := r.patterns[pattern]; ok {
		return price
	}
	parsed := parsedSize(pattern)
	if r.pay(2*parsed, parsed); r.unpaid {
		return patternPrice{}
	}
	if r.patterns == nil {
		r.patterns = map[string]patternPrice{}
	}
	price := priceOf(pattern)
	r.patterns[pattern] = price
	if !price.isTooLarge() || r.key == keyDefinition { // otherwise it is refused, not compiled
		r.pay(4*price.size, price.size)
	}
	return price
}

// payRegexes pays for the regular expressions that are written in an expression,
// and reports whether one of them is too large.
func (r *reading) payRegexes(e expression) (tooLarge bool) {
	for _, text := range e.regexes() {
		tooLarge = r.payPattern(text).isTooLarge() || tooLarge
	}
	return tooLarge
}

// priceOf is what a pattern takes. One that cannot be used is not compiled.
func priceOf(pattern string) patternPrice {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return patternPrice{steps: len(pattern)}
	}
	p := patternPartsOf(parsed)
	const program, node, instruction, class = 1500, 150, 230, 18
	return patternPrice{
		steps: clamp(p.instructions),
		size:  clamp(program + node*p.nodes + instruction*p.instructions + class*p.runes),
	}
}

func clamp(n float64) int { return int(math.Min(n, math.MaxInt32)) }

// patternParts are what is in a pattern, its repeats written out. Nested repeats
// make large numbers of them.
type patternParts struct{ nodes, instructions, runes float64 }

func patternPartsOf(r *syntax.Regexp) patternParts {
	p := patternParts{nodes: 1, instructions: 1}
	switch r.Op {
	case syntax.OpLiteral:
		p.instructions = float64(len(r.Rune))
	case syntax.OpCharClass:
		p.runes = float64(len(r.Rune))
	}
	for _, sub := range r.Sub {
		below := patternPartsOf(sub)
		p.nodes += below.nodes
		p.instructions += below.instructions
		p.runes += below.runes
	}
	if r.Op == syntax.OpRepeat {
		times := float64(max(r.Min, r.Max, 1))
		p = patternParts{p.nodes * times, p.instructions * times, p.runes * times}
	}
	return p
}
