package crd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A node is a value of a JSON text with the place where it stands there, so that
// what is wrong with it can be reported there.
type node struct {
	start, end int
	value      any // a string, bool, json.Number or nil; of an object or array, its opening delimiter
	names      []string
	members    map[string]*node
	items      []*node
}

// readJSON reads one JSON value. The text is known to be well-formed.
func readJSON(text []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return readNode(d, text)
}

func readNode(d *json.Decoder, text []byte) (*node, error) {
	start := int(d.InputOffset())
	for start < len(text) && strings.IndexByte(" \t\r\n,:", text[start]) >= 0 {
		start++
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{start: start, value: token}
	switch token {
	case json.Delim('{'):
		err = n.readMembers(d, text)
	case json.Delim('['):
		err = n.readItems(d, text)
	}
	n.end = int(d.InputOffset())
	return n, err
}

func (n *node) readMembers(d *json.Decoder, text []byte) error {
	n.members = map[string]*node{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name := token.(string)
		member, err := readNode(d, text)
		if err != nil {
			return err
		}
		if n.members[name] == nil {
			n.names = append(n.names, name)
		}
		n.members[name] = member
	}
	_, err := d.Token()
	return err
}

func (n *node) readItems(d *json.Decoder, text []byte) error {
	for d.More() {
		item, err := readNode(d, text)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := d.Token()
	return err
}

func (n *node) isObject() bool { return n.value == json.Delim('{') }

func (n *node) isArray() bool { return n.value == json.Delim('[') }

// noun is what the value is, for messages.
func (n *node) noun() string {
	switch v := n.value.(type) {
	case json.Delim:
		if v == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case json.Number:
		return "the number " + v.String()
	}
	return "null"
}

// text is a member that is a string; "" for none.
func (n *node) text(name string) string {
	s, _ := n.member(name).value.(string)
	return s
}

// member is a member of an object; a node that is null for none.
func (n *node) member(name string) *node {
	if m := n.members[name]; m != nil {
		return m
	}
	return &node{start: n.start, end: n.end}
}

// below is the node at these steps, or the last one on the way that is there.
func (n *node) below(steps []any) *node {
	for _, step := range steps {
		var next *node
		switch step := step.(type) {
		case string:
			next = n.members[step]
		case int:
			if step < len(n.items) {
				next = n.items[step]
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// plain is the value in the types of unstructured objects, for locate.
func (n *node) plain() any {
	switch {
	case n.isObject():
		m := make(map[string]any, len(n.members))
		for name, member := range n.members {
			m[name] = member.plain()
		}
		return m
	case n.isArray():
		list := make([]any, 0, len(n.items))
		for _, item := range n.items {
			list = append(list, item.plain())
		}
		return list
	}
	return n.value
}

// inString is how many bytes behind its opening quote a JSON string holds its
// character at this line (from 1) and column (from 0, in code points).
func inString(literal []byte, line, column int) int {
	i := 1
	for i < len(literal)-1 && (line > 1 || column > 0) {
		r, size := character(literal[i:])
		switch {
		case line == 1:
			column--
		case r == '\n':
			line--
		}
		i += size
	}
	return min(i, len(literal)-1)
}

// character is the first character inside a JSON string, and how many bytes it
// takes there.
func character(s []byte) (rune, int) {
	if s[0] != '\\' || len(s) < 2 {
		return utf8.DecodeRune(s)
	}
	if s[1] == 'n' {
		return '\n', 2
	}
	if s[1] != 'u' || len(s) < 6 {
		return rune(s[1]), 2
	}
	r := hex(s[2:6])
	if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		return utf16.DecodeRune(r, hex(s[8:12])), 12
	}
	return r, 6
}

func hex(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits), 16, 16)
	return rune(n)
}

// near is the name most like another one, if it is like enough to be meant.
func near(name string, known []string) string {
	slices.Sort(known)
	best, distance := "", 3
	for _, k := range known {
		if strings.EqualFold(k, name) {
			return k
		}
		if d := edits(name, k); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	return best
}

// edits counts the characters to add, drop or change between two names.
func edits(a, b string) int {
	if max(len(a), len(b)) > 50 {
		return 50
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
