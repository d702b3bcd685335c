package model

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// A node is a value below the rules' $, or a value that may be there.
type node struct {
	field      string // the path from the object's own root, with a leading dot
	order      int    // its position in the document
	value      any    // nil if there is a doubt
	doubt      doubt
	inTemplate bool
	assumed    bool // a default, or in one: only names and indexes select from it

	written          map[string]*node // the members in the object
	named            map[string]*node // the members that a step by name selects
	items            []*node          // nil for a null
	anyName, anyItem *node            // the value that may be at any other name or index
}

// A doubt says how well a value is known.
type doubt int

const (
	certain doubt = iota
	waiting       // it is not filled in yet, under Partial
	unsure        // it is not known
)

// anything has, for each doubt, a node for any value that may be there.
var anything = []*node{nil, newAnything(waiting), newAnything(unsure)}

func newAnything(d doubt) *node {
	n := &node{doubt: d, order: -int(d)}
	n.anyName, n.anyItem = n, n
	return n
}

// A parameter in two braces may become a value of any type.
var (
	parameter      = regexp.MustCompile(`\$\{[a-zA-Z0-9_]+\}|\$\{\{[a-zA-Z0-9_]+\}\}`)
	wholeParameter = regexp.MustCompile(`^\$\{\{[a-zA-Z0-9_]+\}\}$`)
)

// has reports whether a node is a string of a template with such a parameter.
func (n *node) has(parameter *regexp.Regexp) bool {
	return n.inTemplate && parameter.MatchString(text(n.value))
}

func (n *node) unfilled() bool { return n.has(parameter) }

// A builder makes the nodes of one target, in document order.
type builder struct {
	inTemplate bool
	assumed    bool
	settable   doubt // of a field that an instance type or a preference may set
	count      int
}

// node returns the node of a value and all below it.
func (b *builder) node(at string, v any, f *field) *node {
	b.count++
	n := &node{field: at, order: b.count, value: v, inTemplate: b.inTemplate, assumed: b.assumed}
	switch v := v.(type) {
	case string:
		if n.has(wholeParameter) {
			n.anyName, n.anyItem = anything[unsure], anything[unsure]
		}
	case []any:
		n.items = make([]*node, len(v))
		for i, item := range v {
			if item != nil {
				n.items[i] = b.node(fmt.Sprintf("%s[%d]", at, i), item, f.child("[*]", "[+]"))
			}
		}
		n.anyItem = b.unknown(f.child("[+]"))
		n.anyName = n.anyItem
	case map[string]any:
		b.members(n, v, f)
	}
	return n
}

// members adds the members of an object, those that may exist, and those that always
// exist. Beside a name with a parameter, any other member may exist.
func (b *builder) members(n *node, v map[string]any, f *field) {
	names := slices.Collect(maps.Keys(v))
	n.anyName = b.unknown(f.child("[any]"))
	open := b.inTemplate && slices.ContainsFunc(names, parameter.MatchString)
	if open {
		n.anyName = anything[unsure]
	}
	names = slices.Concat(names, f.names())
	slices.Sort(names)
	n.written, n.named = map[string]*node{}, map[string]*node{}
	for _, name := range slices.Compact(names) {
		if open && v[name] == nil {
			continue
		}
		at, f := n.field+fieldName(name), f.child(name, "[any]")
		c := b.member(at, v[name], v, f)
		n.written[name], n.named[name] = c, c
		if f.value != nil && (c == nil || f.has("z") && isZero(c.value)) {
			around := b.assumed
			b.assumed = true
			n.named[name] = b.node(at, f.value, f)
			b.assumed = around
		}
	}
}

// member returns the node that exists, or may exist, at a field of an object, and nil if
// there is none.
func (b *builder) member(at string, v any, around map[string]any, f *field) *node {
	switch {
	case !f.exempt(around) && (v == nil || f.changes(v)):
		return b.unknown(f)
	case v == nil:
		return nil
	}
	return b.node(at, v, f)
}

// unknown returns the node of a field that may be set, and nil for any other field.
func (b *builder) unknown(f *field) *node {
	switch {
	case !f.appears:
		return nil
	case f.set && f.has("*"):
		return anything[b.settable]
	}
	b.count++
	n := &node{order: b.count, doubt: b.settable, written: map[string]*node{}}
	for _, name := range f.names() {
		n.written[name] = b.unknown(f.below[name])
	}
	n.named = n.written
	n.anyName = b.unknown(f.child("[any]"))
	return n
}

var (
	plainName = regexp.MustCompile(`^[\pL\pM\pN_/.-]+$`) // needs no quotes
	special   = regexp.MustCompile(`[.*'\\]`)            // takes a backslash
)

// fieldName writes a name as a step of a path.
func fieldName(name string) string {
	escaped := special.ReplaceAllString(name, `\$0`)
	if plainName.MatchString(name) {
		return "." + escaped
	}
	return "['" + escaped + "']"
}
