package model_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
)

type (
	namedMap    map[string]any
	namedSlice  []any
	namedString string
	namedInt    int64
	namedBool   bool
)

// A marshaler is a value whose JSON form only its own method gives.
type marshaler struct{ value any }

func (m marshaler) MarshalJSON() ([]byte, error) { return json.Marshal(m.value) }

// A decoder converts plain JSON to the types of other decoders and of Go code.
type decoder struct{ *rand.Rand }

// decode returns the object of a case as the argument of Validate.
func (c testCase) decode() map[string]any {
	if c.object == nil {
		return nil
	}
	if c.decoding == 0 {
		return c.object.(map[string]any)
	}
	d := decoder{rand.New(rand.NewPCG(c.decoding, 0))}
	o := map[string]any{}
	for _, name := range sortedNames(c.object.(map[string]any)) {
		o[name] = d.value(c.object.(map[string]any)[name])
	}
	return o
}

func (d decoder) value(v any) any {
	if d.IntN(25) == 0 {
		return marshaler{v}
	}
	switch v := v.(type) {
	case map[string]any:
		return d.members(v)
	case []any:
		return d.items(v)
	case json.Number:
		return d.number(v)
	case string:
		switch d.IntN(8) {
		case 0:
			return namedString(v)
		case 1:
			return &v
		}
	case bool:
		if d.IntN(4) == 0 {
			return namedBool(v)
		}
	}
	return v
}

func (d decoder) members(o object) any {
	values := map[string]any{}
	strings, allStrings := map[string]string{}, true
	for _, name := range sortedNames(o) {
		values[name] = d.value(o[name])
		s, ok := o[name].(string)
		strings[name], allStrings = s, allStrings && ok
	}
	switch n := d.IntN(7); {
	case n < 2 && allStrings:
		return strings
	case n == 2:
		return namedMap(values)
	case n < 5:
		untyped := map[any]any{}
		for name, v := range values {
			if n, err := strconv.Atoi(name); err == nil {
				untyped[n] = v
			} else {
				untyped[name] = v
			}
		}
		return untyped
	case n == 5 && len(values) > 0:
		return structOf(values)
	}
	return values
}

var fieldName = regexp.MustCompile(`^[a-zA-Z0-9]+$`)

// structOf returns a pointer to a struct with the members as fields.
func structOf(values map[string]any) any {
	var fields []reflect.StructField
	for _, name := range sortedNames(values) {
		if !fieldName.MatchString(name) {
			return values
		}
		fields = append(fields, reflect.StructField{
			Name: "F" + name,
			Type: reflect.TypeFor[any](),
			Tag:  reflect.StructTag(`json:"` + name + `"`),
		})
	}
	s := reflect.New(reflect.StructOf(fields))
	for i, name := range sortedNames(values) {
		if values[name] != nil {
			s.Elem().Field(i).Set(reflect.ValueOf(values[name]))
		}
	}
	if holdsUntyped(reflect.ValueOf(values)) {
		return values // encoding/json refuses map[any]any
	}
	return s.Interface()
}

// holdsUntyped reports whether a value contains a map[any]any.
func holdsUntyped(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return !v.IsNil() && holdsUntyped(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if holdsUntyped(v.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.Interface {
			return true
		}
		for it := v.MapRange(); it.Next(); {
			if holdsUntyped(it.Value()) {
				return true
			}
		}
	}
	return false
}

func (d decoder) items(items []any) any {
	values := []any{}
	var strings []string
	var objects []map[string]any
	var numbers []int
	for _, item := range items {
		values = append(values, d.value(item))
		switch item := item.(type) {
		case string:
			strings = append(strings, item)
		case map[string]any:
			objects = append(objects, item)
		case json.Number:
			if n, err := strconv.Atoi(string(item)); err == nil && item != "-0" {
				numbers = append(numbers, n)
			}
		}
	}
	switch d.IntN(3) {
	case 0:
		return namedSlice(values)
	case 1:
		switch {
		case len(items) == 0:
		case len(strings) == len(items):
			return strings
		case len(objects) == len(items):
			return objects
		case len(numbers) == len(items):
			return numbers
		}
	}
	return values
}

func (d decoder) number(v json.Number) any {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		if f, err := v.Float64(); err == nil && d.IntN(2) == 0 {
			return f
		}
		return v
	}
	switch d.IntN(10) {
	case 0:
		return int(n)
	case 1:
		return namedInt(n)
	case 2:
		return float64(n)
	case 3:
		return float32(n)
	case 4:
		if n >= 0 && n < 256 {
			return uint8(n)
		}
	case 5:
		if n >= 0 {
			return uint64(n)
		}
	case 6:
		return &n
	case 7:
		if n == int64(int16(n)) {
			return int16(n)
		}
	}
	return v
}
