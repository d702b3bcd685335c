package crd

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A node is a value inside the value of a rule's key. It knows its path, from which its place
// in the text is found if it has a problem.
type node struct {
	around *node // the parent; nil for the value of the key itself
	step   any   // from the parent to this: a name or an index
	value  any   // as encoding/json decodes it with UseNumber
}

// readJSON reads a value from valid JSON.
func readJSON(text []byte) *node {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n := &node{}
	_ = d.Decode(&n.value) // the text is valid
	return n
}

// path returns the steps from the value of the key to the node.
func (n *node) path() []any {
	var path []any
	for ; n.around != nil; n = n.around {
		path = append(path, n.step)
	}
	slices.Reverse(path)
	return path
}

// noun describes the value for messages.
func (n *node) noun() string {
	switch v := n.value.(type) {
	case map[string]any:
		return "an object"
	case []any:
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

// member returns a member of an object, or a node with a null value if there is none.
func (n *node) member(name string) *node {
	members, _ := n.value.(map[string]any)
	return &node{n, name, members[name]}
}

// names returns the sorted names of an object's members.
func (n *node) names() []string {
	members, _ := n.value.(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

// below follows steps from the node, and returns the last node that it reaches.
func (n *node) below(steps []any) *node {
	for _, step := range steps {
		next, ok := n.child(step)
		if !ok {
			break
		}
		n = &node{n, step, next}
	}
	return n
}

func (n *node) child(step any) (any, bool) {
	switch v := n.value.(type) {
	case map[string]any:
		if name, ok := step.(string); ok {
			next, ok := v[name]
			return next, ok
		}
	case []any:
		if i, ok := step.(int); ok && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// inString converts a place in the value of a JSON string, with a line from 1 and a column
// from 0 in code points, to an offset in the text that begins with the string.
func inString(text []byte, line, column int) int {
	i := 1
	for i < len(text)-1 && text[i] != '"' && (line > 1 || column > 0) {
		written := string(character.Find(text[i:]))
		switch {
		case line == 1:
			column--
		case written == `\n` || strings.EqualFold(written, `\u000a`):
			line--
		}
		i += len(written)
	}
	return min(i, len(text)-1)
}

// character matches the first character of the inside of a JSON string as it is written.
var character = regexp.MustCompile(`(?is)^(?:\\ud[89ab]..\\ud[c-f]..|\\u.{4}|\\.|.)`)

// near returns the known name that is most similar to a name, or "" if none is similar.
func near(name string, known []string) string {
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

// edits returns the number of bytes to insert, remove or replace to make a of b.
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
