package vmrules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/value"
)

// A jsonNode is a JSON value and where it stands in the annotation's text.
type jsonNode struct {
	start, end int // bytes
	value      any // string, json.Number, bool, nil, or the json.Delim { or [
	members    []jsonMember
	items      []jsonNode
}

// describe returns the value for people, as value.Describe does.
func (n jsonNode) describe() string {
	switch n.value {
	case nil:
		return "null"
	case "":
		return "empty"
	case json.Delim('['):
		return "an array"
	case json.Delim('{'):
		return "an object"
	}
	return value.Describe(n.value)
}

// member finds a key; a null is absent.
func (n jsonNode) member(key string) (jsonNode, bool) {
	for _, m := range n.members {
		if m.key == key {
			return m.value, m.value.value != nil
		}
	}
	return jsonNode{}, false
}

type jsonMember struct {
	key   string
	start int // of the key
	value jsonNode
}

// An annotationReader turns the text of an annotation into nodes. It stops at
// the first thing that is not JSON, or beyond the bounds; problems that leave
// the rest readable, a key given twice or a lone surrogate, are collected.
type annotationReader struct {
	text     string
	bounds   textBounds
	budget   *budget
	end      int // of the last token
	stopped  bool
	problems []Problem

	index int    // of the rule that is being read, -1 outside
	key   string // of that rule, "" outside
	depth int

	behind     int // the last comma or colon
	lastString int // where the last token starts if it is a string, else -1
}

// tooMuchToRead is the problem of an annotation for which a budget does not
// suffice.
func tooMuchToRead(err error) string {
	return fmt.Sprintf("the rules from here on are not read, since they ask for too much: %v", err)
}

// textBounds are how long a text and how deep its values may be.
type textBounds struct{ bytes, nesting int }

var annotationBounds = textBounds{maxAnnotation, maxNesting}

// readAnnotation returns the elements of the array that text is, or problems.
func readAnnotation(text string, bounds textBounds, b *budget) ([]jsonNode, []Problem) {
	r := annotationReader{text: text, bounds: bounds, budget: b, index: -1, lastString: -1}
	if len(text) > bounds.bytes {
		r.stop(0, ReasonTooLong, "the annotation has %d bytes; all annotations of an object together may have %d", len(text), bounds.bytes)
		return nil, r.problems
	}
	if i := invalidUTF8(text); i >= 0 {
		r.stop(i, ReasonInvalid, "byte 0x%02x is not valid UTF-8: save the text as UTF-8", text[i])
		return nil, r.problems
	}
	root := r.read("an array of rules")
	if after := r.skipBlanks(r.end); !r.stopped && after < len(text) {
		r.stop(after, ReasonInvalid, "%s follows the end of the annotation: remove it", r.shown(after))
	}
	if !r.stopped && root.value != json.Delim('[') {
		r.stop(root.start, ReasonTypeInvalid, "the annotation must be a JSON array of rules: [ { … }, { … } ]")
	}
	if r.stopped {
		return nil, r.problems
	}
	return root.items, r.problems
}

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

func (r *annotationReader) add(offset int, reason Reason, format string, args ...any) {
	if !r.stopped && r.budget.Spend(problemWork, problemSize) != nil {
		return
	}
	r.problems = append(r.problems, Problem{
		Index: r.index, Key: r.key, Offset: offset, Reason: reason, Message: fmt.Sprintf(format, args...),
	})
}

// stop reports what makes the text unreadable, alone.
func (r *annotationReader) stop(offset int, reason Reason, format string, args ...any) {
	r.problems, r.index, r.key, r.stopped = nil, -1, "", true
	r.add(offset, reason, format, args...)
}

// aValue is what stands behind a key and in an array.
const aValue = "a value"

// read reads one value; expected says what should stand there.
func (r *annotationReader) read(expected string) jsonNode {
	n := jsonNode{start: r.nextToken()}
	if err := r.budget.Spend(tokenWork, nodeSize); err != nil {
		r.stop(n.start, ReasonTooLong, "%s", tooMuchToRead(err))
		return n
	}
	token, ok := r.token(expected)
	if !ok {
		return n
	}
	n.value = token
	switch token {
	case json.Delim('['):
		r.array(&n)
	case json.Delim('{'):
		r.object(&n)
	}
	n.end = r.end
	return n
}

func (r *annotationReader) array(n *jsonNode) {
	if !r.enter(n.start) {
		return
	}
	for !r.stopped && r.more(']', len(n.items) > 0) {
		if r.depth == 1 {
			r.index = len(n.items)
		}
		if r.depth == 1 && r.index == maxRules {
			r.stop(r.nextToken(), ReasonInvalid, "the annotation has more than %d rules", maxRules)
			return
		}
		n.items = append(n.items, r.read(aValue))
	}
	r.leave()
}

func (r *annotationReader) object(n *jsonNode) {
	if !r.enter(n.start) {
		return
	}
	var keys keySet
	for !r.stopped && r.more('}', len(n.members) > 0) {
		m := jsonMember{start: r.nextToken()}
		if m.start < len(r.text) && r.text[m.start] != '"' {
			r.badToken(m.start, "a key in double quotes")
			return
		}
		token, ok := r.token("a key in double quotes")
		if !ok {
			return
		}
		m.key = token.(string)
		if r.depth == 2 {
			r.key = m.key
		}
		if keys.has(m.key) {
			r.add(m.start, ReasonDuplicate, "the key %s is given twice in one object: keep one of them", value.Quoted(m.key))
		}
		colon := r.skipBlanks(r.end)
		if !r.at(colon, ":") {
			r.unreadable(colon, "a colon is missing after the key %s", value.Quoted(m.key))
			return
		}
		r.behind = colon + 1
		m.value = r.read(aValue)
		n.members = append(n.members, m)
	}
	r.leave()
}

func (r *annotationReader) enter(start int) bool {
	r.depth++
	if r.depth > r.bounds.nesting {
		r.stop(start, ReasonInvalid, "arrays and objects are nested deeper than %d levels", r.bounds.nesting)
	}
	return !r.stopped
}

// leave reads the closing bracket, which more has seen.
func (r *annotationReader) leave() {
	if r.stopped {
		return
	}
	r.end = r.nextToken() + 1
	r.lastString = -1
	r.depth--
	if r.depth == 1 {
		r.key = ""
	}
	if r.depth == 0 {
		r.index = -1
	}
}

// more tells whether another element follows before the closing bracket.
func (r *annotationReader) more(closing byte, notFirst bool) bool {
	at := r.skipBlanks(r.end)
	switch {
	case at == len(r.text):
		r.unreadable(at, "the text ends too early: a closing %c is missing", closing)
	case r.text[at] == closing:
		return false
	case !notFirst:
		return true
	case r.at(at, "/"), r.at(at, "#"):
		r.unreadable(at, "%s cannot stand here: JSON has no comments", r.shown(at))
	case r.text[at] != ',':
		r.unreadable(at, "a comma is missing before %s", r.shown(at))
	default:
		r.behind = at + 1
		if r.at(r.nextToken(), string(closing)) {
			r.stop(at, ReasonInvalid, "the comma before %c is one too many: remove it", closing)
		}
	}
	return !r.stopped
}

// token reads a token that is not a closing bracket, or says why it cannot.
func (r *annotationReader) token(expected string) (any, bool) {
	start := r.nextToken()
	r.lastString = -1
	token, length := scanToken(r.text[start:])
	if length == 0 {
		r.badToken(start, expected)
		return nil, false
	}
	r.end = start + length
	if _, ok := token.(string); ok {
		r.lastString = start
		r.surrogates(start, r.end)
	}
	return token, true
}

// scanToken reads the token that text begins with; its length is 0 where text
// begins with none. What is not plain is left to encoding/json.
func scanToken(text string) (any, int) {
	switch {
	case text == "":
		return nil, 0
	case text[0] == '[' || text[0] == '{':
		return json.Delim(text[0]), 1
	case text[0] == '"':
		return scanString(text)
	}
	end := strings.IndexAny(text, " \t\r\n,:[]{}\"")
	if end < 0 {
		end = len(text)
	}
	switch word := text[:end]; {
	case word == "null":
		return nil, end
	case word == "true" || word == "false":
		return word == "true", end
	case json.Valid([]byte(word)): // a number is all that is left
		return json.Number(word), end
	}
	return nil, 0
}

// scanString reads the string that text begins with.
func scanString(text string) (any, int) {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ':
			return nil, 0
		case c == '"':
			return text[1:i], i + 1
		case c == '\\':
			return scanEscaped(text)
		}
	}
	return nil, 0
}

func scanEscaped(text string) (any, int) {
	end := 1
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) {
		return nil, 0
	}
	var s string
	if json.Unmarshal([]byte(text[:end+1]), &s) != nil {
		return nil, 0
	}
	return s, end + 1
}

// A keySet tells which keys an object has already. Most have few.
type keySet struct {
	list []string
	set  map[string]bool
}

// has tells whether the key is in the set, and adds it.
func (k *keySet) has(key string) bool {
	if k.set != nil {
		seen := k.set[key]
		k.set[key] = true
		return seen
	}
	if slices.Contains(k.list, key) {
		return true
	}
	if k.list = append(k.list, key); len(k.list) > 16 {
		k.set = make(map[string]bool, len(k.list))
		for _, earlier := range k.list {
			k.set[earlier] = true
		}
	}
	return false
}

// badToken says why no token could be read at start.
func (r *annotationReader) badToken(start int, expected string) {
	if !r.at(start, `"`) {
		r.strange(start, expected)
		return
	}
	r.lastString = start
	for i := start + 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			r.unreadable(start, "%s cannot stand here, where %s is expected", r.shown(start), expected)
			return
		case c < 0x20:
			r.unreadable(i, "a string cannot hold the control character %q: close the string before it, or write it as an escape", c)
			return
		case c == '\\':
			if !isEscape(r.text[i+1:]) {
				r.unreadable(i, `the backslash begins no escape of JSON: write \\ for a backslash`)
				return
			}
			i++
		}
	}
	if !r.typographic(start, len(r.text)) {
		r.stop(start, ReasonInvalid, "the string that begins here is never closed")
	}
}

// strange reports what is no JSON at all, with the cure for what people write.
func (r *annotationReader) strange(at int, expected string) {
	switch {
	case at == len(r.text):
		r.unreadable(at, "the text ends too early: %s is missing", expected)
	case r.at(at, "'"):
		r.unreadable(at, `a single quote cannot stand here, where %s is expected: strings take double quotes`, expected)
	case r.at(at, "\ufeff"):
		r.unreadable(at, "the text begins with a byte order mark: remove it")
	case r.at(at, "/"), r.at(at, "#"):
		r.unreadable(at, "%s cannot stand here, where %s is expected: JSON has no comments", r.shown(at), expected)
	case r.depth > 0 && expected == aValue && strings.IndexByte("+-.0123456789", r.text[at]) >= 0:
		r.unreadable(at, "%s is not a number as JSON writes it", r.shown(at))
	case r.at(at, "-") && r.depth == 0:
		r.unreadable(at, "%s cannot stand here, where %s is expected: the annotation is JSON, not YAML", r.shown(at), expected)
	default:
		r.unreadable(at, "%s cannot stand here, where %s is expected", r.shown(at), expected)
	}
}

func isEscape(s string) bool {
	if s == "" || strings.IndexByte(`"\/bfnrtu`, s[0]) < 0 {
		return false
	}
	if s[0] != 'u' {
		return true
	}
	return len(s) > 4 && strings.Trim(s[1:5], "0123456789abcdefABCDEF") == ""
}

// unreadable reports a syntax error. Where a typographic quote led to it, the
// decoder trips only behind it: that quote is then what is reported.
func (r *annotationReader) unreadable(at int, format string, args ...any) {
	from := at
	if r.lastString >= 0 && !r.at(at, `"`) {
		from = r.lastString
	}
	_, size := utf8.DecodeRuneInString(r.text[at:])
	if !r.typographic(from, at+size) {
		r.stop(at, ReasonInvalid, format, args...)
	}
}

// typographic reports the first typographic quote in a part of the text.
func (r *annotationReader) typographic(from, to int) bool {
	i := strings.IndexAny(r.text[from:to], "“”„‟«»‘’‚′″")
	if i < 0 {
		return false
	}
	quote, _ := utf8.DecodeRuneInString(r.text[from+i:])
	r.stop(from+i, ReasonInvalid, `%c is a typographic quote: write the plain " in its place`, quote)
	return true
}

func (r *annotationReader) at(i int, prefix string) bool {
	return strings.HasPrefix(r.text[i:], prefix)
}

func (r *annotationReader) skipBlanks(i int) int {
	for i < len(r.text) && strings.IndexByte(" \t\r\n", r.text[i]) >= 0 {
		i++
	}
	return i
}

// nextToken is where the next token starts, behind a comma or colon.
func (r *annotationReader) nextToken() int {
	return r.skipBlanks(max(r.end, r.behind))
}

// shown is the beginning of the text at i, up to a blank or what ends a value.
func (r *annotationReader) shown(i int) string {
	rest := r.text[i:]
	if end := strings.IndexAny(rest, " \t\r\n,:]}"); end > 0 {
		rest = rest[:end]
	}
	if rest[0] == '"' {
		return value.OneLine(value.Shortened(rest))
	}
	return value.Quoted(rest)
}

// surrogates reports halves of UTF-16 pairs in a string, which the decoder
// would replace in silence.
func (r *annotationReader) surrogates(start, end int) {
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
		half := r.text[i-1 : i+5]
		switch {
		case isHighSurrogate(half) && isLowSurrogate(r.text[i+5:]):
			i += 6
		case isHighSurrogate(half) || isLowSurrogate(half):
			r.add(i-1, ReasonInvalid, `%s is half of a surrogate pair: write the character itself, or both halves`, half)
		}
	}
}

func isHighSurrogate(s string) bool { return isSurrogate(s, "89abAB") }

func isLowSurrogate(s string) bool { return isSurrogate(s, "cdefCDEF") }

func isSurrogate(s, third string) bool {
	return len(s) >= 6 && s[:2] == `\u` && (s[2] == 'd' || s[2] == 'D') && strings.IndexByte(third, s[3]) >= 0
}

// place orders problems by where they are and fills in line and column.
func place(problems []Problem, text string) {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Offset - b.Offset })
	c := newCursor(text)
	for i, p := range problems {
		problems[i].Line, problems[i].Column = c.moveTo(p.Offset)
	}
}

// A cursor counts lines, and columns in code points, on its way through a text.
type cursor struct {
	text                 string
	offset, line, column int
}

func newCursor(text string) cursor { return cursor{text: text, line: 1, column: 1} }

// moveTo goes on to an offset that does not lie behind.
func (c *cursor) moveTo(offset int) (line, column int) {
	for _, r := range c.text[c.offset:offset] {
		c.column++
		if r == '\n' {
			c.line, c.column = c.line+1, 1
		}
	}
	c.offset = offset
	return c.line, c.column
}
