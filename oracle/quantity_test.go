package oracle

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrules/vmrules"
)

const (
	quantityCases = 200_000
)

// TestQuantity compares how the library and apimachinery read quantities: whether a string
// is a quantity, whether it is integral, and how it compares with another. Each difference
// must belong to a class in quantity_exceptions.md.
func TestQuantity(t *testing.T) {
	t.Parallel()
	seed, cases := generatorSeed(t, 1), quantityCases*factor(t)
	if testing.Short() {
		cases /= 20
	}
	g := &quantityGenerator{Rand: rand.New(rand.NewPCG(seed, 0))}
	counts := map[string]int{}
	failures := 0
	last := "1"
	for range cases {
		c := quantityCase{g.text(last), last}
		v := c.compare()
		for _, name := range v.counted() {
			counts[name]++
		}
		if v.isFailure() {
			failures++
			t.Error(c.shrunk())
		}
		if failures == 10 {
			t.Fatal("too many failures")
		}
		if v.ours.isNumber() && v.theirs.isNumber() {
			last = c.a
		}
	}
	t.Logf("%d strings\n%s", cases, countLines(counts))
	for _, name := range []string{sameNumbers, sameIntegers, bothNoNumber, sameEqual} {
		if counts[name] < cases/20 {
			t.Errorf("%s in only %d cases: the generator makes too few of them", name, counts[name])
		}
	}
	checkExceptions(t, "quantity_exceptions.md", quantityClassNames(), counts, !testing.Short())
}

// quantityClasses are the ways in which apimachinery differs.
var quantityClasses = []struct {
	name string
	is   func(quantityCase, quantityVerdict) bool
}{
	{"no-digits", func(c quantityCase, v quantityVerdict) bool {
		return v.ours.verdict == notNumber && v.theirs.verdict == integer && withoutDigits.MatchString(c.a)
	}},
	{"bounds", func(c quantityCase, v quantityVerdict) bool {
		return v.ours.verdict == beyondBounds && v.theirs.isNumber() && isBeyondBounds(c.a)
	}},
	{"nano", func(c quantityCase, v quantityVerdict) bool { return c.isKept(v, roundedToNano) }},
	{"cap", func(c quantityCase, v quantityVerdict) bool { return c.isKept(v, capped) }},
}

func quantityClassNames() []string {
	var names []string
	for _, class := range quantityClasses {
		names = append(names, class.name)
	}
	return names
}

// isKept reports whether the library judged the exact values, and apimachinery the values
// that it stores.
func (c quantityCase) isKept(v quantityVerdict, kept func(string) *big.Rat) bool {
	return v.ours == judged(exactQuantity(c.a), exactQuantity(c.b)) && v.theirs == judged(kept(c.a), kept(c.b))
}

func judged(a, b *big.Rat) quantityAnswer {
	if a == nil || b == nil {
		return quantityAnswer{}
	}
	answer := quantityAnswer{fraction, a.Cmp(b)}
	if a.IsInt() {
		answer.verdict = integer
	}
	return answer
}

// A quantityCase is a string a, and a quantity b to compare it with, which both sides
// accept.
type quantityCase struct{ a, b string }

// A quantityReading says how one side reads a string.
type quantityReading int

const (
	notNumber quantityReading = iota
	fraction
	integer
	beyondBounds
	contradiction // the rules contradict each other
)

// A quantityAnswer is the answer of one side to a case.
type quantityAnswer struct {
	verdict quantityReading
	order   int // of a compared with b, if both are numbers
}

func (a quantityAnswer) isNumber() bool { return a.verdict == fraction || a.verdict == integer }

func (a quantityAnswer) String() string {
	kind := []string{"no quantity", "a fraction", "an integer", "beyond the bounds", "several things at once"}[a.verdict]
	if !a.isNumber() {
		return kind
	}
	return kind + []string{", less than b", ", equal to b", ", more than b"}[a.order+1]
}

type quantityVerdict struct {
	ours, theirs quantityAnswer
	class        string
}

const (
	bothNoNumber = "both refuse"
	sameNumbers  = "both read and order alike"
	sameIntegers = "of these, integers"
	sameEqual    = "of these, equal to another spelling"
)

func (v quantityVerdict) isFailure() bool { return v.class == "" && v.ours != v.theirs }

func (v quantityVerdict) counted() []string {
	switch {
	case v.ours != v.theirs:
		return []string{v.class}
	case v.ours.verdict == notNumber:
		return []string{bothNoNumber}
	}
	names := []string{sameNumbers}
	if v.ours.verdict == integer {
		names = append(names, sameIntegers)
	}
	if v.ours.order == 0 {
		names = append(names, sameEqual)
	}
	return names
}

func (c quantityCase) compare() quantityVerdict {
	v := quantityVerdict{ours: c.askLibrary(), theirs: c.askKubernetes()}
	if v.ours == v.theirs {
		return v
	}
	for _, class := range quantityClasses {
		if class.is(c, v) {
			v.class = class.name
			return v
		}
	}
	return v
}

// quantityRules returns rules whose outcomes together give the answer. A string that is
// not a number violates both min and max.
var quantityRules = func() vmrules.Rules {
	rules, err := vmrules.ParseRules(`[
		{"name": "integral", "rule": "integer", "path": "jsonpath::.a", "message": "-"},
		{"name": "zero", "rule": "string", "path": "jsonpath::.a", "message": "-", "min": 0, "max": 0},
		{"name": "order", "rule": "string", "path": "jsonpath::.a", "message": "-", "min": "jsonpath::.b", "max": "jsonpath::.b"}
	]`)
	if err != nil {
		panic(err)
	}
	return rules
}()

func (c quantityCase) askLibrary() quantityAnswer {
	results := vmrules.Validate(quantityRules, map[string]any{"a": c.a, "b": c.b}).Results()
	integral, zero, order := results[0], results[1], results[2]
	isIntegral := integral.Outcome == vmrules.OutcomeSatisfied
	undecided := [3]bool{}
	for i, result := range results {
		undecided[i] = result.Outcome == vmrules.OutcomeUndecided
	}
	switch failed := [2]int{len(zero.Violations), len(order.Violations)}; {
	case undecided == [3]bool{true, true, true}:
		return quantityAnswer{verdict: beyondBounds}
	case undecided != [3]bool{}, max(failed[0], failed[1]) == 2 && (failed[0] != failed[1] || isIntegral):
		return quantityAnswer{verdict: contradiction}
	case failed[0] == 2:
		return quantityAnswer{verdict: notNumber}
	}
	answer := quantityAnswer{verdict: fraction}
	if isIntegral {
		answer.verdict = integer
	}
	if order.Outcome == vmrules.OutcomeViolated {
		answer.order = map[string]int{"min": -1, "max": 1}[order.Violations[0].Argument]
	}
	return answer
}

func (c quantityCase) askKubernetes() quantityAnswer {
	a, err := resource.ParseQuantity(c.a)
	if err != nil {
		return quantityAnswer{verdict: notNumber}
	}
	answer := quantityAnswer{verdict: fraction, order: a.Cmp(resource.MustParse(c.b))}
	if _, exact := a.AsScale(0); exact {
		answer.verdict = integer
	}
	return answer
}

// shrunk removes characters from a failing case for as long as it still fails.
func (c quantityCase) shrunk() quantityCase {
	for {
		smaller, ok := c.smaller()
		if !ok {
			return c
		}
		c = smaller
	}
}

func (c quantityCase) smaller() (quantityCase, bool) {
	for _, next := range c.shorter() {
		if exactQuantity(next.b) != nil && !isEndless(next.a+next.b) && next.compare().isFailure() {
			return next, true
		}
	}
	return c, false
}

func (c quantityCase) shorter() []quantityCase {
	var all []quantityCase
	for i := range c.a {
		all = append(all, quantityCase{c.a[:i] + c.a[i+1:], c.b})
	}
	for i := range c.b {
		all = append(all, quantityCase{c.a, c.b[:i] + c.b[i+1:]})
	}
	return all
}

func (c quantityCase) String() string {
	v := c.compare()
	return fmt.Sprintf("a difference of no listed class\na            %q\nb            %q\nlibrary      a is %s\napimachinery a is %s",
		c.a, c.b, v.ours, v.theirs)
}
