// Package value reads the values that decoders and Go code produce: maps, slices and scalars
// of many types, pointers, structs, and types with a MarshalJSON. A value is what its JSON
// says, whatever its Go type. Code outside this package need not know these types.
//
// Call [Resolve] first: functions that look at a value take a resolved one. [Member] and
// [Item] return resolved values. [ShapeOf] returns the JSON type of a value, and [ScalarOf]
// the string, boolean or number that it is. [Plain] converts a value and everything in it to
// the types of Kubernetes' unstructured objects. [Describe], [Quoted] and [OneLine] show
// values to people.
//
// Values are hostile input. The cost of looking at one is known before it is done, and
// methods of the caller's types may panic.
package value

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"github.com/vmrules/vmrules/internal/quantity"
)

// noJSON represents a value that has no JSON form, such as a channel, or a value whose
// MarshalJSON fails. Nobody knows what its author meant to be there.
type noJSON struct {
	what   string // such as "a chan int without a JSON form"
	values int    // how many values were looked at to find out
}

func withoutJSON(goType string) noJSON { return noJSON{what: "a " + goType + " without a JSON form"} }

// CostOfReading returns what it cost to find out that a value is not readable, as a number of
// values to look at; 0 if it is readable, or if that was obvious.
func CostOfReading(v any) int {
	none, _ := v.(noJSON)
	return none.values
}

// IsReadable reports whether a resolved value has a JSON form. Besides the values for which
// Resolve returns a placeholder, NaN, infinities and a json.Number that is not a number have
// none.
func IsReadable(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, int, int64, uint64, map[string]any, []any:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case float32:
		return IsReadable(float64(v))
	case json.Number:
		_, err := numberOf(v)
		return err != quantity.ErrNotNumber
	case noJSON:
		return false
	}
	return true
}

// Resolve returns v in one of the forms that the other functions understand: nil, a bool, a
// string, a json.Number, a Go number, a map or slice of any type, or a placeholder for a
// value that has no JSON form, which [IsReadable] recognizes. It follows pointers. A value
// that only its own methods or fields can turn into JSON is replaced by what that JSON says.
// A nil map or slice becomes nil, since its JSON is null. The result always agrees with what
// encoding/json writes for the value inside its object.
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
	case reflect.Slice, reflect.Map:
		if r.IsNil() {
			return nil
		}
		if r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8 {
			return encoded(v) // bytes are a base64 string in JSON
		}
		return v
	case reflect.Array:
		return v
	}
	return encoded(v)
}

// resolvePointer follows a pointer, but not to another pointer: the JSON encoder detects
// pointers that refer to themselves. Nor does it follow one to fields and items, on which
// the encoder finds pointer methods only through a pointer.
func resolvePointer(pointer any, to reflect.Value) any {
	switch to.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Array:
		return encoded(pointer)
	}
	return Resolve(to.Interface())
}

// addressed returns an item or, if encoding/json would look for pointer methods on it or
// inside it, a pointer to the item.
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

// encoded returns the value of the JSON that v's own methods or fields produce.
func encoded(v any) (resolved any) {
	n := nesting{}
	n.follow(v, 0)
	none := func() noJSON {
		none := withoutJSON(reflect.TypeOf(v).String())
		none.values = n.values
		return none
	}
	if n.err != nil {
		return none()
	}
	// The methods are the caller's, and may panic on a value that is half
	// built; that must not take a controller down.
	defer func() {
		if recover() != nil {
			resolved = none()
		}
	}()
	text, _ := json.Marshal(v)
	decoded, err := decode(string(text)) // fails without a text
	if err != nil {
		return none()
	}
	return decoded
}

// ThroughJSON encodes v and decodes it again, with every digit of its numbers. It returns
// ErrTooDeep for a value of more than MaxDepth levels.
func ThroughJSON(v any) (any, error) {
	text, err := Encode(v)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// Encode returns the text that ThroughJSON decodes, or its error.
func Encode(v any) (string, error) {
	if err := checkNesting(v); err != nil {
		return "", err
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // it takes long, and is undone
	err := encoder.Encode(v)
	return text.String(), err
}

func decode(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return nil, err
	}
	return decoded, checkNesting(decoded) // a method may have written more levels
}

// Strings returns a list of strings as []string, and any other list as it is.
func Strings(list []any) any {
	all := make([]string, 0, len(list))
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return list
		}
		all = append(all, s)
	}
	return all
}

// NamedIn lists the lists whose items keep their identity if their index changes.
var NamedIn = map[string]bool{"disks": true, "volumes": true, "interfaces": true, "networks": true}
