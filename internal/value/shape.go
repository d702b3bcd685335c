package value

import (
	"encoding/json"
	"reflect"

	"github.com/vmrules/vmrules/internal/meter"
)

// A Shape is the type of a value in JSON.
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

// Member returns the named member of an object, resolved. It returns false if v is not an
// object, has no such member, or the member is null.
func Member(v any, name string) (any, bool) {
	found := Resolve(RawMember(v, name))
	return found, found != nil
}

// RawMember is Member for a value that is not resolved; nil if there is none.
func RawMember(v any, name string) any {
	if m, ok := v.(map[string]any); ok {
		return m[name]
	}
	m := reflect.ValueOf(v)
	if !m.IsValid() || m.Kind() != reflect.Map {
		return nil
	}
	keyType := m.Type().Key()
	if keyType.Kind() != reflect.String {
		return memberByKey(m, name)
	}
	if value := m.MapIndex(reflect.ValueOf(name).Convert(keyType)); value.IsValid() {
		return value.Interface()
	}
	return nil
}

// At returns the value at a path of members; nil if there is none. If a value on the way is
// not readable, At returns that value: what would be there is not known.
func At(v any, names ...string) any {
	for _, name := range names {
		if !IsReadable(v) {
			return v
		}
		v, _ = Member(v, name)
	}
	return v
}

// StringAt returns the string at a path of members; "" if there is none.
func StringAt(v any, names ...string) string {
	s, _ := At(v, names...).(string)
	return s
}

// Len returns the number of items of an array; 0 if v is not an array.
func Len(v any) int {
	if list, ok := v.([]any); ok {
		return len(list)
	}
	if v == nil || ShapeOf(v) != Array {
		return 0
	}
	return reflect.ValueOf(v).Len()
}

// Item returns an item of an array, resolved; false if it is null.
func Item(v any, i int) (any, bool) {
	found := Resolve(RawItem(v, i))
	return found, found != nil
}

// RawItem is Item for a value that is not resolved.
func RawItem(v any, i int) any {
	if list, ok := v.([]any); ok {
		return list[i]
	}
	return addressed(reflect.ValueOf(v).Index(i))
}

// ChildrenCost returns the cost of looking at all members or items of a value, as a number of
// values of usual length. Maps of types that JSON decoders do not return take longer.
func ChildrenCost(v any) int {
	if _, ok := v.(map[string]any); !ok && ShapeOf(v) == Object {
		return meter.Times(ChildCount(v), 8)
	}
	return ChildCount(v)
}

// ChildCount returns how many members or items a value has.
func ChildCount(v any) int {
	if members, ok := v.(map[string]any); ok {
		return len(members)
	}
	if ShapeOf(v) == Object {
		return reflect.ValueOf(v).Len()
	}
	return Len(v)
}
