package vmrules

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What people see on a terminal or in a log comes from hostile input: the
// functions here keep it to one line, without control characters, and short.

// maxShown is how many code points of a value a line shows.
const maxShown = 100

// describe names a resolved value: a string in quotes, a number or boolean as
// it is, anything else by its type.
func describe(v any) string {
	if s, ok := scalarOf(v); ok {
		return s.describe()
	}
	switch shapeOf(v) {
	case null:
		return "nothing"
	case object:
		return "an object"
	case array:
		return "an array"
	case numeric:
		return "something that is not a JSON number"
	}
	return "a " + v.(noJSON).goType + " without a JSON form"
}

func (s *scalar) describe() string { return string(s.appendDescription(nil)) }

func (s *scalar) appendDescription(b []byte) []byte {
	switch {
	case s.shape == text:
		return appendQuoted(b, s.text)
	case s.err() != nil:
		return append(b, "a number beyond the bounds"...)
	}
	return append(b, shortened(s.String())...)
}

// quoted writes a string in quotes, with control characters as escapes.
func quoted(s string) string { return string(appendQuoted(nil, s)) }

func appendQuoted(b []byte, s string) []byte { return strconv.AppendQuote(b, shortened(s)) }

// shortened keeps the beginning of a long value.
func shortened(s string) string { return clipped(s, maxShown) }

func clipped(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for i, shown := 0, 0; i < len(s); shown++ {
		if shown == most {
			return s[:i] + "…"
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s
}

// maxLine is how many code points of a message or field a line shows.
const maxLine = 1000

// oneLine writes control characters as escapes, and keeps the beginning of what
// is too long for people.
func oneLine(s string) string {
	s = clipped(s, maxLine)
	if strings.IndexFunc(s, isUnsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isUnsafe(r) {
			escaped := strconv.QuoteRune(r)
			b.WriteString(escaped[1 : len(escaped)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isUnsafe tells what may move the cursor, or the text around it.
func isUnsafe(r rune) bool {
	return r == utf8.RuneError || !unicode.IsGraphic(r)
}

// appendValues writes allowed values, as many as a line holds.
func appendValues(b []byte, values []string) []byte {
	const most = 10
	for i, value := range values {
		if i == most {
			b = strconv.AppendInt(append(b, " and "...), int64(len(values)-most), 10)
			return append(b, " more"...)
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendQuoted(b, value)
	}
	return b
}
