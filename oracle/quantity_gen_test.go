package oracle

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A quantityGenerator makes strings that are quantities, or almost quantities.
type quantityGenerator struct{ *rand.Rand }

func (g quantityGenerator) oneIn(n int) bool { return g.IntN(n) == 0 }

// text makes a new string, or one close to the last quantity, since distant quantities are
// easy to order.
func (g quantityGenerator) text(last string) string {
	for {
		text := g.fresh()
		if !g.oneIn(3) {
			text = g.relative(last, text)
		}
		if g.oneIn(4) {
			text = g.spoiled(text)
		}
		if !isEndless(text) {
			return text
		}
	}
}

func (g quantityGenerator) fresh() string {
	text := g.one("", "", "", "-", "+") + g.digits(1+g.IntN(6))
	switch g.IntN(12) {
	case 0:
		text = g.digits(g.IntN(30))
	case 1:
		text = g.one("9223372036854775807", "9223372036854775808", "8", "7.999999999", "9007199254740993", "0", "-0", "00")
	case 2:
		if g.oneIn(40) {
			text += g.digits(985 + g.IntN(30))
		}
	}
	if g.oneIn(3) {
		text += "." + g.digits(g.IntN(13))
	}
	return text + g.suffix()
}

func (g quantityGenerator) digits(n int) string {
	var digits strings.Builder
	for range n {
		digits.WriteString(g.one("0", "0", "1", "2", "5", "9", "9", strconv.Itoa(g.IntN(10))))
	}
	return digits.String()
}

func (g quantityGenerator) one(from ...string) string { return from[g.IntN(len(from))] }

func (g quantityGenerator) suffix() string {
	if g.oneIn(5) {
		most := []int{4, 25, 25, 400, 1100}[g.IntN(5)]
		return g.one("e", "E") + g.one("", "-", "+") + g.one("", "", "0") + strconv.Itoa(g.IntN(most))
	}
	return g.one("", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
}

// relative returns another spelling of a quantity, or a quantity next to it.
func (g quantityGenerator) relative(last, otherwise string) string {
	value := exactQuantity(last)
	if value == nil || len(value.RatString()) > 100 {
		return otherwise
	}
	if places, _ := value.FloatPrec(); g.oneIn(3) {
		next := new(big.Rat).SetFrac(big.NewInt(int64(g.IntN(3)-1)), powerOf(10, g.IntN(places+2)))
		value = value.Add(value, next)
	}
	suffix := g.suffix()
	factor := factorOf(suffix)
	if factor.Num().BitLen() > 200 || factor.Denom().BitLen() > 200 {
		return otherwise
	}
	mantissa := new(big.Rat).Quo(value, factor)
	places, _ := mantissa.FloatPrec() // exact, since the only prime factors are 2 and 5
	return mantissa.FloatString(places+g.IntN(2)*g.IntN(3)) + suffix
}

func (g quantityGenerator) spoiled(text string) string {
	from := g.IntN(len(text) + 1)
	to := min(len(text), from+g.IntN(2))
	return text[:from] + g.one("", "0", "1", ".", "+", "-", "e", "E", "i", "n", "u", "m", "k", "K", "M", "G", "T", "P", " ", "_", "x", "٣", "∞") + text[to:]
}
