package jsontext

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// slip reports what JSON has nowhere, although people write it, and whether there is something of
// that sort.
func (r *reader) slip(at int) bool {
	if at == len(r.text) || r.text[at] == '"' {
		return false
	}
	word := r.word(at)
	expression := at
	if at > 0 && r.text[at-1] == '{' {
		expression-- // it was read as the beginning of an object
	}
	switch blank := strings.IndexFunc(word, isOddBlank); {
	case blank >= 0:
		r.stop(at+blank, Invalid, "the character %U is no blank in JSON: write a plain space", []rune(word[blank:])[0])
	case r.at(expression, "{{"), r.at(expression, "{%"):
		r.stop(expression, Invalid, "%q begins an expression: render the template first", r.text[expression:expression+2])
	case word[0] == '/', word[0] == '#':
		r.stop(at, Invalid, "%s is not allowed here: JSON has no comments", r.shown(at))
	}
	return r.stopped
}

// isOddBlank reports whether a character beyond ASCII looks like a space, or cannot be seen.
func isOddBlank(c rune) bool {
	return c > unicode.MaxASCII && (unicode.IsSpace(c) || '\u200b' <= c && c <= '\u200d' || c == '\u2060' || c == '\ufeff')
}

// wrongWord reports a word where something else is expected.
func (r *reader) wrongWord(at int, expected string) {
	word := r.word(at)
	behind := r.skipBlanks(at + len(word))
	isName := behind < len(r.text) && strings.IndexFunc(word, isNoLetter) < 0
	switch literal := literalMeant(word); {
	case literal != "" && expected == aValue:
		r.unreadable(at, "%s is not allowed here: write %s", r.shown(at), literal)
	case isName && expected == aKey && r.text[behind] == ':':
		r.unreadable(at, "keys need quotes: write %s", r.shown(at))
	case isName && expected == aValue && strings.IndexByte(",;]}", r.text[behind]) >= 0:
		r.unreadable(at, "%s is not allowed here, where %s is expected: strings need quotes", r.shown(at), expected)
	default:
		r.unreadable(at, "%s is not allowed here, where %s is expected", r.shown(at), expected)
	}
}

// isNoLetter reports whether a character is not one of those of names.
func isNoLetter(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' && c != '.'
}

// literalMeant returns what JSON calls a word of other languages; "" if it is another word.
func literalMeant(word string) string {
	switch lower := strings.ToLower(word); lower {
	case "true", "false", "null":
		return lower
	case "none", "nil":
		return "null"
	}
	return ""
}

// noComma reports what follows an element where a comma or closing bracket should.
func (r *reader) noComma(at int, closing byte, start int) {
	end := at + len(r.word(at))
	next := r.skipBlanks(end)
	number := len(strings.TrimRight(r.text[:r.end], "+-.0123456789eE"))
	isUnit := unicode.IsLetter(rune(r.text[at])) && quantity.Meant(r.text[number:end]) != nil
	switch {
	case r.slip(at):
	case r.depth == 1 && r.at(at, "}"), r.depth == 2 && r.at(at, "]") && closing == '}' && next < len(r.text):
		r.stop(at, Invalid, "%s closes nothing: remove it", r.shown(at))
	case r.lacks(closing, at):
		r.unclosed(r.end, closing, start)
	case r.at(at, ":") && closing == ']' && r.lastString >= 0 && r.depth > 1:
		r.unclosed(r.lastString, closing, start)
	case r.at(at, ":") && closing == ']' && r.lastString >= 0:
		r.stop(r.lastString, Invalid, `a key is not allowed here: "{" is missing before it, or a "}" is too early`)
	case r.at(at, ";") && (r.at(next, "]") || r.at(next, "}")):
		r.stop(at, Invalid, `";" is not allowed here: remove it`)
	case r.at(at, ";"):
		r.stop(at, Invalid, `write a comma, not ";"`)
	case isUnit:
		r.notNumber(number, end)
	default:
		r.unreadable(at, "a comma is missing before %s", r.shown(at))
	}
}

// lacks reports whether a closing bracket is missing before what follows an element or a comma.
func (r *reader) lacks(closing byte, at int) bool {
	if closing == ']' {
		return r.at(at, "}")
	}
	return r.at(at, "]") || r.at(at, "{") && !r.at(at, "{{") && !r.at(at, "{%")
}

// unclosed reports that the closing bracket of what begins at start is missing.
func (r *reader) unclosed(at int, closing byte, start int) {
	what := "array"
	if closing == '}' {
		what = "object"
	}
	if r.depth == 2 && closing == '}' && r.item >= 0 {
		what = cmp.Or(r.format.Item, what)
	}
	c := NewCursor(r.text)
	line, _ := c.MoveTo(start)
	r.stop(at, Invalid, `"%c" is missing: the %s that begins at line %d is not closed`, closing, what, line)
}

// notNumber reports a number that JSON writes otherwise.
func (r *reader) notNumber(at, end int) {
	written, cure := r.text[at:end], ""
	meant := quantity.Meant(written)
	if len(meant) > 0 {
		n, _ := quantity.Parse(meant[0])
		cure = ": write " + value.Shortened(n.String())
		if last := meant[0][len(meant[0])-1]; last > '9' {
			cure = fmt.Sprintf(": write %q in quotes, or %s", meant[0], value.Shortened(n.String()))
		}
	}
	if len(meant) > 1 {
		cure = fmt.Sprintf(": write %q or %q in quotes", meant[0], meant[1])
	}
	r.unreadable(at, "%s is not a JSON number%s", value.Quoted(written), cure)
}

// follows reports what follows the end of the text.
func (r *reader) follows(root Node, at int) {
	if r.format.Item != "" && root.Value == json.Delim('{') && strings.IndexByte(",]{", r.text[at]) >= 0 {
		r.stop(root.Start, Invalid, `the array has no "[": it begins here`)
		return
	}
	r.unreadable(at, "%s follows the end of %s: remove it", r.shown(at), r.format.Name)
}
