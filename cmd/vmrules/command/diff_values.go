package command

import (
	"encoding/json"
	"math/big"
	"regexp"
	regex "regexp/syntax"
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

// maxLength is the length in bytes of the longest text that is tried, for each part of a regex.
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

// maxTexts is the number of texts that are tried for a regex.
const maxTexts = 200

// aroundPattern returns texts that a regex matches, and others that are nearly the same. Of a regex
// that Go's regular expressions do not have, it returns the words.
func aroundPattern(pattern string) []any {
	texts := words.FindAllString(pattern, maxTexts)
	if tree, err := regex.Parse(pattern, regex.Perl); err == nil {
		texts = matching(tree)
	}
	var all []any
	for _, s := range texts {
		all = append(all, s, s+"x", "x"+s, strings.ToUpper(s))
	}
	return all
}

var words = regexp.MustCompile(`\w+`)

// matching returns some of the texts that a regex matches.
func matching(re *regex.Regexp) []string {
	var all []string
	switch re.Op {
	case regex.OpLiteral:
		return []string{string(re.Rune)}
	case regex.OpAnyChar, regex.OpAnyCharNotNL:
		return []string{"x"}
	case regex.OpCharClass:
		for _, end := range re.Rune { // of a range
			if unicode.IsPrint(end) {
				all = append(all, string(end))
			}
		}
	case regex.OpCapture:
		return matching(re.Sub[0])
	case regex.OpQuest:
		all = repetitions(re.Sub[0], 0, 1)
	case regex.OpStar:
		all = repetitions(re.Sub[0], 0, 2)
	case regex.OpPlus:
		all = repetitions(re.Sub[0], 1, 2)
	case regex.OpRepeat:
		all = repetitions(re.Sub[0], re.Min, max(re.Max, re.Min))
	case regex.OpAlternate:
		for _, sub := range re.Sub {
			all = append(all, matching(sub)...)
		}
	case regex.OpConcat:
		all = sequences(re.Sub)
	}
	if all == nil {
		return []string{""} // an assertion
	}
	return all[:min(len(all), maxTexts)]
}

// sequences returns the texts of a sequence: a usual one, and others that differ from it in one
// part each.
func sequences(parts []*regex.Regexp) []string {
	before, all := "", []string{""}
	for _, part := range parts {
		texts := matching(part)
		if len(before)+len(texts[0]) > maxLength {
			return nil
		}
		for i := range all {
			all[i] += texts[0]
		}
		for _, other := range texts[1:] {
			if len(all) < maxTexts && len(before)+len(other) < maxLength {
				all = append(all, before+other)
			}
		}
		before += texts[0]
	}
	return all
}

// repetitions returns texts that are repeated as often as a regex allows at least, and at most.
func repetitions(sub *regex.Regexp, least, most int) []string {
	var all []string
	for _, s := range matching(sub) {
		if len(s)*most > maxLength {
			continue
		}
		all = append(all, strings.Repeat(s, max(least, 1)))
		if most > 1 {
			all = append(all, strings.Repeat(s, most))
		}
	}
	if least == 0 {
		all = append(all, "")
	}
	return all
}
