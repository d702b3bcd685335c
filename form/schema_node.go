package form

import (
	"encoding/json"
	"maps"
	"strconv"

	"github.com/vmrules/vmrules/fieldpath"
)

// A schema needs two levels for each step of a path, and an entry for each item before the
// one that an index selects. These limits keep it small.
const (
	maxSteps = 64
	maxIndex = 100

	stepWork = 1000
	stepSize = 400
)

// canSay reports whether a schema can express a step.
func canSay(step fieldpath.Step) bool {
	switch step := step.(type) {
	case fieldpath.Name, fieldpath.Items:
		return true
	case fieldpath.Index:
		return 0 <= step && step < maxIndex
	}
	return false
}

// A place is a path that starts at the root of the object and that a schema can express.
type place struct {
	steps      []fieldpath.Step
	hasDefault bool // whether the field at its end has a default
}

// exists returns a schema that accepts a value if the path selects something in it.
func (p place) exists() map[string]any {
	n := &node{}
	n.require(p)
	return n.schema()
}

func jsonInt(i int64) json.Number { return json.Number(strconv.FormatInt(i, 10)) }

// A node collects what the schema says about the values at one place.
type node struct {
	inside   map[fieldpath.Step]*node // of a name, an index or [*]
	required []any                    // the names of required members
	contains []any

	isThere  bool // the value must not be null
	isObject bool
	least    int // the least number of items; 0 if it need not be an array
	leaf     *leaf
	should   any
}

// grow returns the node behind steps, and adds nodes that are missing.
func (n *node) grow(steps []fieldpath.Step) *node {
	for _, step := range steps {
		n = n.below(step)
	}
	return n
}

// below returns the node of a step, and adds it if it is missing.
func (n *node) below(step fieldpath.Step) *node {
	if n.inside == nil {
		n.inside = map[fieldpath.Step]*node{}
	}
	if n.inside[step] == nil {
		n.inside[step] = &node{}
	}
	return n.inside[step]
}

// require demands that the path selects something.
func (n *node) require(p place) {
	for i, step := range p.steps {
		n.isThere = true
		switch step := step.(type) {
		case fieldpath.Name:
			n.isObject = true
			if p.hasDefault && i == len(p.steps)-1 { // then the default is there
				return
			}
			n = n.requireMember(step)
		case fieldpath.Index:
			n.least = max(n.least, int(step)+1)
			n = n.below(step)
		default:
			n.least = max(n.least, 1)
			n.contains = append(n.contains, place{p.steps[i+1:], p.hasDefault}.exists())
			return
		}
	}
	n.isThere = true
}

func (n *node) requireMember(name fieldpath.Name) *node {
	member := n.below(name)
	if !member.isThere {
		member.isThere = true
		n.required = append(n.required, string(name))
	}
	return member
}

// demand sets what the values at a path must satisfy. If the field has a default that does
// not satisfy it, the field becomes required.
func (n *node) demand(p place, leaf *leaf) {
	n.grow(p.steps).leaf = leaf
	if leaf.standIn == nil || leaf.admitsDefault {
		return
	}
	last := len(p.steps) - 1
	n.grow(p.steps[:last]).requireMember(p.steps[last].(fieldpath.Name))
}

// schema returns the schema of the node and of all nodes below it.
func (n *node) schema() map[string]any {
	schema := n.structure()
	if n.leaf != nil {
		value := n.leaf.of(n.isThere)
		if len(schema) > 0 {
			also, _ := value["allOf"].([]any)
			value["allOf"] = append(also, schema)
		}
		schema = value
	}
	if n.should != nil {
		schema[SchemaShould] = n.should
	}
	return schema
}

// structure returns what the node says about members and items.
func (n *node) structure() map[string]any {
	schema := map[string]any{}
	switch {
	case n.isObject && n.least > 0:
		return nothingFits()
	case n.isObject:
		schema["type"] = "object"
	case n.least > 0:
		schema["type"], schema["minItems"] = "array", jsonInt(int64(n.least))
	case n.isThere && n.leaf == nil:
		schema["not"] = map[string]any{"type": "null"}
	}
	if n.required != nil {
		schema["required"] = n.required
	}
	properties := map[string]any{}
	var items []any // of indexes
	for step, inner := range n.inside {
		switch step := step.(type) {
		case fieldpath.Name:
			properties[string(step)] = inner.schema()
		case fieldpath.Index:
			for len(items) <= int(step) {
				items = append(items, true)
			}
			items[step] = inner.schema()
		default:
			schema["items"] = inner.schema()
		}
	}
	if len(properties) > 0 {
		schema["properties"] = properties
	}
	n.addItems(schema, items)
	return schema
}

// addItems adds the schemas of items by index, and those that an array must contain. In one schema with
// prefixItems, "items" would apply only to the items after those, so the two keywords are in different schemas.
func (n *node) addItems(schema map[string]any, items []any) {
	var also []any
	for _, contains := range n.contains {
		also = append(also, map[string]any{"contains": contains})
	}
	if items != nil {
		also = append(also, map[string]any{"prefixItems": items})
	}
	switch {
	case len(also) == 1 && (items == nil || schema["items"] == nil):
		maps.Copy(schema, also[0].(map[string]any))
	case also != nil:
		schema["allOf"] = also
	}
}

func nothingFits() map[string]any { return map[string]any{"not": map[string]any{}} }
