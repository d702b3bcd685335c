package kyverno

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
)

// A yamlText finds the places of values in a text in YAML, or in JSON, which is YAML, too.
type yamlText struct {
	root     *yaml.Node
	children map[*yaml.Node]map[any]child // of the values in which a place was looked for
}

// A child is a member of an object or an item of a list: where it begins, and its value.
type child struct{ at, value *yaml.Node }

// readYAML reads a text. It is an error if it has more than one document.
func readYAML(text []byte) (*yamlText, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	t := &yamlText{&yaml.Node{}, map[*yaml.Node]map[any]child{}}
	var first yaml.Node
	if decoder.Decode(&first) != nil || len(first.Content) != 1 {
		return t, nil // no place is known
	}
	t.root = first.Content[0]
	for {
		var other yaml.Node
		switch err := decoder.Decode(&other); {
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil, len(other.Content) != 1, other.Content[0].Tag != "!!null":
			return nil, errors.New("the text has more than one document: read each of them separately")
		}
	}
}

// find returns where the value at some steps begins, or the nearest value around it.
func (t *yamlText) find(at steps) *yaml.Node {
	found := child{t.root, t.root}
	for _, step := range at {
		next, ok := t.childrenOf(found.value)[step]
		if !ok {
			break
		}
		found = next
	}
	return found.at
}

// childrenOf returns the children of a value by their names or indexes.
func (t *yamlText) childrenOf(v *yaml.Node) map[any]child {
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	if t.children[v] == nil {
		all := map[any]child{}
		for i, n := range v.Content {
			switch {
			case v.Kind == yaml.SequenceNode:
				all[i] = child{n, n}
			case i%2 == 1:
				key := v.Content[i-1]
				all[key.Value] = child{key, n}
			}
		}
		t.children[v] = all
	}
	return t.children[v]
}

// setOffsets sets the offsets in a text of problems whose lines and columns are known.
func setOffsets(text []byte, problems []vmrules.Problem) {
	lines := [][]int{nil} // the offset of each character
	for i, c := range string(text) {
		end := len(lines) - 1
		lines[end] = append(lines[end], i)
		isBreak := strings.ContainsRune("\r\n\u0085\u2028\u2029", c) // each ends a line in YAML
		if isBreak && !bytes.HasPrefix(text[i:], []byte("\r\n")) {
			lines = append(lines, nil)
		}
	}
	end := len(lines) - 1
	lines[end] = append(lines[end], len(text))
	for i := range problems {
		p := &problems[i]
		if 0 < p.Line && p.Line <= len(lines) {
			line := lines[p.Line-1]
			p.Offset = line[min(p.Column, len(line))-1]
		}
	}
}
