package value

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text for terminals and logs comes from hostile input. The functions in this file keep it
// short, on one line, and without control characters.

// How much is shown at most.
const (
	MaxShown  = 100  // code points of a value in a line
	MaxLine   = 1000 // code points of a message or field in a line
	MaxInList = 10   // strings of a list in a line
	MaxListed = 100  // errors or violations in a text for people
)

// Describe returns a text for people about a resolved value: a string in quotes, a number or
// boolean as it is, or the type of any other value.
func Describe(v any) string {
	if s, ok := ScalarOf(v); ok {
		return s.Describe()
	}
	switch ShapeOf(v) {
	case Null:
		return "nothing"
	case Object:
		return "an object"
	case Array:
		return "an array"
	case Number:
		return "something that is not a JSON number"
	}
	return v.(noJSON).what
}

// Describe returns what the function Describe returns for a scalar.
func (s *Scalar) Describe() string { return string(s.AppendDescription(nil)) }

// AppendDescription appends what Describe returns to b.
func (s *Scalar) AppendDescription(b []byte) []byte {
	switch {
	case s.shape == String:
		return AppendQuoted(b, s.text)
	case s.Err() != nil:
		return append(b, "a number beyond the bounds"...)
	}
	if s.shape == Number && s.number.Digits() <= MaxShown/2 { // and so no more than MaxShown with its point and sign
		return s.number.AppendTo(b)
	}
	return append(b, Shortened(s.String())...)
}

// Quoted returns a string in quotes, with control characters as escapes. It returns only the
// beginning of a long string.
func Quoted(s string) string { return string(AppendQuoted(nil, s)) }

// AppendQuoted appends what Quoted returns to b.
func AppendQuoted(b []byte, s string) []byte {
	s = Shortened(s)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"') // most strings: it takes a third of the time
}

// Shortened returns a string, or the first MaxShown code points of a longer one and an
// ellipsis.
func Shortened(s string) string { return Clipped(s, MaxShown) }

// Clipped returns s, or the first code points of s and an ellipsis if it has more than most.
func Clipped(s string, most int) string {
	if len(s) <= most {
		return s
	}
	shown := 0
	for i := range s {
		if shown == most {
			return s[:i] + "…"
		}
		shown++
	}
	return s
}

// ClippedBytes returns s, or its beginning and an ellipsis, in at most so many bytes.
func ClippedBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// OneLine returns a message or field with control characters as escapes. It returns only the
// beginning of a long one.
func OneLine(s string) string {
	s = Clipped(s, MaxLine)
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

// isUnsafe reports whether a character may move the cursor, or the text around it.
func isUnsafe(r rune) bool {
	return r == utf8.RuneError || !unicode.IsGraphic(r)
}

// AppendList appends strings in quotes to b, up to the length of a line.
func AppendList(b []byte, values []string) []byte {
	for i, value := range values {
		if i == MaxInList {
			b = strconv.AppendInt(append(b, " and "...), int64(len(values)-MaxInList), 10)
			return append(b, " more"...)
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = AppendQuoted(b, value)
	}
	return b
}

// ErrorList returns a title and the errors, each on a line of its own if there are several.
func ErrorList[E error](title string, all []E) string {
	if len(all) == 1 {
		return title + ": " + all[0].Error()
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d problems", title, len(all))
	for i, e := range all {
		if i == MaxListed {
			fmt.Fprintf(&s, "\n- and %d more", len(all)-MaxListed)
			break
		}
		s.WriteString("\n- " + e.Error())
	}
	return s.String()
}
