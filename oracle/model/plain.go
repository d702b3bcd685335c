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
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// natural turns maps with keys of any type, which encoding/json refuses, into
// maps with the keys' natural names. It leaves all else to encoding/json.
func natural(v reflect.Value) any {
	for v.IsValid() && (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && !v.IsNil() && !marshals(v) {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil
	}
	if marshals(v) {
		return v.Interface()
	}
	switch {
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.Interface && !v.IsNil():
		members := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			members[fmt.Sprint(it.Key().Interface())] = natural(it.Value())
		}
		return members
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String && !v.IsNil():
		members := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			members[it.Key().String()] = natural(it.Value())
		}
		return members
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 && !v.IsNil():
		items := []any{}
		for i := range v.Len() {
			items = append(items, natural(v.Index(i)))
		}
		return items
	}
	return v.Interface()
}

// marshals reports whether a value says itself what its JSON is.
func marshals(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return false
	}
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	}
	return false
}
