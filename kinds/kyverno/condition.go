package kyverno

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
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

// A condition is one comparison in a string pattern: an operator and an operand. Kyverno
// compares a value with the operand as durations if both are durations, else as quantities if
// both are quantities, else as a text with a pattern that may have wildcards.
type condition struct {
	operand  string
	duration bool // whether the operand may be a duration
	quantity bool // whether the operand may be a quantity
}

func newCondition(operand string) condition {
	return condition{operand, mayBeDuration(operand), mayBeQuantity(operand)}
}

// readConditions reads a string pattern, and returns it in the form for Kyverno. Kyverno treats
// a missing field as the number 0, so that "<=5" would match it. The additional condition "*",
// which needs a value, prevents that.
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
		op = operator.Operator(text) // Kyverno would read it as a text
	}
	switch op {
	case operator.InRange:
		return readRange(text, operator.InRangeRegex)
	case operator.NotInRange:
		return readRange(text, operator.NotInRangeRegex)
	}
	operand := strings.TrimSpace(text[len(op):])
	c := newCondition(operand)
	compact := operator.GetOperatorFromStringPattern(strings.ReplaceAll(operand, " ", ""))
	switch {
	case compact == operator.InRange || compact == operator.NotInRange:
		return nil, fmt.Sprintf("%s is not read as a range: write one without operators and blanks, such as 1-5 or, for all but these, 1!-5", shortened(text))
	case text == "":
		return nil, `an alternative is empty: write null for a field that is missing or empty`
	case operand == "":
		return nil, fmt.Sprintf("the operator %s has no operand: write a value behind it", op)
	case strings.ContainsAny(operand[:1], "=<>!"):
		return nil, fmt.Sprintf("the operator of %s is not known: write >, <, >=, <= or !, or only the value for equality", shortened(text))
	case op != operator.Equal && op != operator.NotEqual && !c.duration && !c.quantity:
		return nil, fmt.Sprintf("the operator %s compares numbers, quantities and durations, but %s is not one of them", op, shortened(operand))
	}
	return []condition{c}, c.inexact(operand)
}

func readRange(text string, expression *regexp.Regexp) ([]condition, string) {
	ends := expression.FindStringSubmatch(text)
	from, to := newCondition(ends[1]), newCondition(ends[2])
	why := cmp.Or(from.inexact(ends[1]), to.inexact(ends[2]))
	if why == "" && !pattern.Validate(logr.Discard(), ends[2], ">="+ends[1]) {
		why = fmt.Sprintf("the range %s is empty: write the smaller number, quantity or duration first", shortened(text))
	}
	return []condition{from, to}, why
}

// doubt returns why Kyverno's comparison of a value could be wrong, or "" if it is right.
func (c condition) doubt(v any) string {
	switch v := v.(type) {
	case json.Number:
		return fmt.Sprintf("%s has more digits than Kyverno can compare", shortened(string(v)))
	case float64:
		return c.doubtFloat(v)
	case string:
		return c.inexact(v)
	}
	return ""
}

// doubtFloat is doubt for a float. Kyverno formats a float with six decimals to compare numbers,
// and with an exponent to compare texts.
func (c condition) doubtFloat(f float64) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	_, decimals, _ := strings.Cut(text, ".")
	switch {
	case c.quantity && (len(decimals) > 6 || math.Abs(f) >= 1e15):
		return text + " has more digits than Kyverno can compare"
	case !c.quantity && c.operand != "*" && c.operand != "?*" && wildcard.ContainsWildcard(c.operand):
		return fmt.Sprintf("Kyverno does not match the number %s as it is written", text)
	}
	return ""
}

// inexact returns why Kyverno would not read a text as the exact number, or "" if it would.
func (c condition) inexact(text string) string {
	if c.duration && mayBeDuration(text) {
		if finerThanNanoseconds.MatchString(text) {
			return fmt.Sprintf("the duration %s has more digits than Kyverno can compare", shortened(text))
		}
		return ""
	}
	if c.quantity && mayBeQuantity(text) && !isExact(text) {
		return fmt.Sprintf("Kyverno does not read the quantity %s exactly", shortened(text))
	}
	return ""
}

func mayBeDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil
}

// finerThanNanoseconds matches fractions that time.ParseDuration may truncate.
var finerThanNanoseconds = regexp.MustCompile(`\.\d{4}|\.\d+ns`)

// The largest lengths of a number and of its exponent. resource.Quantity has no such limits, and
// takes a long time for long numbers.
const maxNumberLength, maxExponentLength = 64, 3

// quantityForm matches all quantities, and more: digits, and an exponent or a suffix.
var quantityForm = regexp.MustCompile(`^([+-]?[0-9.]*)(?:[eE]([+-]?[0-9]+)|([a-zA-Z]{0,2}))$`)

// mayBeQuantity reports whether Kyverno may read a text as a quantity. For a text that is too
// long to parse, it may return true although the text is not one.
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

// exactForm matches quantities of which resource.Quantity keeps all digits, if they are not too large.
// It rounds others to nano, and reads a suffix without digits as zero.
var exactForm = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]{0,6})?|\.[0-9]{1,6})(m|k|[MGTPE]|[KMGTPE]i|[eE]\+?[0-9]{1,2})?$`)

// largestQuantity is what resource.Quantity reads larger ones as.
var largestQuantity = resource.MustParse("9223372036854775807")

// isExact reports whether resource.Quantity certainly reads the exact number in a text.
func isExact(text string) bool {
	if len(text) > maxNumberLength || !exactForm.MatchString(text) {
		return false
	}
	q, err := resource.ParseQuantity(strings.TrimLeft(text, "+-"))
	return err == nil && q.Cmp(largestQuantity) < 0
}

// doubtNumber returns why Kyverno's comparison of a value with a number could be wrong, or "" if
// it is right.
func doubtNumber(number, v any) string {
	switch v := v.(type) {
	case float64:
		if _, whole := number.(int64); whole && math.Abs(v) >= 1<<63 {
			return "the value has more digits than Kyverno can compare"
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

// phraseIn returns the phrase in a text by which Kyverno recognizes errors of its anchors, or ""
// if the text has none. Kyverno searches its whole error for them, which may quote the text.
func phraseIn(text string) string {
	for _, phrase := range []string{"conditional anchor mismatch", "global anchor mismatch", "negation anchor matched in resource"} {
		if strings.Contains(text, phrase) {
			return phrase
		}
	}
	return ""
}

const maxShown = 100

// shortened returns the beginning of a text for a message.
func shortened(text string) string {
	shown := 0
	for i := range text {
		if shown == maxShown {
			return text[:i] + "…"
		}
		shown++
	}
	return text
}
