package vmrules

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
)

// Objects come from many decoders and from Go code. This file is the one place
// that knows their types; everywhere else a value is what its JSON says.

// noJSON stands for a value that has no JSON form, such as a channel, NaN, or
// one whose MarshalJSON fails. It is there, and satisfies nothing.
type noJSON struct{ goType string }

// resolve returns v in one of the forms that the functions below understand:
// nil, a bool, a string, a json.Number, a Go number, noJSON, or a map or slice
// of any type. Pointers are followed; what only its own methods or its fields
// can turn into JSON is replaced by what that JSON says. A nil map or slice is
// nil, as it is null in JSON. What counts is what encoding/json writes of the
// value inside the object that it stands in.
func resolve(v any) any {
	switch typed := v.(type) {
	case nil, bool, string, json.Number, int, int64, uint64, float64:
		return v
	case map[string]any:
		if typed == nil {
			return nil
		}
		return v
	case []any:
		if typed == nil {
			return nil
		}
		return v
	}
	return resolveByType(v)
}

func resolveByType(v any) any {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		return nil
	}
	switch v.(type) {
	case noJSON:
		return v
	case json.Marshaler, encoding.TextMarshaler:
		return throughJSON(v)
	}
	switch r.Kind() {
	case reflect.Pointer:
		return resolvePointer(v, r.Elem())
	case reflect.Bool:
		return r.Bool()
	case reflect.String:
		return r.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return r.Uint()
	case reflect.Float32:
		return float32(r.Float())
	case reflect.Float64:
		return r.Float()
	case reflect.Slice:
		if r.IsNil() {
			return nil
		}
		if r.Type().Elem().Kind() == reflect.Uint8 {
			return throughJSON(v) // bytes are a base64 string in JSON
		}
		return v
	case reflect.Map:
		if r.IsNil() {
			return nil
		}
		return v
	case reflect.Array:
		return v
	}
	return throughJSON(v)
}

// resolvePointer follows a pointer. It is not followed to another one, since
// JSON's own encoder notices one that leads back to itself; nor to fields and
// items, on which that encoder finds methods of pointers only behind a pointer.
func resolvePointer(pointer any, to reflect.Value) any {
	switch to.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Array:
		return throughJSON(pointer)
	}
	return resolve(to.Interface())
}

// addressed returns an item or, where encoding/json would look for methods of
// pointers on it or inside it, a pointer to the item.
func addressed(item reflect.Value) any {
	switch item.Kind() {
	case reflect.Pointer, reflect.Interface:
		return item.Interface()
	}
	mayHaveMethods := item.Type().PkgPath() != "" || item.Kind() == reflect.Struct || item.Kind() == reflect.Array
	if mayHaveMethods && item.CanAddr() {
		return item.Addr().Interface()
	}
	return item.Interface()
}

// isThroughJSON reports whether resolve asks a value's own methods or fields for its
// JSON.
func isThroughJSON(v any) bool {
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Array:
		return true
	}
	return false
}

// throughJSON asks v's own methods or fields for its JSON.
func throughJSON(v any) (resolved any) {
	// The methods are the caller's, and may panic on a value that is half
	// built; that must not take a controller down.
	defer func() {
		if recover() != nil {
			resolved = noJSON{reflect.TypeOf(v).String()}
		}
	}()
	decoded, err := decodeJSON(v)
	if err != nil {
		return noJSON{reflect.TypeOf(v).String()}
	}
	return decoded
}

// decodeJSON encodes v and decodes it again, with every digit of its numbers.
func decodeJSON(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var decoded any
	err = decoder.Decode(&decoded)
	return decoded, err
}

// A shape is what JSON calls the type of a value.
type shape uint8

const (
	null shape = iota
	boolean
	text
	numeric
	array
	object
	unusable
)

func shapeOf(v any) shape {
	switch v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case string:
		return text
	case json.Number, int, int64, uint64, float32, float64:
		return numeric
	case map[string]any:
		return object
	case []any:
		return array
	case noJSON:
		return unusable
	}
	if reflect.TypeOf(v).Kind() == reflect.Map {
		return object
	}
	return array
}

// member returns the named member of an object; false where v is no object,
// has no such member, or has null there.
func member(v any, name string) (any, bool) {
	if m, ok := v.(map[string]any); ok {
		found := resolve(m[name])
		return found, found != nil
	}
	m := reflect.ValueOf(v)
	if !m.IsValid() || m.Kind() != reflect.Map {
		return nil, false
	}
	var found any
	if keyType := m.Type().Key(); keyType.Kind() != reflect.String {
		found = memberByKey(m, name)
	} else if value := m.MapIndex(reflect.ValueOf(name).Convert(keyType)); value.IsValid() {
		found = value.Interface()
	}
	found = resolve(found)
	return found, found != nil
}

// length is the number of items of an array; 0 where v is none.
func length(v any) int {
	if list, ok := v.([]any); ok {
		return len(list)
	}
	if v == nil || shapeOf(v) != array {
		return 0
	}
	return reflect.ValueOf(v).Len()
}

// item returns an item of an array; false where it is null.
func item(v any, i int) (any, bool) {
	var found any
	if list, ok := v.([]any); ok {
		found = resolve(list[i])
	} else {
		found = resolve(addressed(reflect.ValueOf(v).Index(i)))
	}
	return found, found != nil
}

// A scalar is a value that a rule can judge: a boolean, a string or a number.
type scalar struct {
	shape   shape
	numeral numeral
	text    string          // of a string; "true" or "false" of a boolean
	number  quantity.Number // of a number, and of a string that is read as a quantity
}

// A numeral is what is known of a scalar's number.
type numeral uint8

const (
	notRead  numeral = iota // of a string; a number is one
	isNumber                // the number is at hand
	noNumber                // a string is none
	tooLarge                // it is beyond the bounds
)

func numeralOf(err error) numeral {
	switch err {
	case nil:
		return isNumber
	case quantity.ErrNotNumber:
		return noNumber
	}
	return tooLarge
}

func (n numeral) err() error {
	switch n {
	case noNumber:
		return quantity.ErrNotNumber
	case tooLarge:
		return quantity.ErrRange
	}
	return nil
}

// err says why the scalar cannot be used: it is a number beyond the bounds.
func (s *scalar) err() error {
	if s.shape != numeric {
		return nil
	}
	return s.numeral.err()
}

// scalarOf returns false for arrays, objects, null and what has no JSON form.
func scalarOf(v any) (scalar, bool) {
	var s scalar
	ok := s.set(v)
	return s, ok
}

// set makes s the scalar that v is. It returns false where v is none, and
// leaves the number alone where v has none.
func (s *scalar) set(v any) bool {
	s.numeral = notRead
	switch v := v.(type) {
	case string:
		s.shape, s.text = text, v
		return true
	case bool:
		s.shape, s.text = boolean, strconv.FormatBool(v)
		return true
	}
	n, err := numberOf(v)
	s.shape, s.text, s.number, s.numeral = numeric, "", n, numeralOf(err)
	return err != quantity.ErrNotNumber
}

// numberOf is the number that v is.
func numberOf(v any) (quantity.Number, error) {
	switch v := v.(type) {
	case int:
		return quantity.FromInt(int64(v)), nil
	case int64:
		return quantity.FromInt(v), nil
	case uint64:
		return quantity.FromUint(v), nil
	case float32:
		return quantity.FromFloat(float64(v), 32)
	case float64:
		return quantity.FromFloat(v, 64)
	case json.Number:
		if v == "" {
			return quantity.Number{}, nil // which encoding/json writes as 0
		}
		return quantity.ParseJSON(string(v))
	}
	return quantity.Number{}, quantity.ErrNotNumber
}

// String renders the scalar as a string, as the kinds enum and regex and the
// lengths see it.
func (s *scalar) String() string {
	if s.shape == numeric {
		return s.number.String()
	}
	return s.text
}

// quantity reads the scalar as a number: a JSON number, or a string that is a
// Kubernetes quantity.
func (s *scalar) quantity() (quantity.Number, error) {
	switch {
	case s.shape == boolean:
		return quantity.Number{}, quantity.ErrNotNumber
	case s.shape == text && s.numeral == notRead:
		return quantity.Parse(s.text)
	}
	return s.number, s.numeral.err()
}

// readQuantity remembers what quantity finds, for a value that several
// constraints compare.
func (s *scalar) readQuantity() {
	if s.shape == text && s.numeral == notRead {
		n, err := quantity.Parse(s.text)
		s.number, s.numeral = n, numeralOf(err)
	}
}

// size is what a value costs to look at, in values of usual length. To write out
// the digits of a large number takes longer than a text does.
func (s *scalar) size() int {
	if s.shape == numeric {
		return 1 + s.number.Digits()/5
	}
	return 1 + len(s.text)/100
}

// renderedSize is how many bytes it takes to render the value as a string; none
// where it is one.
func (s *scalar) renderedSize() int {
	if s.shape != numeric {
		return 0
	}
	return quantity.UsualSize + s.number.Digits()
}

// lookWork is how many values it takes as long to look at the members or items of
// a value as at these. Maps of other types than decoders of JSON give take longer.
func lookWork(v any) int {
	if shapeOf(v) != object {
		return childCount(v)
	}
	if _, ok := v.(map[string]any); ok {
		return childCount(v)
	}
	return meter.Times(childCount(v), 8)
}

// childCount is how many members or items a value has.
func childCount(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	switch shapeOf(v) {
	case array, object:
		return reflect.ValueOf(v).Len()
	}
	return 0
}

// value is the scalar as reports show it, whatever type it came in; nil for a
// number beyond the bounds.
func (s *scalar) value() any {
	switch {
	case s.err() != nil:
		return nil
	case s.shape == numeric:
		return json.Number(s.number.String())
	case s.shape == boolean:
		return s.text == "true"
	}
	return s.text
}

// reported is a resolved value as reports show it; nil for what is no scalar.
func reported(v any) any {
	switch v.(type) {
	case string, bool:
		return v
	}
	if s, ok := scalarOf(v); ok {
		return s.value()
	}
	return nil
}
