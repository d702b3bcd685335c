package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A yamlReader turns the parser's tree into nodes, with the values that kubectl
// reads: numbers keep their digits, and what YAML 1.1 calls a boolean is one.
type yamlReader struct {
	source  *source
	anchors map[string]*node
	depth   int
}

func readYAML(s *source) ([]*node, error) {
	file, err := parser.ParseBytes([]byte(s.text), 0)
	if err != nil {
		return nil, yamlError(s, err)
	}
	r := yamlReader{source: s}
	var documents []*node
	for _, document := range file.Docs {
		if document.Body == nil || document.Body.Type() == ast.NullType {
			continue
		}
		r.anchors = map[string]*node{}
		n, err := r.read(document.Body)
		if err != nil {
			return nil, err
		}
		documents = append(documents, n)
	}
	return documents, nil
}

func yamlError(s *source, err error) error {
	var wrong yaml.Error
	if !errors.As(err, &wrong) || wrong.GetToken() == nil {
		return s.fail(0, err)
	}
	r := yamlReader{source: s}
	return s.fail(r.offset(wrong.GetToken()), errors.New(wrong.GetMessage()))
}

// offset is where a token begins. The parser counts lines and columns reliably,
// and bytes not; behind a tag and an anchor it may be at the blank before.
func (r *yamlReader) offset(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 0
	}
	at := r.source.offset(r.source.lines[max(t.Position.Line, 1)-1], t.Position.Column)
	for at < len(r.source.text) && r.source.text[at] == ' ' {
		at++
	}
	return at
}

func (r *yamlReader) fail(n ast.Node, format string, args ...any) error {
	return r.source.fail(r.offset(n.GetToken()), fmt.Errorf(format, args...))
}

func (r *yamlReader) read(n ast.Node) (*node, error) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		return nil, r.fail(n, "%w", errDepth)
	}
	found, err := r.value(n)
	if err == nil && found.size > maxSize {
		err = r.fail(n, "with its aliases written out, this has more than %d values", maxSize)
	}
	return found, err
}

func (r *yamlReader) value(n ast.Node) (*node, error) {
	made := &node{at: r.offset(n.GetToken()), size: 1}
	switch n := n.(type) {
	case *ast.MappingNode:
		made.shape = object
		if !n.IsFlowStyle && len(n.Values) > 0 { // or else it is at its first colon
			made.at = r.offset(n.Values[0].Key.GetToken())
		}
		return made, r.members(made, n.Values)
	case *ast.MappingValueNode:
		made.at, made.shape = r.offset(n.Key.GetToken()), object
		return made, r.members(made, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		made.shape = array
		return made, r.items(made, n.Values)
	case *ast.AnchorNode:
		anchored, err := r.read(n.Value)
		r.anchors[n.Name.GetToken().Value] = anchored
		return anchored, err
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		if r.anchors[name] == nil {
			return nil, r.fail(n, "nothing before this is called &%s", name)
		}
		return r.anchors[name], nil
	case *ast.TagNode:
		return r.tagged(n)
	case *ast.LiteralNode:
		made.at, made.scalar = r.offset(n.Start), n.Value.Value
		return made, nil
	}
	made.scalar = scalarOf(n)
	return made, nil
}

func (r *yamlReader) members(to *node, all []*ast.MappingValueNode) error {
	merges := false
	for _, m := range all {
		value, err := r.read(m.Value)
		if err != nil {
			return err
		}
		if m.Key.IsMergeKey() {
			merge(to, value)
			merges = true
			continue
		}
		key := m.Key.GetToken()
		if key == nil || key.Type == token.MappingKeyType {
			return r.fail(m, "a key must be a string")
		}
		to.add(r.offset(key), key.Value, value)
	}
	if merges {
		to.members = lastOfEach(to.members)
	}
	return nil
}

// lastOfEach leaves out the members that others of the same key override.
func lastOfEach(members []member) []member {
	last := make(map[string]int, len(members))
	for i, m := range members {
		last[m.key] = i
	}
	var left []member
	for i, m := range members {
		if last[m.key] == i {
			left = append(left, m)
		}
	}
	return left
}

// merge adds the members of an object, or of those in an array. They go in front:
// of a key that is there twice the last counts, and in the array the first.
func merge(to, from *node) {
	var merged []member
	for _, item := range slices.Backward(from.items) {
		merged = append(merged, item.members...)
	}
	to.members = slices.Concat(merged, from.members, to.members)
	to.size += from.size
}

func (r *yamlReader) items(to *node, all []ast.Node) error {
	for _, n := range all {
		item, err := r.read(n)
		if err != nil {
			return err
		}
		to.addItem(item)
	}
	return nil
}

// tagged reads a value with a tag, of which only !!str changes what it is.
func (r *yamlReader) tagged(n *ast.TagNode) (*node, error) {
	made, err := r.read(n.Value)
	if err != nil || n.Start.Value != "!!str" || made.shape != scalar {
		return made, err
	}
	if _, isString := made.scalar.(string); !isString {
		made.scalar = valueToken(n.Value).Value
	}
	return made, nil
}

// token is that of a value, and not that of an anchor before it.
func valueToken(n ast.Node) *token.Token {
	if anchor, ok := n.(*ast.AnchorNode); ok {
		return valueToken(anchor.Value)
	}
	return n.GetToken()
}

// number is JSON's notation, which YAML's reader knows only a part of.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func scalarOf(n ast.Node) any {
	written := n.GetToken()
	if s, ok := n.(*ast.StringNode); ok && written.Type != token.StringType {
		return s.Value // in quotes
	}
	plain := written.Value
	switch {
	case number.MatchString(plain):
		return json.Number(plain)
	case isTrue[plain]:
		return true
	case isFalse[plain]:
		return false
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return nil
	case *ast.BoolNode:
		return n.Value
	case *ast.IntegerNode:
		return json.Number(fmt.Sprint(n.Value))
	case *ast.FloatNode:
		text := strings.TrimSuffix(fmt.Sprintf("%f", n.Value), ".000000")
		return json.Number(text)
	case *ast.StringNode:
		return n.Value
	}
	return plain
}

// What YAML 1.1 calls a boolean, kubectl does too.
var (
	isTrue  = setOf("y", "Y", "yes", "Yes", "YES", "on", "On", "ON")
	isFalse = setOf("n", "N", "no", "No", "NO", "off", "Off", "OFF")
)

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}
