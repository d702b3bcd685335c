package model

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A node is a value of the object below the rules' $, or what may be there.
type node struct {
	field      string // where it is from the object's own root
	order      int    // its place in the document
	value      any    // nil if there is a doubt
	doubt      doubt
	inTemplate bool
	assumed    bool // a default, or in one: selected by names and indexes alone

	written map[string]*node // the members as the object has them
	named   map[string]*node // the members that a step which names one selects
	items   []*node          // nil for a null

	// What may be at any other name or index; nil for nothing.
	anyName, anyItem *node
}

// A doubt is why nobody knows what is there.
type doubt int

const (
	byParameter doubt = 1 << iota // a parameter of the template is not filled in
	byReference                   // an instance type or a preference may set it
)

// Where anything may be, and anything below it.
var anyParameter, anySetting = anything(byParameter), anything(byReference)

func anything(why doubt) *node {
	n := &node{doubt: why, order: -int(why)}
	n.anyName, n.anyItem = n, n
	return n
}

// node returns what stands for a doubt; nil for none.
func (d doubt) node() *node {
	switch {
	case d&byParameter != 0:
		return anyParameter
	case d&byReference != 0:
		return anySetting
	}
	return nil
}

// A parameter in two braces may become a value of any type.
var (
	parameter      = regexp.MustCompile(`\$\{[a-zA-Z0-9_]+\}|\$\{\{[a-zA-Z0-9_]+\}\}`)
	wholeParameter = regexp.MustCompile(`^\$\{\{[a-zA-Z0-9_]+\}\}$`)
)

// unfilled reports whether a value is a string with a parameter of the template.
func (n *node) unfilled() bool { return n.inTemplate && parameter.MatchString(text(n.value)) }

// unfilledWhole reports whether a value may become one of any type.
func (n *node) unfilledWhole() bool { return n.inTemplate && wholeParameter.MatchString(text(n.value)) }

// A builder makes the nodes of one target, in document order.
type builder struct {
	inTemplate bool
	assumed    bool
	count      int
}

func (b *builder) add(field string) *node {
	b.count++
	return &node{field: field, order: b.count, inTemplate: b.inTemplate, assumed: b.assumed}
}

// node returns the node of a value and all below it, with what the tables say of
// the fields there.
func (b *builder) node(field string, v any, settable, existing *field) *node {
	n := b.add(field)
	n.value = v
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			n.items = append(n.items, b.present(fmt.Sprintf("%s[%d]", field, i), item, nil, settable.child(eachItem), existing.child(eachItem)))
		}
		if settable.has("+") {
			n.anyItem = b.unknown(settable.child(eachItem))
			n.anyName = n.anyItem
		}
	case map[string]any:
		b.members(n, v, settable, existing)
	}
	if n.unfilledWhole() {
		n.anyName, n.anyItem = anyParameter, anyParameter
	}
	return n
}

// present returns the node of a value that the object has in around; nil for a null.
func (b *builder) present(field string, v any, around map[string]any, settable, existing *field) *node {
	switch {
	case v == nil:
		return nil
	case settable.changes(v, around):
		return b.unknown(settable)
	}
	return b.node(field, v, settable, existing)
}

// unknown returns the node of a field that may be set; nil for none.
func (b *builder) unknown(f *field) *node {
	switch {
	case f == nil || f.has("?"):
		return nil
	case f.has("*"):
		return anySetting
	}
	n := b.add("")
	n.doubt = byReference
	n.written = map[string]*node{}
	for _, name := range f.names() {
		n.written[name] = b.unknown(f.below[name])
	}
	n.named = n.written
	n.anyName = b.unknown(f.child(eachMember))
	return n
}

// members adds the members of an object, those that may be there, and those that
// always are. Next to a name with a parameter, nobody knows which others are there.
func (b *builder) members(n *node, v map[string]any, settable, existing *field) {
	names := slices.Collect(maps.Keys(v))
	n.anyName = b.unknown(settable.child(eachMember))
	if b.inTemplate && slices.ContainsFunc(names, parameter.MatchString) {
		n.anyName = anyParameter
	} else {
		names = slices.Concat(names, settable.names(), existing.names())
	}
	n.written, n.named = map[string]*node{}, map[string]*node{}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		f, e, at := settable.member(name), existing.child(name), n.field+fieldName(name)
		c := b.present(at, v[name], v, f, e)
		if v[name] == nil && n.anyName != anyParameter && f.appears(v) {
			c = b.unknown(f)
		}
		n.written[name], n.named[name] = c, c
		if e.countsFor(c) && (c != nil || n.anyName != anyParameter) {
			n.named[name] = b.assume(at, e, f)
		}
	}
}

// assume returns the node of a default.
func (b *builder) assume(at string, e, f *field) *node {
	inner := builder{inTemplate: b.inTemplate, assumed: true, count: b.count}
	n := inner.node(at, e.value, f, e)
	b.count = inner.count
	return n
}

// plainName is a name that needs no quotes in a field; its dots take a backslash.
var (
	plainName = regexp.MustCompile(`^[\pL\pM\pN_/.-]+$`)
	bare      = strings.NewReplacer(".", `\.`)
	quoted    = strings.NewReplacer(`\`, `\\`, `'`, `\'`, ".", `\.`, "*", `\*`)
)

// fieldName writes a name in the dialect of paths (design 3).
func fieldName(name string) string {
	if plainName.MatchString(name) {
		return "." + bare.Replace(name)
	}
	return "['" + quoted.Replace(name) + "']"
}
