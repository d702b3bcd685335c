package jsontext

import (
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/value"
)

// badToken reports why there is no token at start.
func (r *reader) badToken(start int, expected string) {
	if !r.at(start, `"`) {
		r.strange(start, expected)
		return
	}
	r.lastString = start
	for i := start + 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c < 0x20:
			r.unreadable(i, "a string cannot hold the control character %q: close the string before it, or write it as an escape", c)
			return
		case c == '\\':
			if !isEscape(r.text[i:]) {
				r.unreadable(i, `the backslash does not begin a JSON escape: write \\ for a backslash`)
				return
			}
			i++
		}
	}
	if !r.typographic(start, len(r.text)) {
		r.stop(start, Invalid, "the string that begins here is never closed")
	}
}

// strange reports text that begins no token of JSON, and says how to correct common mistakes.
func (r *reader) strange(at int, expected string) {
	switch {
	case at == len(r.text):
		r.unreadable(at, "the text ends too early: %s is missing", expected)
	case r.at(at, "'"):
		r.unreadable(at, `a single quote is not allowed here, where %s is expected: strings take double quotes`, expected)
	case at == 0 && r.at(at, "\ufeff"):
		r.stop(at, Invalid, "the text begins with a byte order mark: remove it")
	case expected == aKey && r.grouped(at):
	case r.depth > 0 && expected == aValue && strings.IndexByte("+-.0123456789", r.text[at]) >= 0:
		r.notNumber(at, at+len(r.word(at)))
	default:
		r.wrongWord(at, expected)
	}
}

// isEscape reports whether s, which begins with a backslash, begins with an escape.
func isEscape(s string) bool {
	if len(s) < len(`\n`) || strings.IndexByte(`"\/bfnrtu`, s[1]) < 0 {
		return false
	}
	return s[1] != 'u' || codeUnit(s) >= 0
}

// unreadable reports a syntax error, unless what is there is a slip. If the string before it contains
// a typographic quote, which was probably meant to end that string, it reports the quote instead.
func (r *reader) unreadable(at int, format string, args ...any) {
	from := at
	if r.lastString >= 0 && !r.at(at, `"`) {
		from = r.lastString
	}
	_, size := utf8.DecodeRuneInString(r.text[at:])
	if !r.typographic(from, at+size) && !r.slip(at) {
		r.stop(at, Invalid, format, args...)
	}
}

// typographic reports the first typographic quote in a part of the text, and whether there is one.
func (r *reader) typographic(from, to int) bool {
	i := strings.IndexAny(r.text[from:to], "“”„‟«»‘’‚′″")
	if i < 0 {
		return false
	}
	quote, _ := utf8.DecodeRuneInString(r.text[from+i:])
	r.stop(from+i, Invalid, `%c is a typographic quote: write a plain " instead`, quote)
	return true
}

// shown returns the text at i for a message, up to a blank or the end of a value.
func (r *reader) shown(i int) string {
	word := r.word(i)
	if word[0] == '"' {
		return value.OneLine(value.Shortened(word))
	}
	return value.Quoted(word)
}

// word returns the text at i up to a blank or the end of a value.
func (r *reader) word(i int) string {
	rest := r.text[i:]
	if end := strings.IndexAny(rest, " \t\r\n,:;]}"); end >= 0 {
		return rest[:max(end, 1)]
	}
	return rest
}
