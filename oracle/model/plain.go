package model

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
)

// plainJSON returns what the JSON of a value says, whatever decoder or Go code
// made it: the same object decoded differently gives the same report (design 4:
// JSONPath).
func plainJSON(v any) (any, error) {
	text, err := json.Marshal(natural(reflect.ValueOf(v)))
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// decode reads JSON, with every digit of its numbers.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// natural turns maps with keys of any type, which encoding/json refuses, into maps
// with the keys' natural names. It leaves all else to encoding/json.
func natural(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return v.Interface()
	}
	kind := v.Kind()
	switch {
	case kind == reflect.Interface || kind == reflect.Pointer:
		return natural(v.Elem())
	case kind == reflect.Map && !v.IsNil():
		members := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			members[fmt.Sprint(it.Key())] = natural(it.Value())
		}
		return members
	case kind == reflect.Slice && !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8:
		items := []any{}
		for i := range v.Len() {
			items = append(items, natural(v.Index(i)))
		}
		return items
	}
	return v.Interface()
}
