package ssp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A misfit is a value of a VM that cannot be read as its type.
type misfit struct {
	at  jsonpath.Location
	why string
}

func (m *misfit) Error() string { return m.at.String() + ": " + m.why }

// check returns why the JSON of a value cannot be read as its type, which is a misfit; nil if it can.
// Unknown fields do not matter.
func (n node) check(at jsonpath.Location) error {
	object, isObject := n.json.(map[string]any)
	items, isArray := n.json.([]any)
	switch shape := n.typ.shape; {
	case n.json == nil || shape == anything:
	case shape == pointer:
		return node{n.typ.of, n.json}.check(at)
	case shape == structure && isObject:
		for _, f := range n.typ.fields {
			place := at
			if f.name != "" {
				place = at.Join(jsonpath.Members(f.name))
			}
			if err := n.field(f.name, f.typ).check(place); err != nil {
				return err
			}
		}
	case shape == mapping && isObject:
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if err := (node{n.typ.of, object[name]}).check(at.Join(jsonpath.Members(name))); err != nil {
				return err
			}
		}
	case shape == array && isArray:
		for i, v := range items {
			if err := (node{n.typ.of, v}).check(at.Join(jsonpath.Location{jsonpath.Item(i)})); err != nil {
				return err
			}
		}
	case !n.isOfType():
		return n.mismatch(at)
	}
	return nil
}

// isOfType reports whether the JSON of a scalar, or of bytes as text, can be read as its type.
func (n node) isOfType() bool {
	_, isText := n.json.(string)
	_, isNumber := n.json.(json.Number)
	_, isBoolean := n.json.(bool)
	switch n.typ.shape {
	case structure, mapping:
		return false
	case array:
		return isText && n.typ.of.shape == byteShape // base64
	case text, instant:
		return isText
	case boolean:
		return isBoolean
	case either:
		return isText || isNumber
	case quantum:
		_, err := quantity.Parse(n.written())
		return (isText || isNumber) && err == nil
	}
	_, fits := n.integer()
	return isNumber && fits
}

func (n node) mismatch(at jsonpath.Location) error {
	why := fmt.Sprintf("%s cannot be read as %s", value.Describe(n.json), n.typ.name)
	if text, isText := n.json.(string); isText && n.typ.isInteger() {
		if meant := quantity.Meant(text); meant != nil {
			why += ", because it is in quotes: write " + meant[0]
		}
	}
	return &misfit{at, why}
}
