package kyverno

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/kyverno/kyverno/ext/wildcard"
	"github.com/kyverno/kyverno/pkg/engine/operator"
	"github.com/kyverno/kyverno/pkg/engine/pattern"
	"k8s.io/apimachinery/pkg/api/resource"
)

// A condition is one comparison of a string pattern: an operator and a text,
// which Kyverno takes for a duration where both sides are one, else for a
// quantity where both are one, else for a pattern with wildcards.
type condition struct {
	op       operator.Operator
	operand  string
	duration bool
	quantity bool
}

func newCondition(op operator.Operator, operand string) condition {
	return condition{op, operand, mayBeDuration(operand), mayBeQuantity(operand)}
}

// readConditions reads a string pattern, and gives it the form for Kyverno. To
// today's Kyverno a field that is not there is the number 0, so that "<=5" holds
// for it; a further condition "*", which needs a value, puts that right.
func readConditions(s string) (all []condition, forKyverno string, wrong []string) {
	var alternatives []string
	forKyverno = s
	for _, alternative := range strings.Split(s, "|") {
		alternative = strings.Trim(alternative, " ")
		for _, text := range strings.Split(alternative, "&") {
			conditions, why := readCondition(strings.Trim(text, " "))
			if why != "" {
				wrong = append(wrong, why)
			}
			all = append(all, conditions...)
		}
		if wrong == nil && pattern.Validate(logr.Discard(), nil, alternative) {
			alternative += " & *"
			forKyverno = ""
		}
		alternatives = append(alternatives, alternative)
	}
	if forKyverno == "" {
		forKyverno = strings.Join(alternatives, " | ")
	}
	return all, forKyverno, wrong
}

func readCondition(text string) ([]condition, string) {
	op := operator.GetOperatorFromStringPattern(text)
	if len(text) == 1 && strings.Contains("<>!", text) {
		op = operator.Operator(text) // as an author means it
	}
	switch op {
	case operator.InRange, operator.NotInRange:
		return readRange(text, op)
	}
	operand := strings.TrimSpace(text[len(op):])
	c := newCondition(op, operand)
	switch {
	case text == "":
		return nil, `an alternative is empty: write null for "not there, or empty"`
	case operand == "":
		return nil, fmt.Sprintf("there is nothing behind the operator %s", op)
	case strings.ContainsAny(operand[:1], "=<>!"):
		return nil, fmt.Sprintf("%s is not an operator of Kyverno: write > < >= <= or !, or just a value for equality", shortened(text))
	case op != operator.Equal && op != operator.NotEqual && !c.duration && !c.quantity:
		return nil, fmt.Sprintf("%s compares numbers, quantities and durations, which %s is not", op, shortened(operand))
	}
	return []condition{c}, c.inexact(operand)
}

func readRange(text string, op operator.Operator) ([]condition, string) {
	expression, low, high := operator.InRangeRegex, operator.MoreEqual, operator.LessEqual
	if op == operator.NotInRange {
		expression, low, high = operator.NotInRangeRegex, operator.Less, operator.More
	}
	ends := expression.FindStringSubmatch(text)
	from, to := newCondition(low, ends[1]), newCondition(high, ends[2])
	why := cmp.Or(from.inexact(ends[1]), to.inexact(ends[2]))
	if why == "" && !pattern.Validate(logr.Discard(), ends[2], ">="+ends[1]) {
		why = fmt.Sprintf("the range %s has nothing in it: it goes from a smaller number, quantity or duration to a larger one", shortened(text))
	}
	return []condition{from, to}, why
}

// doubt says why Kyverno's comparison of a value could be wrong; "" where it is
// right.
func (c condition) doubt(v any) string {
	switch v := v.(type) {
	case json.Number:
		return fmt.Sprintf("%s has more digits than Kyverno compares", shortened(string(v)))
	case float64:
		return c.doubtFloat(v)
	case string:
		return c.inexact(v)
	}
	return ""
}

// doubtFloat: in a comparison of numbers Kyverno writes a float with six
// decimals, in one of texts with an exponent.
func (c condition) doubtFloat(f float64) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	_, decimals, _ := strings.Cut(text, ".")
	switch {
	case c.quantity && (len(decimals) > 6 || math.Abs(f) >= 1e15):
		return text + " has more digits than Kyverno compares"
	case !c.quantity && c.operand != "*" && c.operand != "?*" && wildcard.ContainsWildcard(c.operand):
		return fmt.Sprintf("Kyverno does not match %s as it is written", text)
	}
	return ""
}

// inexact says why Kyverno would not take a text for the number that it is.
func (c condition) inexact(text string) string {
	if c.duration && mayBeDuration(text) {
		if finerThanNanoseconds.MatchString(text) {
			return fmt.Sprintf("the duration %s has more digits than Kyverno compares", shortened(text))
		}
		return ""
	}
	if c.quantity && mayBeQuantity(text) && !isExact(text) {
		return fmt.Sprintf("Kyverno does not compare %s as the quantity that it is", shortened(text))
	}
	return ""
}

func mayBeDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil
}

// finerThanNanoseconds is a fraction that time.ParseDuration may cut off.
var finerThanNanoseconds = regexp.MustCompile(`\.\d{4}|\.\d+ns`)

// How long numbers and their exponents may be: resource.Quantity takes any, and
// its time.
const maxNumberLength, maxExponentLength = 64, 3

// quantityForm is wider than what a quantity may be: digits, exponent, suffix.
var quantityForm = regexp.MustCompile(`^([+-]?[0-9.]*)(?:[eE]([+-]?[0-9]+)|([a-zA-Z]{0,2}))$`)

// mayBeQuantity reports whether Kyverno takes a text for a quantity. Where it is too
// large to ask, it may.
func mayBeQuantity(text string) bool {
	if len(text) > maxNumberLength {
		return strings.Trim(text, "0123456789+-.eEinumkKMGTP") == ""
	}
	m := quantityForm.FindStringSubmatch(text)
	if m == nil || len(m[2]) > maxExponentLength {
		return m != nil
	}
	_, err := resource.ParseQuantity(text)
	return err == nil
}

// decimal and binary are the suffixes of a quantity, as powers.
var (
	decimal = map[string]int64{"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
	binary  = map[string]int64{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
)

// isExact reports whether resource.Quantity holds the number that a text says:
// it rounds below a nano and caps what is larger than 2^63, and takes a suffix
// without digits for zero.
func isExact(text string) bool {
	if len(text) > maxNumberLength {
		return false
	}
	m := quantityForm.FindStringSubmatch(text)
	if m == nil || len(m[2]) > maxExponentLength || !strings.ContainsAny(m[1], "0123456789") {
		return false
	}
	want, ok := new(big.Rat).SetString(strings.TrimSuffix(m[1], "."))
	if !ok {
		return false
	}
	power, isDecimal := decimal[m[3]]
	switch exponent, isBinary := binary[m[3]]; {
	case isBinary:
		want.Mul(want, powerOf(2, exponent))
	case m[2] != "":
		power, _ = strconv.ParseInt(m[2], 10, 64)
		want.Mul(want, powerOf(10, power))
	case isDecimal:
		want.Mul(want, powerOf(10, power))
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return false
	}
	got, ok := new(big.Rat).SetString(q.AsDec().String())
	return ok && got.Cmp(want) == 0
}

func powerOf(base, exponent int64) *big.Rat {
	size := exponent
	if size < 0 {
		size = -size
	}
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(size), nil))
	if exponent < 0 {
		return power.Inv(power)
	}
	return power
}

// doubtNumber says why Kyverno's comparison of a value with a number could be
// wrong.
func doubtNumber(number, v any) string {
	switch v := v.(type) {
	case float64:
		if _, whole := number.(int64); whole && math.Abs(v) >= 1<<63 {
			return "the value has more digits than Kyverno compares"
		}
	case string:
		f, isFloat := number.(float64)
		n, err := strconv.ParseFloat(v, 64)
		if isFloat && err == nil && n == f && v != strconv.FormatFloat(f, 'f', -1, 64) {
			return fmt.Sprintf("Kyverno rounds the number in %s", shortened(strconv.Quote(v)))
		}
	}
	return ""
}

// phraseIn is a part of a text that Kyverno would find in its own error, and take
// for an anchor's.
func phraseIn(text string) string {
	for _, phrase := range []string{"conditional anchor mismatch", "global anchor mismatch", "negation anchor matched in resource"} {
		if strings.Contains(text, phrase) {
			return phrase
		}
	}
	return ""
}

const maxShown = 100

// shortened is a text as a message shows it.
func shortened(text string) string {
	runes := []rune(cut(text))
	if len(runes) <= maxShown {
		return text
	}
	return string(runes[:maxShown]) + "…"
}
