package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

// A Format is how Kubernetes writes a quantity. It keeps the format in which the quantity was
// written.
type Format uint8

// The formats.
const (
	Decimal  Format = iota // 1500m, 3G
	Binary                 // 1536Mi
	Exponent               // 3e9
)

// FormatOf returns the format of the text of a quantity.
func FormatOf(text string) Format {
	switch i := strings.IndexAny(text, "eE"); {
	case strings.HasSuffix(text, "i"):
		return Binary
	case i >= 0 && i < len(text)-1:
		return Exponent
	}
	return Decimal
}

// Canonical returns the one text by which Kubernetes writes n in a format. It rounds up what
// is smaller than 10⁻⁹. It returns false if n does not fit an int64, where Kubernetes does not
// keep the value.
func (n Number) Canonical(f Format) (string, bool) {
	if _, ok := n.RoundUp(); !ok {
		return "", false
	}
	n = n.roundedUp(-9)
	if whole, ok := n.Int64(); ok && f == Binary && (whole >= 1024 || whole <= -1024) {
		return binary(whole), true
	}
	digits, exponent := n.significant()
	zeros := (exponent%3 + 3) % 3
	factor := exponent - zeros
	digits += strings.Repeat("0", zeros)
	switch {
	case factor == 0:
		return digits, true
	case f == Exponent:
		return digits + "e" + strconv.Itoa(factor), true
	}
	return digits + decimalSuffixes[factor/3+3], true
}

var decimalSuffixes = [...]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}

func binary(whole int64) string {
	suffixes := [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	i := 0
	for i < len(suffixes)-1 && whole%1024 == 0 {
		whole /= 1024
		i++
	}
	return strconv.FormatInt(whole, 10) + suffixes[i]
}

// RoundUp returns n rounded away from zero to an integer; false if that does not fit an int64.
func (n Number) RoundUp() (int64, bool) {
	return n.roundedUp(0).Int64()
}

// roundedUp returns n rounded away from zero to a multiple of 10^exponent.
func (n Number) roundedUp(exponent int) Number {
	if n.exponent >= exponent {
		return n
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent-n.exponent)), nil)
	quotient, rest := new(big.Int).QuoRem(n.coefficient(), power, new(big.Int))
	if rest.Sign() != 0 {
		quotient.Add(quotient, big.NewInt(int64(n.Sign())))
	}
	return newNumber(quotient.Sign() < 0, strings.TrimPrefix(quotient.String(), "-"), exponent)
}

// significant returns the digits of n without zeros at their end, and their exponent.
func (n Number) significant() (digits string, exponent int) {
	if n.IsZero() {
		return "0", 0
	}
	all := n.coefficient().String()
	digits = strings.TrimRight(all, "0")
	return digits, n.exponent + len(all) - len(digits)
}
