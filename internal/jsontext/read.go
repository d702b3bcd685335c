package jsontext

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Format says what a text should contain.
type Format struct {
	Name     string // the text's name in messages: "the annotation"
	Root     string // what it should contain, in messages: "an array of rules"
	Item     string // an item of that array, if it is one, in messages: "rule"
	MaxItems int    // the largest number of these items
	MaxDepth int    // how deeply arrays and objects may be nested

	// Plain asks for a single Node, whose Value is what encoding/json decodes. It has no
	// places of the values inside, and takes less memory.
	Plain bool
}

// Reading costs this much, in units of work and in bytes. Both include what the caller does
// with the result.
const (
	tokenWork, nodeSize  = 200, 250
	errorWork, errorSize = 2000, 350
)

// Read returns the value of a text and its Errors, in the order in which they are found. If
// the text cannot be read, there is one Error, and the Node is zero. It is not an Error if
// the value is not what the Format describes.
//
// Read pays from m. If m refuses to pay for the last Errors, they are left out:
// m.Err then returns the refusal.
func Read(text string, f Format, m *meter.Meter) (Node, []Error) {
	r := reader{text: text, format: f, meter: m, item: -1, lastString: -1}
	if i := invalidUTF8(text); i >= 0 {
		r.stop(i, Invalid, "byte 0x%02x is not valid UTF-8: save the text as UTF-8", text[i])
		return Node{}, r.errors
	}
	root := r.read(f.Root)
	if after := r.skipBlanks(r.end); !r.stopped && after < len(text) {
		r.follows(root, after)
	}
	if r.stopped {
		return Node{}, r.errors
	}
	return root, r.errors
}

// A reader reads the Nodes of a text. It stops at the first error that makes the rest unreadable.
type reader struct {
	text    string
	format  Format
	meter   *meter.Meter
	end     int // the end of the last token
	stopped bool
	errors  []Error

	item    int    // the index in the outermost array; -1 outside of it
	itemKey string // the key in that item; "" outside its members
	depth   int

	separated  int // the end of the last comma or colon
	lastString int // where the last token starts if it is a string, else -1
}

// usualMembers is how many members most rules have, and usualItems how many rules there are. More than
// manyMembers are not searched one by one.
const usualMembers, usualItems, manyMembers = 7, 8, 16

// Messages name what is expected.
const (
	aKey   = "a key in double quotes"
	aValue = "a value"
)

// read reads one value; expected names what should be there, in messages.
func (r *reader) read(expected string) Node {
	n := Node{Start: r.nextToken()}
	if err := r.meter.Spend(tokenWork, nodeSize); err != nil {
		r.stop(n.Start, TooCostly, "%v", err)
		return n
	}
	token, ok := r.token(expected)
	if !ok {
		return n
	}
	n.Value = token
	switch token {
	case json.Delim('['):
		r.array(&n)
	case json.Delim('{'):
		r.object(&n)
	}
	n.End = r.end
	return n
}

func (r *reader) array(n *Node) {
	if !r.enter(n.Start) {
		return
	}
	plain := []any{}
	for i := 0; !r.stopped && r.more(']', n.Start, i > 0); i++ {
		if r.depth == 1 {
			if r.item = i; i == r.format.MaxItems {
				r.stop(r.nextToken(), Invalid, "%s has more than %d %ss", r.format.Name, i, r.format.Item)
				return
			}
		}
		item := r.read(aValue)
		if r.format.Plain {
			plain = append(plain, item.Value)
			continue
		}
		if n.Items == nil && r.depth == 1 {
			n.Items = make([]Node, 0, usualItems)
		}
		n.Items = append(n.Items, item)
	}
	if r.format.Plain {
		n.Value = plain
	}
	r.leave()
}

func (r *reader) object(n *Node) {
	if !r.enter(n.Start) {
		return
	}
	var known map[string]any // the members by their keys, if Plain asks for them or if there are many
	if r.format.Plain {
		known = map[string]any{}
		n.Value = known
	}
	for i := 0; !r.stopped && r.more('}', n.Start, i > 0); i++ {
		m, ok := r.key()
		if !ok {
			return
		}
		if n.has(m.Key, known) {
			r.flaw(m.Start, Duplicate, "the key %s is given twice in one object: keep one of them", value.Quoted(m.Key))
		}
		m.Value = r.read(aValue)
		if known != nil {
			known[m.Key] = m.Value.Value
		}
		if r.format.Plain {
			continue
		}
		if n.Members == nil && r.depth == 2 {
			n.Members = make([]Member, 0, usualMembers)
		}
		n.Members = append(n.Members, m)
		if known == nil && len(n.Members) > manyMembers {
			known = map[string]any{}
			for _, earlier := range n.Members {
				known[earlier.Key] = nil
			}
		}
	}
	r.leave()
}

// has reports whether an object has a key so far, of which known has all if it is not nil.
func (n *Node) has(key string, known map[string]any) bool {
	if known != nil {
		_, isThere := known[key]
		return isThere
	}
	return slices.ContainsFunc(n.Members, func(m Member) bool { return m.Key == key })
}

// key reads the key of a member and the colon after it; false if one is missing, which it reports.
func (r *reader) key() (Member, bool) {
	m := Member{Start: r.nextToken()}
	length := 0
	if r.at(m.Start, `"`) {
		m.Key, length = scanString(r.text[m.Start:])
	}
	if length == 0 {
		r.badToken(m.Start, aKey)
		return m, false
	}
	r.endString(m.Start, m.Start+length)
	if r.depth == 2 && r.item >= 0 {
		r.itemKey = m.Key
	}
	colon := r.skipBlanks(r.end)
	if !r.at(colon, ":") {
		r.unreadable(colon, "a colon is missing after the key %s", value.Quoted(m.Key))
		return m, false
	}
	r.separated = colon + 1
	return m, true
}

// enter begins an array or object.
func (r *reader) enter(start int) bool {
	r.depth++
	if r.depth > r.format.MaxDepth {
		r.stop(start, Invalid, "arrays and objects are nested deeper than %d levels", r.format.MaxDepth)
	}
	return !r.stopped
}

// leave reads the closing bracket that more has found.
func (r *reader) leave() {
	if r.stopped {
		return
	}
	r.end = r.nextToken() + 1
	r.lastString = -1
	r.depth--
	if r.depth == 1 {
		r.itemKey = ""
	}
}

// more reports whether another element follows before the closing bracket of what begins at start,
// and reads the comma between them.
func (r *reader) more(closing byte, start int, notFirst bool) bool {
	at := r.skipBlanks(r.end)
	switch {
	case at == len(r.text):
		r.unclosed(r.end, closing, start)
	case r.text[at] == closing:
		return false
	case !notFirst:
		return true
	case r.text[at] != ',':
		r.noComma(at, closing, start)
	default:
		r.separated = at + 1
		switch next := r.nextToken(); {
		case r.at(next, string(closing)):
			r.stop(at, Invalid, "trailing comma before %c: remove it", closing)
		case r.lacks(closing, next):
			r.unclosed(at, closing, start)
		}
	}
	return !r.stopped
}

// token reads a string, number or word, or an opening bracket; false if there is none, which it reports.
func (r *reader) token(expected string) (any, bool) {
	start := r.nextToken()
	r.lastString = -1
	token, length := scanToken(r.text[start:])
	if length == 0 {
		r.badToken(start, expected)
		return nil, false
	}
	r.end = start + length
	if _, ok := token.(string); ok {
		r.endString(start, r.end)
	}
	return token, true
}

// endString notes that the last token is a string.
func (r *reader) endString(start, end int) {
	r.end, r.lastString = end, start
	r.surrogates(start, end)
}

func (r *reader) at(i int, prefix string) bool {
	return strings.HasPrefix(r.text[i:], prefix)
}

func (r *reader) skipBlanks(i int) int {
	for i < len(r.text) && isBlank(r.text[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// nextToken returns where the next token starts, after a comma or colon.
func (r *reader) nextToken() int {
	return r.skipBlanks(max(r.end, r.separated))
}
