package form

import (
	"errors"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// An InputSchema is a JSON Schema (draft 2020-12) for a generator of forms, with what the
// schema does not say.
type InputSchema struct {
	// Schema consists of the same types as that of the function Schema, but has only
	// keywords of JSON Schema. A validator in strict mode accepts it, such as ajv's.
	Schema map[string]any `json:"schema"`
	// Unexpressed lists what the schema does not express. Validate may reject an object
	// that the schema accepts only for a reason in this list.
	Unexpressed []Unexpressed `json:"unexpressed"`
	// Read lists the arguments that were read from the object.
	Read []ReadArgument `json:"read,omitempty"`
}

// Inputs returns the rules as a schema from which a form can be generated, with one plain
// input for each field. It is for the same objects as that of Schema. In contrast to Schema,
//
//   - a field has one type: that of its value, if it has one now; else the type that
//     KubeVirt's API has for it, with strings for quantities; else one that the rules allow;
//   - a string that is a quantity has a Format with the bounds, which [ParseFormat] judges;
//   - title is the name of the field, and description the messages of its rules, including
//     those of rules with justWarning, which the schema does not enforce;
//   - default is the value of a missing field, if the rules allow it.
//
// Validate, with the same options, accepts every object that the schema accepts, unless
// Unexpressed says otherwise. The schema is narrower than Validate in these ways, and in no
// others:
//
//   - a value must have the one type of its field, and what is missing must not be null;
//   - a 0 that counts as missing must itself be allowed;
//   - an array of which a rule selects an item by its index must be as long as it is now;
//   - under Partial, what is not filled in must be missing, not an empty string.
//
// Ratcheting changes nothing: the schema is for an object without an old one. Inputs never
// changes the object, and works on any object.
func Inputs(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) InputSchema {
	w := newSchemaWriter(rules, object, opts)
	w.inputs = &inputs{object: object, tree: w.tree, lengths: map[string]int{}}
	w.write()
	schema := w.inputs.node(w.tree, "")
	all, _ := schema["allOf"].([]any)
	for _, c := range w.conditions {
		all = append(all, w.inputs.condition(c))
	}
	if len(all) > 0 {
		schema["allOf"] = all
	}
	if schema["type"] == nil {
		schema["type"] = "object"
	}
	schema["$schema"] = SchemaDialect
	return InputSchema{Schema: schema, Unexpressed: w.unexpressed, Read: w.read}
}

// inputs knows what the nodes of an InputSchema share.
type inputs struct {
	object map[string]any
	tree   *node
	// lengths holds the lengths of the arrays whose items a rule selects by index, by the
	// paths of the arrays. A strict validator wants a schema for items by index to fix it.
	lengths map[string]int
}

// These are what a schema for items by index costs, where it stands: for the values, in "if"
// and in "then".
const (
	tupleWork = 10_000
	tupleSize = 3 * 20 // for each item
)

var (
	errBelowItems = errors.New("an index behind [*] selects from several arrays, which may have different lengths")
	errLongArray  = errors.New("a schema can only express an index in an array of at most 100 items")
)

// fits returns an error if an InputSchema cannot express a place. Otherwise it fixes the
// lengths of the arrays from which the place selects items by index. It does nothing if in
// is nil.
func (in *inputs) fits(p place, m *meter.Meter) error {
	if in == nil {
		return nil
	}
	isBelowItems := false
	var at any = in.object
	found := map[string]int{}
	for i, step := range p.steps {
		switch step := step.(type) {
		case fieldpath.Items:
			isBelowItems = true
		case fieldpath.Name:
			object := value.Resolve(at)
			if m.Spend(meter.Times(value.LookupCost(object, string(step)), jsonpath.NodeWork), 0) != nil {
				return errFull
			}
			at, _ = value.Member(object, string(step))
		case fieldpath.Index:
			array := value.Resolve(at)
			key := textOf(p.steps[:i])
			found[key] = max(found[key], value.Len(array), int(step)+1)
			switch {
			case isBelowItems:
				return errBelowItems
			case found[key] > maxIndex:
				return errLongArray
			case m.Spend(tupleWork, tupleSize*found[key]) != nil:
				return errFull
			}
			if at = nil; int(step) < value.Len(array) {
				at, _ = value.Item(array, int(step))
			}
		}
	}
	for key, length := range found {
		in.lengths[key] = max(in.lengths[key], length)
	}
	in.tree.grow(p.arrays())
	return nil
}

// arrays returns the place up to its last index.
func (p place) arrays() place {
	for i := len(p.steps) - 1; i >= 0; i-- {
		if _, ok := p.steps[i].(fieldpath.Index); ok {
			return place{steps: p.steps[:i+1]}
		}
	}
	return place{}
}

func (in *inputs) condition(c condition) map[string]any {
	then := in.exists(c.path, 0)
	if c.then != nil {
		then = in.node(c.then, "")
	}
	return map[string]any{"if": in.exists(c.valid, 0), "then": then}
}

// exists returns a schema that accepts a value at the first steps of a path if the rest of
// the path selects something in it.
func (in *inputs) exists(p place, at int) map[string]any {
	rest := place{p.steps[at:], p.hasDefault}
	if len(rest.steps) == 0 {
		return map[string]any{"not": map[string]any{"type": "null"}}
	}
	switch step := rest.steps[0].(type) {
	case fieldpath.Name:
		if (place{rest.steps[1:], p.hasDefault}).isDefaulted() {
			return map[string]any{"type": "object"}
		}
		name := string(step)
		return map[string]any{"type": "object", "required": []any{name}, "properties": map[string]any{name: in.exists(p, at+1)}}
	case fieldpath.Index:
		items := anyItems(in.lengths[textOf(p.steps[:at])])
		items[step] = in.exists(p, at+1)
		return tuple(items)
	}
	return map[string]any{"type": "array", "contains": in.exists(p, at+1)}
}

// tuple returns the schema of an array with a schema for each item. Generators of forms know
// "items" rather than prefixItems, so it is "items" if there is just one.
func tuple(items []any) map[string]any {
	schema := map[string]any{"type": "array", "minItems": jsonInt(len(items)), "maxItems": jsonInt(len(items))}
	if len(items) == 1 {
		schema["items"] = items[0]
	} else {
		schema["prefixItems"] = items
	}
	return schema
}

// node returns the schema of a node and of all nodes below it. It is empty if it says
// nothing. The node is at a path with this text.
func (in *inputs) node(n *node, path string) map[string]any {
	isArray := n.least > 0 || n.item != nil || n.items != nil
	isObject := n.isObject || n.members != nil
	switch {
	case n.leaf != nil && !n.isObject && n.least == 0:
		return n.leaf.asInput(n.hint)
	case n.leaf != nil, n.isObject && n.least > 0:
		return nothingFits()
	case isObject && n.least == 0:
		return in.objectNode(n, path)
	case isArray:
		return in.arrayNode(n, path)
	case n.hint != nil:
		return n.hint.asInput(nil)
	case n.isThere:
		return map[string]any{"not": map[string]any{"type": "null"}}
	}
	return map[string]any{}
}

func (in *inputs) objectNode(n *node, path string) map[string]any {
	schema := map[string]any{"type": "object"}
	if n.required != nil {
		schema["required"] = n.required
	}
	properties := map[string]any{}
	for name, member := range n.members {
		if below := in.node(member, path+fieldpath.Name(name).String()); len(below) > 0 {
			properties[name] = below
		}
	}
	if len(properties) > 0 {
		schema["properties"] = properties
	}
	return schema
}

// arrayNode returns the schema of an array. If a rule selects an item by its index, the schema
// of all items is in another schema than prefixItems: "items" would apply only to those behind
// them.
func (in *inputs) arrayNode(n *node, path string) map[string]any {
	schema := map[string]any{"type": "array"}
	if n.least > 0 {
		schema["minItems"] = jsonInt(n.least)
	}
	var also []any
	if n.items != nil {
		if items := in.node(n.items, path+fieldpath.Items{}.String()); len(items) > 0 {
			also = append(also, map[string]any{"items": items})
		}
	}
	for _, contains := range n.contains {
		also = append(also, map[string]any{"contains": contains})
	}
	if length := in.lengths[path]; length > 0 {
		items := anyItems(length)
		for i, of := range n.item {
			if item := in.node(of, path+fieldpath.Index(i).String()); len(item) > 0 {
				items[i] = item
			}
		}
		schema = tuple(items)
	} else {
		also = spread(schema, also)
	}
	if also != nil {
		schema["allOf"] = also
	}
	return schema
}

// spread moves the keywords of other schemas to a schema, and returns the schemas whose
// keywords are there already.
func spread(schema map[string]any, others []any) (rest []any) {
	for _, other := range others {
		for keyword, of := range other.(map[string]any) {
			if schema[keyword] != nil {
				rest = append(rest, other)
				continue
			}
			schema[keyword] = of
		}
	}
	return rest
}

// anyItems returns prefixItems that accept any items.
func anyItems(n int) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = true
	}
	return items
}

// asInput returns the schema of an input.
func (l *leaf) asInput(hint *leaf) map[string]any {
	schema := maps.Clone(l.value)
	if l.title != "" {
		schema["title"] = l.title
	}
	messages := slices.Clone(l.messages)
	if hint != nil {
		messages = append(messages, hint.messages...)
	}
	if text := joined(messages); text != "" {
		schema["description"] = text
	}
	return schema
}
