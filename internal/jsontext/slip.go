package jsontext

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// slip reports what people write although JSON has it nowhere, and whether there is something like that.
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
		c, _ := utf8.DecodeRuneInString(word[blank:])
		r.stop(at+blank, Invalid, "the character %U is no blank in JSON: write a plain space", c)
	case r.isExpression(expression):
		r.stop(expression, Invalid, "%q begins an expression: render the template first", r.text[expression:expression+2])
	case word[0] == '/', word[0] == '#':
		r.stop(at, Invalid, "%s is not allowed here: JSON has no comments", r.shown(at))
	}
	return r.stopped
}

// isExpression reports whether an expression of a template begins at an offset.
func (r *reader) isExpression(at int) bool { return r.at(at, "{{") || r.at(at, "{%") }

// isOddBlank reports whether a character beyond ASCII looks like a space, or cannot be seen.
func isOddBlank(c rune) bool {
	return c >= utf8.RuneSelf && (unicode.IsSpace(c) || '\u200b' <= c && c <= '\u200d' || c == '\u2060' || c == '\ufeff')
}

// wrongWord reports a word where something else is expected.
func (r *reader) wrongWord(at int, expected string) {
	word, shown := r.word(at), r.shown(at)
	isName := strings.IndexFunc(word, isNoLetter) < 0
	cure := ", where " + expected + " is expected"
	literal := literals[strings.ToLower(word)]
	switch {
	case expected == aKey && isName && r.at(r.skipBlanks(at+len(word)), ":"):
		r.unreadable(at, "keys need quotes: write %s", shown)
		return
	case r.depth == 0 && word[0] == '-':
		cure += ": " + r.format.Name + " is JSON, not YAML"
	case expected != aValue:
	case literal != "":
		cure = ": write " + literal
	case !isNoLetter(rune(word[0])):
		cure += ": strings need quotes"
	}
	r.unreadable(at, "%s is not allowed here%s", shown, cure)
}

// isNoLetter reports whether a character is not one of those of names. It takes all beyond ASCII as one.
func isNoLetter(c rune) bool {
	isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
	return c < utf8.RuneSelf && !isLetter && strings.IndexByte("0123456789_-.", byte(c)) < 0
}

// literals has what JSON calls words of other languages, which are here in lower case.
var literals = map[string]string{
	"true": "true", "yes": "true", "on": "true",
	"false": "false", "no": "false", "off": "false",
	"null": "null", "none": "null", "nil": "null",
}

// noComma reports what follows an element where a comma or closing bracket should.
func (r *reader) noComma(at int, closing byte, start int) {
	c, end := r.text[at], at+len(r.word(at))
	number := len(strings.TrimRight(r.text[:r.end], "+-.0123456789eE"))
	next := r.skipBlanks(end)
	isLast := next == len(r.text)
	switch {
	case r.slip(at), closing == '}' && r.grouped(at):
	case c == '}' && r.depth == 1, c == ']' && r.depth == 2 && closing == '}' && !isLast:
		r.stop(at, Invalid, `"%c" closes nothing: remove it`, c)
	case r.lacks(closing, at):
		r.unclosed(r.end, closing, start)
	case c == ':' && closing == ']' && r.lastString >= 0 && r.depth > 1:
		r.unclosed(r.lastString, closing, start)
	case c == ':' && closing == ']' && r.lastString >= 0:
		r.stop(r.lastString, Invalid, `a key is not allowed here: "{" is missing before it, or a "}" is too early`)
	case r.end == at && r.lastString >= 0 && strings.HasSuffix(strings.TrimRight(r.text[r.lastString:at-1], " \n"), ","):
		r.stop(r.lastString, Invalid, `the string that begins here lacks its closing quote, before the comma`)
	case c == ';' && !isLast && (r.text[next] == ']' || r.text[next] == '}'):
		r.stop(at, Invalid, `";" is not allowed here: remove it`)
	case c == ';':
		r.stop(at, Invalid, `write a comma, not ";"`)
	case c >= 'A' && quantity.Meant(r.text[number:end]) != nil:
		r.notNumber(number, end)
	default:
		r.unreadable(at, "a comma is missing before %s", r.shown(at))
	}
}

// lacks reports whether a closing bracket is missing before what follows an element or a comma.
func (r *reader) lacks(closing byte, at int) bool {
	if at == len(r.text) {
		return false
	}
	c := r.text[at]
	if closing == ']' {
		return c == '}'
	}
	return c == ']' || c == '{' && !r.isExpression(at)
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

// grouped reports digits that follow a number like a group of its digits, and whether there are any.
func (r *reader) grouped(at int) bool {
	isDigit := func(i int) bool { return i >= 0 && '0' <= r.text[i] && r.text[i] <= '9' }
	if !isDigit(r.end-1) || !isDigit(at) {
		return false
	}
	r.stop(at, Invalid, "a number has no separators between its digits: write them without")
	return true
}

// notNumber reports a number that JSON writes otherwise.
func (r *reader) notNumber(at, end int) {
	written, cure := r.text[at:end], ": write digits, and no calculation"
	if meant := quantity.Meant(written); meant != nil {
		n, _ := quantity.Parse(meant[0])
		plain := value.Shortened(n.String())
		switch isUnit := meant[0][len(meant[0])-1] > '9'; {
		case !isUnit:
			cure = ": write " + plain
		case len(meant) == 1:
			cure = `: write "` + meant[0] + `" in quotes, or ` + plain
		default:
			cure = `: write "` + strings.Join(meant, `" or "`) + `" in quotes`
		}
	}
	r.unreadable(at, "%s is not a JSON number%s", value.Quoted(written), cure)
}

// follows reports what follows the end of the text.
func (r *reader) follows(root Node, at int) {
	if r.format.Item != "" && r.text[root.Start] == '{' && strings.IndexByte(",]{", r.text[at]) >= 0 {
		r.stop(root.Start, Invalid, `the array has no "[": it begins here`)
		return
	}
	r.unreadable(at, "%s follows the end of %s: remove it", r.shown(at), r.format.Name)
}
