package conformance

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// DecodeExactly decodes an object and keeps every digit. It returns nil for an empty text.
func DecodeExactly(text json.RawMessage) map[string]any {
	if len(text) == 0 {
		return nil
	}
	return decoded[map[string]any](text)
}

func decoded[T any](text json.RawMessage) (value T) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return value
}

type (
	namedString string
	namedMap    map[namedString]any
	namedList   []any
)

// DecodeOddly decodes the same object to the types of other decoders and of Go code: named
// and untyped maps, typed lists, numbers of other widths.
func DecodeOddly(text json.RawMessage) map[string]any {
	object := DecodeExactly(text)
	for name, value := range object {
		object[name] = oddly(value, 1)
	}
	return object
}

func oddly(v any, depth int) any {
	switch v := v.(type) {
	case string:
		if depth%2 == 0 {
			return namedString(v)
		}
		return v
	case json.Number:
		return oddNumber(v, depth)
	case []any:
		list := namedList{}
		for _, item := range v {
			list = append(list, oddly(item, depth+1))
		}
		return list
	case map[string]any:
		return oddMap(v, depth)
	}
	return v
}

// oddNumber returns the number in a Go type that holds it exactly.
func oddNumber(n json.Number, depth int) any {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return []any{i, int(i), float64(i)}[min(depth%3, onlyIf(i < 1<<53 && int64(int(i)) == i, 2))]
	}
	if u, err := strconv.ParseUint(string(n), 10, 64); err == nil {
		return u
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err == nil && strconv.FormatFloat(f, 'f', -1, 64) == string(n) {
		return f
	}
	return n
}

func oddMap(v map[string]any, depth int) any {
	strings, untyped, named := map[string]string{}, map[any]any{}, namedMap{}
	for name, value := range v {
		if s, ok := value.(string); ok {
			strings[name] = s
		}
		untyped[name] = oddly(value, depth+1)
		named[namedString(name)] = oddly(value, depth+1)
	}
	switch {
	case len(v) > 0 && len(strings) == len(v):
		return strings
	case depth%2 == 0:
		return untyped
	}
	return named
}
