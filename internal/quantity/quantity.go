// Package quantity implements exact decimal numbers, and the strings in which Kubernetes
// writes them: quantities such as "2Gi", "500m" and "1e3".
//
// A number keeps every digit: it is never converted to a float64, and comparing and printing
// it are exact. Numbers come from hostile input, so the package refuses a number that is
// written with more than 1,000 digits or with a decimal exponent beyond 1,000. The cost of
// comparing two numbers is known before it is done.
package quantity

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxDigits   = 1_000 // the digits of a number, as it is written
	maxExponent = 1_000 // the decimal exponent as it is written, positive or negative
)

// A Number is an exact decimal: coefficient × 10^exponent. The zero Number is 0. A Number is
// in canonical form, so that equal numbers have equal fields, except that big may be another
// pointer. An integer that fits an int64 has exponent 0. Any other number has no trailing
// zeros in its coefficient.
type Number struct {
	small    int64    // the coefficient, if big is nil
	big      *big.Int // the coefficient, if it does not fit small; never modified
	exponent int
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

// FromFloat returns the shortest decimal that reads back as the same float of 32 or 64 bits:
// 0.1 is exactly one tenth, not the nearest binary fraction. It returns ErrNotNumber for NaN
// and the infinities.
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
	if negative {
		significant = "-" + significant
	}
	if exponent > 0 && exponent <= 19 {
		if small, err := strconv.ParseInt(significant+strings.Repeat("0", exponent), 10, 64); err == nil {
			return Number{small: small}
		}
	}
	if small, err := strconv.ParseInt(significant, 10, 64); err == nil {
		return Number{small: small, exponent: exponent}
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
