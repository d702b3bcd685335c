package quantity

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// These are the errors of numbers that cannot be read. Each continues a sentence that begins
// with the text.
var (
	ErrNotNumber = errors.New("is not a number")
	ErrRange     = errors.New("is a number of more than 1,000 digits, or with an exponent beyond 1,000")
)

// maxText is enough for the text of any number within the bounds.
const maxText = 2 * (maxDigits + maxExponent)

// ParseJSON reads a number in the grammar of JSON.
func ParseJSON(text string) (Number, error) {
	if len(text) > maxText {
		return Number{}, ErrRange
	}
	if value, rest := commonDigits(text); rest == "" && isJSONMantissa(text) {
		return Number{small: value}, nil
	}
	mantissa, exponent := text, ""
	i := strings.IndexAny(text, "eE")
	if i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	switch {
	case !isJSONMantissa(strings.TrimPrefix(mantissa, "-")):
		return Number{}, ErrNotNumber
	case i < 0:
		return parseDecimal(mantissa, 0)
	}
	return parseScientific(mantissa, exponent)
}

// isJSONMantissa reports whether s satisfies the rules of JSON that parseDecimal does not
// check: a digit on both sides of the point, no plus sign, no leading zeros.
func isJSONMantissa(s string) bool {
	whole, fraction, hasPoint := strings.Cut(s, ".")
	if whole == "" || whole[0] == '+' || whole[0] == '-' || hasPoint && fraction == "" {
		return false
	}
	return whole == "0" || whole[0] != '0'
}

// Parse reads a quantity, which is a number that Kubernetes writes in a string. It consists
// of an optional sign, digits with an optional point anywhere, and optionally a decimal
// exponent or one of the suffixes n u m k M G T P E and Ki Mi Gi Ti Pi Ei.
func Parse(text string) (Number, error) {
	if n, ok := parseCommon(text); ok {
		return n, nil
	}
	end := strings.LastIndexAny(text, "0123456789.") + 1
	if i := strings.IndexAny(text, "eE"); i >= 0 && i < end {
		end = i
	}
	mantissa, suffix := text[:end], text[end:]
	if shift, exponent, ok := suffixScale(suffix); ok {
		n, err := parseDecimal(mantissa, exponent)
		if err != nil || shift == 0 {
			return n, err
		}
		return n.shiftLeft(shift), nil
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return Number{}, ErrNotNumber
	}
	return parseScientific(mantissa, suffix[1:])
}

// parseCommon reads the common quantities: digits, with an optional suffix for a factor above
// 1. It returns false if the result does not fit an int64.
func parseCommon(text string) (Number, bool) {
	value, suffix := commonDigits(text)
	shift, exponent, ok := suffixScale(suffix)
	if !ok || exponent < 0 || len(suffix) == len(text) {
		return Number{}, false
	}
	factor := powersOfTen[exponent] << shift
	if value > math.MaxInt64/factor {
		return Number{}, false
	}
	return Number{small: value * factor}, true
}

// commonDigits reads the digits at the beginning of text, up to a number of digits that
// always fits an int64, and returns what follows them.
func commonDigits(text string) (int64, string) {
	value, i := int64(0), 0
	for i < min(len(text), 18) && '0' <= text[i] && text[i] <= '9' {
		value = value*10 + int64(text[i]-'0')
		i++
	}
	return value, text[i:]
}

var powersOfTen = [...]int64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// parseScientific reads the parts before and after an e. It reads both even if one is beyond
// the bounds: a text that is not a number must not be reported as a number beyond the bounds.
func parseScientific(mantissa, exponent string) (Number, error) {
	e, exponentErr := parseExponent(exponent)
	n, err := parseDecimal(mantissa, e)
	if exponentErr == nil || err == ErrNotNumber {
		return n, err
	}
	return Number{}, exponentErr
}

// suffixScale returns the factor of a quantity's suffix, 2^shift × 10^exponent; false if it is not a suffix.
func suffixScale(suffix string) (shift uint, exponent int, ok bool) {
	switch {
	case suffix == "":
		return 0, 0, true
	case len(suffix) == 1:
		e := decimalExponents[suffix[0]]
		return 0, e, e != 0
	case len(suffix) == 2 && suffix[1] == 'i':
		s := binaryShifts[suffix[0]]
		return s, 0, s != 0
	}
	return 0, 0, false
}

// The powers of ten of the suffixes, and the powers of two of those with an i, by their letters.
var (
	decimalExponents = [256]int{'n': -9, 'u': -6, 'm': -3, 'k': 3, 'M': 6, 'G': 9, 'T': 12, 'P': 15, 'E': 18}
	binaryShifts     = [256]uint{'K': 10, 'M': 20, 'G': 30, 'T': 40, 'P': 50, 'E': 60}
)

func parseExponent(s string) (int, error) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
	if len(s)-len(digits) > 1 || !allDigits(digits) {
		return 0, ErrNotNumber
	}
	e, err := strconv.Atoi(s)
	if err != nil || e > maxExponent || e < -maxExponent {
		return 0, ErrRange
	}
	return e, nil
}

// parseDecimal reads a sign and at least one digit, with at most one point, and
// returns that number × 10^exponent.
func parseDecimal(s string, exponent int) (Number, error) {
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	if whole, fraction, ok := strings.Cut(digits, "."); ok {
		digits = whole + fraction
		exponent -= len(fraction)
	}
	if !allDigits(digits) {
		return Number{}, ErrNotNumber
	}
	if len(digits) > maxDigits {
		return Number{}, ErrRange
	}
	return newNumber(negative, digits, exponent), nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
