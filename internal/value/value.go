// Package value knows the values that decoders and Go code give: maps, slices and
// scalars of many types, pointers, structs, and types with a MarshalJSON. A value is
// what its JSON says, whatever Go type holds it, and nothing outside this package
// has to know these types.
//
// [Resolve] comes first: functions that look at a value take a resolved one, as
// [Member] and [Item] return it. [ShapeOf] returns its type in JSON, and [ScalarOf]
// the string, boolean or number that it is. [Plain] converts a value with all that
// is in it to the types of Kubernetes' unstructured objects. [Describe], [Quoted]
// and [OneLine] show values to people.
//
// Values are hostile input. What looking at one costs is known before it is done,
// and methods of the caller's types may panic.
package value

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
)

// noJSON stands for a value that has no JSON form, such as a channel, NaN, or
// one whose MarshalJSON fails. It is there, and satisfies nothing.
type noJSON struct{ goType string }

// Resolve returns v in one of the forms that the other functions understand: nil, a
// bool, a string, a json.Number, a Go number, a map or slice of any type, or a
// stand-in for a value that has no JSON form. Pointers are followed; a value that
// only its own methods or fields can turn into JSON is replaced by what that JSON
// says. A nil map or slice is nil, as it is null in JSON. What counts is what
// encoding/json writes of the value inside the object that holds it.
func Resolve(v any) any {
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
		return encoded(v)
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
			return encoded(v) // bytes are a base64 string in JSON
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
	return encoded(v)
}

// resolvePointer follows a pointer. It is not followed to another one, since
// JSON's own encoder notices one that leads back to itself; nor to fields and
// items, on which that encoder finds methods of pointers only behind a pointer.
func resolvePointer(pointer any, to reflect.Value) any {
	switch to.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Array:
		return encoded(pointer)
	}
	return Resolve(to.Interface())
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

// IsEncoded reports whether Resolve asks a value's own methods or fields for its
// JSON, which takes longer and makes a copy.
func IsEncoded(v any) bool {
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

// encoded returns what v's own methods or fields say in JSON.
func encoded(v any) (resolved any) {
	// The methods are the caller's, and may panic on a value that is half
	// built; that must not take a controller down.
	defer func() {
		if recover() != nil {
			resolved = noJSON{reflect.TypeOf(v).String()}
		}
	}()
	decoded, err := ThroughJSON(v)
	if err != nil {
		return noJSON{reflect.TypeOf(v).String()}
	}
	return decoded
}

// ThroughJSON encodes v and decodes it again, with every digit of its numbers.
func ThroughJSON(v any) (any, error) {
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

// A Shape is what JSON calls the type of a value.
type Shape uint8

// The shapes.
const (
	Null Shape = iota
	Boolean
	String
	Number
	Array
	Object
	NotJSON // a value that has no JSON form, such as a channel or NaN
)

// ShapeOf returns the shape of a resolved value.
func ShapeOf(v any) Shape {
	switch v.(type) {
	case nil:
		return Null
	case bool:
		return Boolean
	case string:
		return String
	case json.Number, int, int64, uint64, float32, float64:
		return Number
	case map[string]any:
		return Object
	case []any:
		return Array
	case noJSON:
		return NotJSON
	}
	if reflect.TypeOf(v).Kind() == reflect.Map {
		return Object
	}
	return Array
}

// Member returns the named member of an object, resolved. It returns false where v
// is not an object, has no such member, or has null there.
func Member(v any, name string) (any, bool) {
	if m, ok := v.(map[string]any); ok {
		found := Resolve(m[name])
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
	found = Resolve(found)
	return found, found != nil
}

// Len returns the number of items of an array; 0 where v is not an array.
func Len(v any) int {
	if list, ok := v.([]any); ok {
		return len(list)
	}
	if v == nil || ShapeOf(v) != Array {
		return 0
	}
	return reflect.ValueOf(v).Len()
}

// Item returns an item of an array, resolved; false where it is null.
func Item(v any, i int) (any, bool) {
	var found any
	if list, ok := v.([]any); ok {
		found = Resolve(list[i])
	} else {
		found = Resolve(addressed(reflect.ValueOf(v).Index(i)))
	}
	return found, found != nil
}

// ChildrenCost returns what looking at all members or items of a value costs, in
// values of usual length. Maps take longer where a decoder of JSON would not give
// their type.
func ChildrenCost(v any) int {
	if ShapeOf(v) != Object {
		return ChildCount(v)
	}
	if _, ok := v.(map[string]any); ok {
		return ChildCount(v)
	}
	return meter.Times(ChildCount(v), 8)
}

// ChildCount returns how many members or items a value has.
func ChildCount(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	switch ShapeOf(v) {
	case Array, Object:
		return reflect.ValueOf(v).Len()
	}
	return 0
}

// A Scalar is a boolean, a string or a number. The zero Scalar is none of these.
type Scalar struct {
	shape   Shape
	numeral numeral
	text    string          // of a string; "true" or "false" of a boolean
	number  quantity.Number // of a number, and of a string that is read as a quantity
}

// A numeral is what is known of a Scalar's number.
type numeral uint8

const (
	notRead  numeral = iota // a string may be a quantity
	isNumber                // the number is at hand
	noNumber                // a string is not a quantity
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

// Shape returns Boolean, String or Number.
func (s *Scalar) Shape() Shape { return s.shape }

// Text returns a string as it is, and a boolean rendered; "" for a number.
func (s *Scalar) Text() string { return s.text }

// Number returns the number of a scalar that has the shape Number and no Err.
func (s *Scalar) Number() quantity.Number { return s.number }

// Err returns why the scalar cannot be used: it is a number beyond the bounds.
func (s *Scalar) Err() error {
	if s.shape != Number {
		return nil
	}
	return s.numeral.err()
}

// FromString returns a string as a Scalar.
func FromString(s string) Scalar { return Scalar{shape: String, text: s} }

// FromBool returns a boolean as a Scalar.
func FromBool(b bool) Scalar { return Scalar{shape: Boolean, text: strconv.FormatBool(b)} }

// FromNumber returns a number as a Scalar.
func FromNumber(n quantity.Number) Scalar { return Scalar{shape: Number, numeral: isNumber, number: n} }

// ScalarOf returns the scalar that a resolved value is. It returns false for an
// array, an object, null, and a value that has no JSON form.
func ScalarOf(v any) (Scalar, bool) {
	var s Scalar
	ok := s.Set(v)
	return s, ok
}

// Set makes s the scalar that a resolved value is, as ScalarOf returns it. It does
// not clear the number of a string or boolean, which nothing reads.
func (s *Scalar) Set(v any) bool {
	s.numeral = notRead
	switch v := v.(type) {
	case string:
		s.shape, s.text = String, v
		return true
	case bool:
		s.shape, s.text = Boolean, strconv.FormatBool(v)
		return true
	}
	n, err := numberOf(v)
	s.shape, s.text, s.number, s.numeral = Number, "", n, numeralOf(err)
	return err != quantity.ErrNotNumber
}

// numberOf returns the number that a resolved value is.
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

// String renders the scalar as a string: a string is itself, a number is in plain
// decimal notation, a boolean is "true" or "false".
func (s *Scalar) String() string {
	if s.shape == Number {
		return s.number.String()
	}
	return s.text
}

// Quantity reads the scalar as a number: a JSON number, or a string that is a
// Kubernetes quantity. It returns quantity.ErrNotNumber for any other scalar.
func (s *Scalar) Quantity() (quantity.Number, error) {
	switch {
	case s.shape == Boolean:
		return quantity.Number{}, quantity.ErrNotNumber
	case s.shape == String && s.numeral == notRead:
		return quantity.Parse(s.text)
	}
	return s.number, s.numeral.err()
}

// ReadQuantity remembers what Quantity returns, for a value that is compared
// several times.
func (s *Scalar) ReadQuantity() {
	if s.shape == String && s.numeral == notRead {
		n, err := quantity.Parse(s.text)
		s.number, s.numeral = n, numeralOf(err)
	}
}

// Length returns the length of the rendered scalar, in code points.
func (s *Scalar) Length() int {
	if s.shape != Number {
		return utf8.RuneCountInString(s.text)
	}
	return len(s.number.AppendTo(make([]byte, 0, quantity.UsualSize)))
}

// Cost returns what looking at the scalar costs, in values of usual length. Writing
// out the digits of a large number takes longer than reading a text.
func (s *Scalar) Cost() int {
	if s.shape == Number {
		return 1 + s.number.Digits()/5
	}
	return 1 + len(s.text)/100
}

// RenderedSize returns how many bytes rendering the scalar takes; 0 where no new
// string is made.
func (s *Scalar) RenderedSize() int {
	if s.shape != Number {
		return 0
	}
	return quantity.UsualSize + s.number.Digits()
}

// Canonical returns the scalar as a string, a bool or a json.Number in plain
// decimal notation, whatever type it came in; nil for a number beyond the bounds.
func (s *Scalar) Canonical() any {
	switch {
	case s.Err() != nil:
		return nil
	case s.shape == Number:
		return json.Number(s.number.String())
	case s.shape == Boolean:
		return s.text == "true"
	}
	return s.text
}

// Canonical returns the Canonical of the scalar that a resolved value is; nil where
// it is not a scalar.
func Canonical(v any) any {
	switch v.(type) {
	case string, bool:
		return v
	}
	if s, ok := ScalarOf(v); ok {
		return s.Canonical()
	}
	return nil
}
