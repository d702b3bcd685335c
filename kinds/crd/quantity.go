package crd

import "regexp"

// maxQuantity is the largest length in bytes of a quantity.
const maxQuantity = 64

// longExponent matches a quantity whose exponent has more than three digits.
var longExponent = regexp.MustCompile(`^[+-]?[0-9.]*[eE][+-]?0*[1-9][0-9]{3}`)

// isHostileQuantity reports whether a text may be a quantity that Kubernetes' parser must not
// read: the parser has no bound, and comparing large numbers writes out all of their zeros.
func isHostileQuantity(text string) bool {
	if text == "" || !('0' <= text[0] && text[0] <= '9' || text[0] == '+' || text[0] == '-' || text[0] == '.') {
		return false
	}
	return len(text) > maxQuantity || longExponent.MatchString(text)
}

// hostileQuantity returns the first hostile quantity in a value, in the order of their texts,
// or "" if there is none.
func hostileQuantity(v any) string {
	return least(v, func(v any) string {
		if text, ok := v.(string); ok && isHostileQuantity(text) {
			return text
		}
		return ""
	})
}
