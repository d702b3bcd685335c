// Package parameter finds the parameters of templates in strings: ${NAME}, and ${{NAME}},
// which may become a value of any type. A name consists of ASCII letters, digits and
// underscores.
package parameter

import (
	"cmp"
	"strings"
)

// First returns the first parameter in a string, with its marks; "" if there is none.
func First(s string) string {
	for {
		start := strings.Index(s, "${")
		if start < 0 {
			return ""
		}
		s = s[start:]
		name := strings.TrimPrefix(s[len("${"):], "{")
		if name != "" && isInName(rune(name[0])) {
			if found := cmp.Or(leading(s, "${{", "}}"), leading(s, "${", "}")); found != "" {
				return found
			}
		}
		s = s[len("${"):]
	}
}

// OfAnyType returns the parameter ${{NAME}} with which a string begins; "" if there is none.
func OfAnyType(s string) string { return leading(s, "${{", "}}") }

// leading returns the parameter with which a string begins, including its two marks.
func leading(s, open, closing string) string {
	name, ok := strings.CutPrefix(s, open)
	if !ok {
		return ""
	}
	end := strings.IndexFunc(name, func(r rune) bool { return !isInName(r) })
	if end < 1 || !strings.HasPrefix(name[end:], closing) {
		return ""
	}
	return s[:len(open)+end+len(closing)]
}

// isInName reports whether a parameter's name may contain a character.
func isInName(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}
