package vmrules

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A number is an exact decimal: coefficient × 10^exponent. It is kept in one
// canonical form, so that equal numbers are equal field by field but for big:
// an integer that fits an int64 is that integer with exponent 0; any other
// number has no trailing zeros in its coefficient.
type number struct {
	small    int64    // the coefficient, where big is nil
	big      *big.Int // the coefficient, where it does not fit small; never modified
	exponent int
}

var (
	errNotNumber   = errors.New("is not a number")
	errNumberRange = errors.New("is a number of more than 1,000 digits, or with an exponent beyond 1,000")
)

// maxNumberText is longer than any number within the bounds has to be written.
const maxNumberText = 2 * (maxDigits + maxExponent)

// parseNumber reads a JSON number. The digits are never rounded.
func parseNumber(text string) (number, error) {
	if len(text) > maxNumberText {
		return number{}, errNumberRange
	}
	if value, rest := commonDigits(text); rest == "" && isJSONMantissa(text) {
		return number{small: value}, nil
	}
	mantissa, exponent := text, ""
	i := strings.IndexAny(text, "eE")
	if i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	switch {
	case !isJSONMantissa(strings.TrimPrefix(mantissa, "-")):
		return number{}, errNotNumber
	case i < 0:
		return parseDecimal(mantissa, 0)
	}
	return parseScientific(mantissa, exponent)
}

// isJSONMantissa tells what JSON's grammar adds to parseDecimal's: a digit on
// both sides of the point, no plus sign, no leading zeros.
func isJSONMantissa(s string) bool {
	whole, fraction, hasPoint := strings.Cut(s, ".")
	if whole == "" || whole[0] == '+' || whole[0] == '-' || hasPoint && fraction == "" {
		return false
	}
	return whole == "0" || whole[0] != '0'
}

// parseQuantity reads a number as Kubernetes writes them into strings:
// a sign, digits with a point anywhere, and either a decimal exponent or one
// of the suffixes n u m k M G T P E and Ki Mi Gi Ti Pi Ei.
func parseQuantity(text string) (number, error) {
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
		return number{}, errNotNumber
	}
	return parseScientific(mantissa, suffix[1:])
}

// parseCommon reads what most quantities are: digits, and nothing or a suffix
// that makes them more, where an int64 holds the result.
func parseCommon(text string) (number, bool) {
	value, suffix := commonDigits(text)
	shift, exponent, ok := suffixScale(suffix)
	if !ok || exponent < 0 || len(suffix) == len(text) {
		return number{}, false
	}
	factor := powersOfTen[exponent] << shift
	if value > math.MaxInt64/factor {
		return number{}, false
	}
	return number{small: value * factor}, true
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

// parseScientific reads what stands before and behind an e. What is no number
// at all is not one beyond the bounds either.
func parseScientific(mantissa, exponent string) (number, error) {
	_, mantissaErr := parseDecimal(mantissa, 0)
	e, exponentErr := parseExponent(exponent)
	switch {
	case mantissaErr == errNotNumber || exponentErr == errNotNumber:
		return number{}, errNotNumber
	case mantissaErr != nil || exponentErr != nil:
		return number{}, errNumberRange
	}
	return parseDecimal(mantissa, e)
}

// suffixScale is what the suffix of a quantity multiplies with, 2^shift ×
// 10^exponent; false for what is no suffix.
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
		return 0, errNotNumber
	}
	e, err := strconv.Atoi(s)
	if err != nil || e > maxExponent || e < -maxExponent {
		return 0, errNumberRange
	}
	return e, nil
}

// parseDecimal reads a sign and digits with at most one point, at least one
// digit among them.
func parseDecimal(s string, exponent int) (number, error) {
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
		return number{}, errNotNumber
	}
	if len(digits) > maxDigits {
		return number{}, errNumberRange
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

// newNumber brings digits × 10^exponent into the canonical form.
func newNumber(negative bool, digits string, exponent int) number {
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return number{}
	}
	if exponent > 0 && len(significant)+exponent <= 19 {
		significant += strings.Repeat("0", exponent)
		exponent = 0
	}
	if negative {
		significant = "-" + significant
	}
	if small, err := strconv.ParseInt(significant, 10, 64); err == nil {
		return number{small: small, exponent: exponent}
	}
	// 19 digits that do not fit: back to the form without trailing zeros.
	if trimmed := strings.TrimRight(significant, "0"); exponent == 0 {
		exponent = len(significant) - len(trimmed)
		significant = trimmed
		if small, err := strconv.ParseInt(significant, 10, 64); err == nil {
			return number{small: small, exponent: exponent}
		}
	}
	coefficient, _ := new(big.Int).SetString(significant, 10)
	return number{big: coefficient, exponent: exponent}
}

func numberFromInt(i int64) number { return number{small: i} }

func numberFromUint(u uint64) number {
	if u <= math.MaxInt64 {
		return numberFromInt(int64(u))
	}
	return newNumber(false, strconv.FormatUint(u, 10), 0)
}

// numberFromFloat takes the shortest decimal that a reader of JSON would read
// as this float: 0.1 is one tenth, as it was written, and not the binary
// fraction nearest to it.
func numberFromFloat(f float64, bits int) (number, error) {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 && bits == 64 {
		return numberFromInt(int64(f)), nil
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return number{}, errNotNumber
	}
	return parseNumber(strconv.FormatFloat(f, 'e', -1, bits))
}

// shiftLeft is n × 2^bits.
func (n number) shiftLeft(bits uint) number {
	product := new(big.Int).Lsh(n.coefficient(), bits)
	digits := product.String()
	return newNumber(product.Sign() < 0, strings.TrimPrefix(digits, "-"), n.exponent)
}

func (n number) coefficient() *big.Int {
	if n.big != nil {
		return n.big
	}
	return big.NewInt(n.small)
}

func (n number) isZero() bool { return n.big == nil && n.small == 0 }

func (n number) isInteger() bool { return n.exponent >= 0 }

// int returns the value where it is an integer that fits.
func (n number) int() (int64, bool) {
	return n.small, n.big == nil && n.exponent == 0
}

// compareWork is what comparing two numbers costs, beside looking at them; 0
// where it takes nothing but their coefficients.
func (n number) compareWork(m number) int {
	if n.big == nil && m.big == nil && n.exponent == m.exponent {
		return 0
	}
	return 200 + 10*(n.digits()+m.digits())
}

// digits is about how many digits the number has, written out.
func (n number) digits() int {
	digits := max(n.exponent, -n.exponent)
	if n.big != nil {
		digits += n.big.BitLen() / 3
	}
	return digits
}

// compare is -1, 0 or 1: n is less than, equal to or greater than m.
func (n number) compare(m number) int {
	if n.big == nil && m.big == nil && n.exponent == m.exponent {
		return cmp.Compare(n.small, m.small)
	}
	if d := cmp.Compare(n.sign(), m.sign()); d != 0 {
		return d
	}
	if d := cmp.Compare(n.magnitude(), m.magnitude()); d != 0 && n.big == nil && m.big == nil {
		return d * n.sign()
	}
	low := min(n.exponent, m.exponent)
	return n.scaled(low).Cmp(m.scaled(low))
}

// magnitude is the place of the first digit, counted from the point, where
// the coefficient is small. It spares the powers of ten for 1 against 1e1000.
func (n number) magnitude() int {
	digits := 0
	for c := n.small; c != 0; c /= 10 {
		digits++
	}
	return digits + n.exponent
}

func (n number) sign() int {
	if n.big != nil {
		return n.big.Sign()
	}
	return cmp.Compare(n.small, 0)
}

// scaled is the coefficient for an exponent that is not above n's own.
func (n number) scaled(exponent int) *big.Int {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.exponent-exponent)), nil)
	return power.Mul(power, n.coefficient())
}

// String is the plain decimal notation: no exponent, no trailing zeros behind
// a point.
func (n number) String() string {
	if i, ok := n.int(); ok {
		return strconv.FormatInt(i, 10)
	}
	return n.decimal()
}

// usualNumber is how many bytes an int64 needs, and most numbers.
const usualNumber = 20

// append writes what String returns.
func (n number) append(b []byte) []byte {
	if i, ok := n.int(); ok {
		return strconv.AppendInt(b, i, 10)
	}
	return append(b, n.decimal()...)
}

// decimal is String for a number that is no int64.
func (n number) decimal() string {
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
