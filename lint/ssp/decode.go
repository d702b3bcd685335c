package ssp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A spot is where a value is in a VM.
type spot struct{ field, pointer string }

func (s spot) member(name string) spot {
	return spot{s.field + "." + name, s.pointer + "/" + escaper.Replace(name)}
}

func (s spot) item(i int) spot {
	return spot{fmt.Sprintf("%s[%d]", s.field, i), fmt.Sprintf("%s/%d", s.pointer, i)}
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// A misfit is a value that cannot be read as its type.
type misfit struct {
	at  spot
	why string
}

func (m *misfit) Error() string { return m.at.field + ": " + m.why }

// check returns why the JSON of a value cannot be read as its type, which is a misfit; nil if it can.
// Unknown fields do not matter.
func (n node) check(at spot) error {
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

func (n node) checkFields(at spot) error {
	if _, ok := n.json.(map[string]any); !ok {
		return n.mismatch(at)
	}
	for _, f := range n.typ.fields {
		inner, place := n, at
		if f.name != "" {
			inner, place = n.field(f.name, f.typ), at.member(f.name)
		} else {
			inner.typ = f.typ
		}
		if err := inner.check(place); err != nil {
			return err
		}
	}
	return nil
}

func (n node) checkValues(at spot) error {
	object, ok := n.json.(map[string]any)
	if !ok {
		return n.mismatch(at)
	}
	for name, v := range object {
		if err := (node{n.typ.of, v}).check(at.member(name)); err != nil {
			return err
		}
	}
	return nil
}

func (n node) checkItems(at spot) error {
	if _, isText := n.json.(string); isText && n.typ.of.shape == byteShape {
		return nil // base64
	}
	items, ok := n.json.([]any)
	if !ok {
		return n.mismatch(at)
	}
	for i, v := range items {
		if err := (node{n.typ.of, v}).check(at.item(i)); err != nil {
			return err
		}
	}
	return nil
}

func (n node) checkScalar(at spot) error {
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

func (n node) mismatch(at spot) error {
	why := fmt.Sprintf("%s cannot be read as %s", value.Describe(n.json), n.typ.name)
	if text, isText := n.json.(string); isText && n.typ.isInteger() {
		if meant := quantity.Meant(text); meant != nil {
			why += ", because it is in quotes: write " + meant[0]
		}
	}
	return &misfit{at, why}
}
