package ssp

import (
	"encoding/json"
	"fmt"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// check returns why the JSON of a value cannot be read as its type; nil if it can. Unknown fields
// do not matter.
func (n node) check(at string) error {
	if n.json == nil || n.typ.shape == anything {
		return nil
	}
	switch n.typ.shape {
	case pointer:
		return node{n.typ.of, n.json}.check(at)
	case structure:
		return n.checkFields(at)
	case mapping:
		return n.checkValues(at)
	case array:
		return n.checkItems(at)
	}
	return n.checkScalar(at)
}

func (n node) checkFields(at string) error {
	if _, ok := n.json.(map[string]any); !ok {
		return n.mismatch(at)
	}
	for _, f := range n.typ.fields {
		inner, place := n, at
		if f.name != "" {
			inner, place = n.field(f.name, f.typ), at+"."+f.name
		} else {
			inner.typ = f.typ
		}
		if err := inner.check(place); err != nil {
			return err
		}
	}
	return nil
}

func (n node) checkValues(at string) error {
	object, ok := n.json.(map[string]any)
	if !ok {
		return n.mismatch(at)
	}
	for name, v := range object {
		if err := (node{n.typ.of, v}).check(at + "." + name); err != nil {
			return err
		}
	}
	return nil
}

func (n node) checkItems(at string) error {
	if _, isText := n.json.(string); isText && n.typ.of.shape == byteShape {
		return nil // base64
	}
	items, ok := n.json.([]any)
	if !ok {
		return n.mismatch(at)
	}
	for i, v := range items {
		if err := (node{n.typ.of, v}).check(fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func (n node) checkScalar(at string) error {
	_, isText := n.json.(string)
	_, isNumber := n.json.(json.Number)
	_, isBoolean := n.json.(bool)
	ok := false
	switch {
	case n.typ.shape == text || n.typ.shape == instant:
		ok = isText
	case n.typ.shape == boolean:
		ok = isBoolean
	case n.typ.shape == either:
		ok = isText || isNumber
	case n.typ.shape == quantum:
		_, err := quantity.Parse(n.written())
		ok = (isText || isNumber) && err == nil
	default:
		_, fits := n.integer()
		ok = isNumber && fits
	}
	if !ok {
		return n.mismatch(at)
	}
	return nil
}

func (n node) mismatch(at string) error {
	return fmt.Errorf("%s: %s cannot be read as %s", at, value.Describe(n.json), n.typ.name)
}
