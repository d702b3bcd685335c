package crd

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
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
