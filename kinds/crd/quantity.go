package crd

import "regexp"

// maxQuantity is how long a quantity may be that is given to Kubernetes' parser,
// and longExponent finds one of more than three digits: the parser takes numbers
// of any size, and writes their zeros out when they are compared.
const maxQuantity = 64

var longExponent = regexp.MustCompile(`^[+-]?[0-9.]*[eE][+-]?0*[1-9][0-9]{3}`)

// isHostileQuantity reports whether a text may be a quantity without end.
func isHostileQuantity(text string) bool {
	if text == "" || !('0' <= text[0] && text[0] <= '9' || text[0] == '+' || text[0] == '-' || text[0] == '.') {
		return false
	}
	return len(text) > maxQuantity || longExponent.MatchString(text)
}

// hostileQuantity returns such a text in a value, of several the first; "" for
// none.
func hostileQuantity(v any) string {
	least := ""
	each(v, func(v any) {
		if text, ok := v.(string); ok && isHostileQuantity(text) && (least == "" || text < least) {
			least = text
		}
	})
	return least
}
