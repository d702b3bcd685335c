package command

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"regexp"
	regex "regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// values returns values at the limits of rules and beyond them. nil is no value.
func (t *trial) values(object map[string]any, both []vmrules.Rules) []any {
	var all []any
	for _, rules := range both {
		for _, r := range rules.All() {
			for _, a := range append([]vmrules.Argument{r.Min, r.Max}, r.Values...) {
				if literal, ok := a.Literal(); ok {
					all = append(all, literal)
				}
			}
		}
		for _, limit := range form.Limits(rules, object, t.with) {
			for _, c := range []form.Constraints{limit.Must, limit.Should} {
				all = append(all, aroundNumber(c.Min)...)
				all = append(all, aroundNumber(c.Max)...)
				all = append(all, aroundLength(c.MinLength)...)
				all = append(all, aroundLength(c.MaxLength)...)
				for _, v := range c.Values {
					all = append(all, v)
				}
				for _, pattern := range c.Patterns {
					all = append(all, aroundPattern(pattern)...)
				}
			}
		}
	}
	return append(all, "x", json.Number("1"), "1", true, "", nil, json.Number("0"), json.Number("-1"), json.Number("10"), json.Number("100"))
}

// aroundNumber returns a bound and integers around it.
func aroundNumber(bound json.Number) []any {
	n, ok := new(big.Rat).SetString(string(bound))
	if !ok {
		return nil
	}
	all := []any{bound}
	floor := new(big.Int).Div(n.Num(), n.Denom())
	for _, d := range []int64{0, 1, -1} {
		all = append(all, json.Number(new(big.Int).Add(floor, big.NewInt(d)).String()))
	}
	return all
}

// maxLength is the length in bytes of the longest text that is tried for a bound.
const maxLength = 10_000

// aroundLength returns texts that are as long as a bound, shorter and longer. They are integers,
// too.
func aroundLength(bound json.Number) []any {
	n, err := strconv.Atoi(string(bound))
	if err != nil || n >= maxLength {
		return nil
	}
	return []any{strings.Repeat("1", n), strings.Repeat("1", n+1), strings.Repeat("1", max(n-1, 0))}
}

const (
	maxTexts = 100    // texts that are tried for a regex
	maxParts = 10_000 // parts of a regex, with repetitions, of which a text is made
)

// aroundPattern returns texts that a regex matches, and others that are nearly the same. Of a regex
// that Go's regular expressions do not have, it returns the words.
func aroundPattern(pattern string) []any {
	texts := words.FindAllString(pattern, maxTexts)
	if tree, err := regex.Parse(pattern, regex.Perl); err == nil {
		random := rand.New(rand.NewPCG(1, 2)) // always the same texts
		for range maxTexts {
			left := maxParts
			texts = append(texts, matching(tree, random, &left))
		}
	}
	slices.Sort(texts)
	var all []any
	for _, s := range slices.Compact(texts) {
		all = append(all, s, s+"x", "x"+s, strings.ToUpper(s))
	}
	return all
}

var words = regexp.MustCompile(`\w+`)

// matching returns a text that a regex probably matches: with ends of ranges, and as few or as many
// repetitions as it allows.
func matching(re *regex.Regexp, random *rand.Rand, left *int) string {
	if *left--; *left < 0 {
		return ""
	}
	least, most := 1, 1
	switch re.Op {
	case regex.OpLiteral:
		return string(re.Rune)
	case regex.OpCharClass, regex.OpAnyChar, regex.OpAnyCharNotNL:
		ends := slices.DeleteFunc(slices.Clone(re.Rune), func(r rune) bool { return !unicode.IsPrint(r) })
		ends = append(ends, 'x')
		return string(ends[random.IntN(max(len(ends)-1, 1))])
	case regex.OpAlternate:
		return matching(re.Sub[random.IntN(len(re.Sub))], random, left)
	case regex.OpQuest:
		least = 0
	case regex.OpStar:
		least, most = 0, 2
	case regex.OpPlus:
		most = 2
	case regex.OpRepeat:
		least, most = re.Min, max(re.Max, re.Min)
	}
	var text strings.Builder
	for range []int{least, most}[random.IntN(2)] {
		for _, part := range re.Sub { // of an assertion, there are none
			text.WriteString(matching(part, random, left))
		}
	}
	return text.String()
}
