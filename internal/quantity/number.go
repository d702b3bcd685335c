// Package quantity knows exact decimal numbers and the strings that Kubernetes
// writes them as, quantities such as "2Gi", "500m" and "1e3".
//
// A number keeps every digit: it is never a float64 on its way, and comparing
// and printing it are exact. Numbers come from hostile input, so the package
// refuses one that is written with more than 1,000 digits or with a decimal
// exponent beyond 1,000; what comparing the others costs is known before it is
// done.
package quantity

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxDigits   = 1_000 // of a number, as it is written
	maxExponent = 1_000 // decimal, as it is written, to either side
)

// A Number is an exact decimal: coefficient × 10^exponent. The zero Number is 0.
// A Number has one canonical form, so that equal numbers are equal field by field
// but for big: an integer that fits an int64 is that integer with exponent 0; any
// other number has no trailing zeros in its coefficient.
type Number struct {
	small    int64    // the coefficient, where big is nil
	big      *big.Int // the coefficient, where it does not fit small; never modified
	exponent int
}

// The errors of numbers that cannot be read. Each continues a sentence that begins
// with the text.
var (
	ErrNotNumber = errors.New("is not a number")
	ErrRange     = errors.New("is a number of more than 1,000 digits, or with an exponent beyond 1,000")
)

// maxText is longer than any number within the bounds has to be written.
const maxText = 2 * (maxDigits + maxExponent)

// ParseJSON reads a number as JSON's grammar has it.
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

// isJSONMantissa reports whether s is what JSON's grammar demands beyond
// parseDecimal's: a digit on both sides of the point, no plus sign, no leading
// zeros.
func isJSONMantissa(s string) bool {
	whole, fraction, hasPoint := strings.Cut(s, ".")
	if whole == "" || whole[0] == '+' || whole[0] == '-' || hasPoint && fraction == "" {
		return false
	}
	return whole == "0" || whole[0] != '0'
}

// Parse reads a quantity, a number as Kubernetes writes it into a string: a sign,
// digits with a point anywhere, and either a decimal exponent or one of the
// suffixes n u m k M G T P E and Ki Mi Gi Ti Pi Ei.
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

// parseCommon reads what most quantities are: digits, perhaps with a suffix that
// stands for a factor above 1. It returns false where an int64 does not hold the
// result.
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

// commonDigits reads the digits that text begins with, as many as fit any
// int64, and returns what follows them.
func commonDigits(text string) (int64, string) {
	value, i := int64(0), 0
	for i < min(len(text), 18) && '0' <= text[i] && text[i] <= '9' {
		value = value*10 + int64(text[i]-'0')
		i++
	}
	return value, text[i:]
}

var powersOfTen = func() (powers [19]int64) {
	powers[0] = 1
	for i := range powers[1:] {
		powers[i+1] = 10 * powers[i]
	}
	return powers
}()

// parseScientific reads what stands before and behind an e. A text that is not a
// number is never called one beyond the bounds, so both sides are read.
func parseScientific(mantissa, exponent string) (Number, error) {
	_, mantissaErr := parseDecimal(mantissa, 0)
	e, exponentErr := parseExponent(exponent)
	switch {
	case mantissaErr == ErrNotNumber || exponentErr == ErrNotNumber:
		return Number{}, ErrNotNumber
	case mantissaErr != nil || exponentErr != nil:
		return Number{}, ErrRange
	}
	return parseDecimal(mantissa, e)
}

// suffixScale returns the factor that the suffix of a quantity stands for, 2^shift ×
// 10^exponent; false where it is not a suffix.
func suffixScale(suffix string) (shift uint, exponent int, ok bool) {
	switch suffix {
	case "":
		return 0, 0, true
	case "Ki":
		return 10, 0, true
	case "Mi":
		return 20, 0, true
	case "Gi":
		return 30, 0, true
	case "Ti":
		return 40, 0, true
	case "Pi":
		return 50, 0, true
	case "Ei":
		return 60, 0, true
	case "n":
		return 0, -9, true
	case "u":
		return 0, -6, true
	case "m":
		return 0, -3, true
	case "k":
		return 0, 3, true
	case "M":
		return 0, 6, true
	case "G":
		return 0, 9, true
	case "T":
		return 0, 12, true
	case "P":
		return 0, 15, true
	case "E":
		return 0, 18, true
	}
	return 0, 0, false
}

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
	digits := s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		digits = s[1:]
	}
	negative := strings.HasPrefix(s, "-")
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

// FromInt returns i as a Number.
func FromInt(i int64) Number { return Number{small: i} }

// FromUint returns u as a Number.
func FromUint(u uint64) Number {
	if u <= math.MaxInt64 {
		return FromInt(int64(u))
	}
	return newNumber(false, strconv.FormatUint(u, 10), 0)
}

// FromFloat returns the shortest decimal that reads back as the same float of 32
// or 64 bits: 0.1 is one tenth, as it was written, and not the binary fraction
// nearest to it. It returns ErrNotNumber for NaN and the infinities.
func FromFloat(f float64, bits int) (Number, error) {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 && bits == 64 {
		return FromInt(int64(f)), nil
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Number{}, ErrNotNumber
	}
	return ParseJSON(strconv.FormatFloat(f, 'e', -1, bits))
}

// newNumber returns digits × 10^exponent in the canonical form.
func newNumber(negative bool, digits string, exponent int) Number {
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return Number{}
	}
	if exponent > 0 && len(significant)+exponent <= 19 {
		significant += strings.Repeat("0", exponent)
		exponent = 0
	}
	if negative {
		significant = "-" + significant
	}
	if small, err := strconv.ParseInt(significant, 10, 64); err == nil {
		return Number{small: small, exponent: exponent}
	}
	// 19 digits that do not fit: back to the form without trailing zeros.
	if trimmed := strings.TrimRight(significant, "0"); exponent == 0 {
		exponent = len(significant) - len(trimmed)
		significant = trimmed
		if small, err := strconv.ParseInt(significant, 10, 64); err == nil {
			return Number{small: small, exponent: exponent}
		}
	}
	coefficient, _ := new(big.Int).SetString(significant, 10)
	return Number{big: coefficient, exponent: exponent}
}

// shiftLeft returns n × 2^bits.
func (n Number) shiftLeft(bits uint) Number {
	product := new(big.Int).Lsh(n.coefficient(), bits)
	digits := product.String()
	return newNumber(product.Sign() < 0, strings.TrimPrefix(digits, "-"), n.exponent)
}

func (n Number) coefficient() *big.Int {
	if n.big != nil {
		return n.big
	}
	return big.NewInt(n.small)
}

// IsZero reports whether n is 0.
func (n Number) IsZero() bool { return n.big == nil && n.small == 0 }

// IsInteger reports whether n has no fraction.
func (n Number) IsInteger() bool { return n.exponent >= 0 }

// Int64 returns n and whether it is an integer that fits an int64.
func (n Number) Int64() (int64, bool) {
	return n.small, n.big == nil && n.exponent == 0
}

// Compare returns -1, 0 or 1: n is less than, equal to or greater than m.
func (n Number) Compare(m Number) int {
	if n.big == nil && m.big == nil && n.exponent == m.exponent {
		return cmp.Compare(n.small, m.small)
	}
	if d := cmp.Compare(n.Sign(), m.Sign()); d != 0 {
		return d
	}
	if d := cmp.Compare(n.magnitude(), m.magnitude()); d != 0 && n.big == nil && m.big == nil {
		return d * n.Sign()
	}
	low := min(n.exponent, m.exponent)
	return n.scaled(low).Cmp(m.scaled(low))
}

// CompareWork returns what Compare costs, in units of about a nanosecond; 0 where
// it only compares two int64.
func (n Number) CompareWork(m Number) int {
	if n.big == nil && m.big == nil && n.exponent == m.exponent {
		return 0
	}
	return 200 + 10*(n.Digits()+m.Digits())
}

// Sign returns -1, 0 or 1: n is negative, zero or positive.
func (n Number) Sign() int {
	if n.big != nil {
		return n.big.Sign()
	}
	return cmp.Compare(n.small, 0)
}

// magnitude returns the place of the first digit, counted from the point, where
// the coefficient is small. It avoids the powers of ten for 1 against 1e1000.
func (n Number) magnitude() int {
	digits := 0
	for c := n.small; c != 0; c /= 10 {
		digits++
	}
	return digits + n.exponent
}

// scaled returns the coefficient for an exponent that is not above n's own.
func (n Number) scaled(exponent int) *big.Int {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.exponent-exponent)), nil)
	return power.Mul(power, n.coefficient())
}

// UsualSize is how many bytes most numbers need, written out: every int64 does.
const UsualSize = 20

// Digits returns about how many digits n has, written out, beyond UsualSize.
func (n Number) Digits() int {
	digits := max(n.exponent, -n.exponent)
	if n.big != nil {
		digits += n.big.BitLen() / 3
	}
	return digits
}

// String returns n in plain decimal notation: no exponent, no trailing zeros
// behind a point.
func (n Number) String() string {
	if i, ok := n.Int64(); ok {
		return strconv.FormatInt(i, 10)
	}
	return n.decimal()
}

// AppendTo appends what String returns to b.
func (n Number) AppendTo(b []byte) []byte {
	if i, ok := n.Int64(); ok {
		return strconv.AppendInt(b, i, 10)
	}
	return append(b, n.decimal()...)
}

// decimal is String for a number that does not fit an int64.
func (n Number) decimal() string {
	digits := n.coefficient().String()
	if n.exponent >= 0 {
		return digits + strings.Repeat("0", n.exponent)
	}
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	point := len(digits) + n.exponent
	if point <= 0 {
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
	return sign + digits[:point] + "." + digits[point:]
}
