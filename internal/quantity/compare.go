package quantity

import (
	"cmp"
	"math/big"
)

// Compare returns -1, 0 or 1: n is less than, equal to or greater than m.
func (n Number) Compare(m Number) int {
	if n.big == nil && m.big == nil && n.exponent == m.exponent {
		return cmp.Compare(n.small, m.small)
	}
	if d := cmp.Compare(n.Sign(), m.Sign()); d != 0 {
		return d
	}
	low := min(n.exponent, m.exponent)
	return n.scaled(low).Cmp(m.scaled(low))
}

// CompareWork returns the cost of Compare, in units of about a nanosecond. It is 0 if Compare
// only compares two int64.
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

// scaled returns the coefficient for an exponent that is not above n's own.
func (n Number) scaled(exponent int) *big.Int {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.exponent-exponent)), nil)
	return power.Mul(power, n.coefficient())
}
