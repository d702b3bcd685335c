package oracle

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// quantityForm is the grammar of quantities. They need a digit.
var (
	quantityForm  = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+))([KMGTPE]i|[numkMGTPE]?|[eE][+-]?\d+)$`)
	withoutDigits = regexp.MustCompile(`^[+-]?\.?([KMGTPE]i|[numkMGTPE]?|[eE][+-]?\d+)$`)
	exponentForm  = regexp.MustCompile(`[eE][+-]?0*(\d+)$`)
)

// exactQuantity returns the exact value of a quantity, and nil for any other string.
func exactQuantity(text string) *big.Rat {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	mantissa, ok := new(big.Rat).SetString(parts[1])
	if !ok {
		return nil
	}
	return mantissa.Mul(mantissa, factorOf(parts[2]))
}

func factorOf(suffix string) *big.Rat {
	if letter, ok := strings.CutSuffix(suffix, "i"); ok {
		return new(big.Rat).SetInt(powerOf(1024, 1+strings.Index("KMGTPE", letter)))
	}
	exponent := 0
	switch at := strings.Index("num kMGTPE", suffix); {
	case suffix == "":
	case at >= 0:
		exponent = 3*at - 9
	default:
		exponent, _ = strconv.Atoi(suffix[1:])
	}
	if exponent < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), powerOf(10, -exponent))
	}
	return new(big.Rat).SetInt(powerOf(10, exponent))
}

func powerOf(base int64, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exponent)), nil)
}

// roundedToNano returns a quantity as apimachinery stores it: rounded away from zero to a
// multiple of 10^-9.
func roundedToNano(text string) *big.Rat {
	value := exactQuantity(text)
	if value == nil {
		return nil
	}
	nano := new(big.Rat).SetInt(powerOf(10, 9))
	value.Mul(value, nano)
	whole, rest := new(big.Int).QuoRem(value.Num(), value.Denom(), new(big.Int))
	whole.Add(whole, big.NewInt(int64(rest.Sign())))
	return value.Quo(new(big.Rat).SetInt(whole), nano)
}

// capped returns a quantity as apimachinery stores it: rounded and, with a suffix that is a
// power of 1024, not beyond 2^63-1.
func capped(text string) *big.Rat {
	value := roundedToNano(text)
	limit := new(big.Rat).SetInt(new(big.Int).Sub(powerOf(2, 63), big.NewInt(1)))
	switch {
	case value == nil || !strings.HasSuffix(text, "i") || new(big.Rat).Abs(value).Cmp(limit) <= 0:
		return value
	case value.Sign() < 0:
		return limit.Neg(limit)
	}
	return limit
}

// isBeyondBounds reports whether this library refuses to compare a quantity: one with more
// than 1,000 digits, or an exponent beyond 1,000.
func isBeyondBounds(text string) bool {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	digits := len(strings.Trim(strings.Replace(parts[1], ".", "", 1), "+-"))
	return digits > 1000 || exponentOf(text) > 1000
}

func exponentOf(text string) int {
	if parts := exponentForm.FindStringSubmatch(text); parts != nil {
		exponent, err := strconv.Atoi(parts[1])
		if err != nil {
			return 1 << 30
		}
		return exponent
	}
	return 0
}

// isEndless reports whether apimachinery would run out of memory, since it writes out the
// zeros of a quantity.
func isEndless(text string) bool { return exponentOf(text) > 20_000 }
