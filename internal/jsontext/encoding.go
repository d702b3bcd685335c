package jsontext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
	}
	return -1
}

// surrogates reports each lone half of a surrogate pair, which encoding/json replaces without an error.
func (r *reader) surrogates(start, end int) {
	if strings.IndexByte(r.text[start:end], '\\') < 0 {
		return
	}
	for i := start; i < end; i++ {
		if r.text[i] != '\\' {
			continue
		}
		i++
		if r.text[i] != 'u' {
			continue
		}
		first := r.text[i-1 : i+5]
		switch half := codeUnit(first); {
		case utf16.DecodeRune(half, codeUnit(r.text[i+5:])) != utf8.RuneError:
			i += 6
		case utf16.IsSurrogate(half):
			r.flaw(i-1, Invalid, `%s is half of a surrogate pair: write the character itself, or both halves`, first)
		}
	}
}
