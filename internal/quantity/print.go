package quantity

import (
	"strconv"
	"strings"
)

// UsualSize is a size in bytes that is enough to write most numbers, and every int64.
const UsualSize = 20

// Digits returns roughly how many digits beyond UsualSize it takes to write n.
func (n Number) Digits() int {
	digits := max(n.exponent, -n.exponent)
	if n.big != nil {
		digits += n.big.BitLen() / 3
	}
	return digits
}

// String returns n in plain decimal notation, without an exponent and without trailing zeros
// after the point.
func (n Number) String() string {
	if i, ok := n.Int64(); ok {
		return strconv.FormatInt(i, 10)
	}
	return n.decimal()
}

// JSON returns a text that ParseJSON reads as n. It is in plain decimal notation or, if that
// has too many digits, has an exponent.
func (n Number) JSON() string {
	if plain := n.String(); len(plain) <= maxDigits {
		return plain
	}
	exponent := min(max(n.exponent, -maxExponent), maxExponent)
	n.exponent -= exponent
	return n.decimal() + "e" + strconv.Itoa(exponent)
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
