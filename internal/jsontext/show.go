package jsontext

import (
	"strconv"
	"strings"
	"unicode"
)

// Messages quote the text, which is hostile: what they show of it is short, and
// on one line without control characters.

// maxShown is how many code points of the text a message shows.
const maxShown = 100

// quoted writes a string in quotes, with control characters as escapes.
func quoted(s string) string { return strconv.Quote(shortened(s)) }

// unquoted writes what has quotes already, with control characters as escapes.
func unquoted(s string) string {
	var b strings.Builder
	for _, r := range shortened(s) {
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}
		escaped := strconv.QuoteRune(r)
		b.WriteString(escaped[1 : len(escaped)-1])
	}
	return b.String()
}

func shortened(s string) string {
	shown := 0
	for i := range s {
		if shown == maxShown {
			return s[:i] + "…"
		}
		shown++
	}
	return s
}
