package jsontext

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// TextsSize returns how many bytes encoding/json needs to write texts, each with its quotes
// and a comma. It is never too small, and a few bytes too large for some characters.
func TextsSize(texts ...string) int {
	size := 0
	for _, s := range texts {
		size += textSize(s) + len(`"",`)
	}
	return size
}

// ValueSize returns TextsSize for a string or a list of strings, and the size in bytes of a
// json.Number. It returns 0 for any other value.
func ValueSize(v any) int {
	switch v := v.(type) {
	case string:
		return TextsSize(v)
	case json.Number:
		return len(v)
	case []string:
		return TextsSize(v...)
	}
	return 0
}

// textSize returns how many bytes a text takes without its quotes.
func textSize(s string) int {
	size := len(s)
	for i, r := range s {
		switch {
		case r < ' ', r == '<', r == '>', r == '&', r == '\u007f':
			size += len(`\u0000`) - 1
		case r == '"', r == '\\':
			size++
		case r == '\u2028', r == '\u2029', r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			size += len(`\u0000`)
		}
	}
	return size
}

// Room is how many bytes may still be written. Once something does not fit, no room is left,
// so that later items need not be measured.
type Room struct{ Left int }

// Takes reports whether there is room for that many bytes, and uses it.
func (r *Room) Takes(bytes int) bool {
	if bytes > r.Left {
		r.Left = 0
		return false
	}
	r.Left -= bytes
	return true
}

// IsFull reports whether nothing more fits.
func (r *Room) IsFull() bool { return r.Left == 0 }

// Fit returns the items of a list that fit, and always the decisive one, if it is not -1.
func Fit[E any](r *Room, list []E, decisive int, size func(*E) int) []E {
	if decisive >= 0 {
		r.Takes(min(size(&list[decisive]), r.Left))
	}
	kept := []E{}
	for i := range list {
		if i == decisive || !r.IsFull() && r.Takes(size(&list[i])) {
			kept = append(kept, list[i])
		}
	}
	return kept
}
