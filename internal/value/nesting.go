package value

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"sync"
)

// maxEncoded is the largest number of values that encoding/json may have to write for one
// value. A Go object may hold the same part many times, each of which doubles what is written.
const maxEncoded = 2_000_000

var errTooLarge = errors.New("the object holds more than 2,000,000 values")

// checkNesting returns an error if encoding/json should not be asked to write a value: it
// would follow a value of millions of levels until no stack is left, which nothing can stop.
func checkNesting(v any) error {
	n := nesting{}
	n.follow(v, 0)
	return n.err
}

// A nesting follows a value as encoding/json does.
type nesting struct {
	values int
	err    error
}

// isWithin counts a value at a depth, and reports whether to follow it.
func (n *nesting) isWithin(depth int) bool {
	n.values++
	switch {
	case n.err != nil:
	case depth > MaxDepth:
		n.err = ErrTooDeep
	case n.values > maxEncoded:
		n.err = errTooLarge
	}
	return n.err == nil
}

func (n *nesting) follow(v any, depth int) {
	switch v := v.(type) {
	case nil, bool, string, json.Number, int, int64, uint64, float64:
	case map[string]any:
		if n.isWithin(depth) {
			for _, next := range v {
				n.follow(next, depth+1)
			}
		}
	case []any:
		if n.isWithin(depth) {
			for _, next := range v {
				n.follow(next, depth+1)
			}
		}
	default:
		n.followAny(reflect.ValueOf(v), depth)
	}
}

// followAny is follow for any type. Pointers are not levels, but each may point to the next.
func (n *nesting) followAny(v reflect.Value, depth int) {
	for hops := 0; v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface; hops++ {
		if v.IsNil() || encodingOf(v.Type()).isLeaf || !n.isWithin(hops) {
			return
		}
		v = v.Elem()
	}
	if v.Type() == reflect.TypeFor[map[string]any]() && v.CanInterface() {
		n.follow(v.Interface(), depth) // faster
		return
	}
	t := encodingOf(v.Type())
	if t.isLeaf || t.isLeafByPointer && v.CanAddr() || !n.isWithin(depth) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, i := range t.fields {
			n.followAny(v.Field(i), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			n.followAny(v.Index(i), depth+1)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			n.followAny(entries.Value(), depth+1)
		}
	}
}

// A typeEncoding says what encoding/json follows in values of a type.
type typeEncoding struct {
	isLeaf          bool // nothing
	isLeafByPointer bool // nothing, if it can take the value's address
	fields          []int
}

// typeEncodings has the typeEncoding of each reflect.Type that was seen.
var typeEncodings sync.Map

func encodingOf(t reflect.Type) *typeEncoding {
	if known, ok := typeEncodings.Load(t); ok {
		return known.(*typeEncoding)
	}
	made := &typeEncoding{isLeaf: isWrittenWhole(t), isLeafByPointer: isWrittenWhole(reflect.PointerTo(t))}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			f := t.Field(i)
			if (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" && !isWrittenWhole(f.Type) {
				made.fields = append(made.fields, i)
			}
		}
	}
	typeEncodings.Store(t, made)
	return made
}

// isWrittenWhole reports whether values of a type are scalars, hold only scalars, or write themselves.
func isWrittenWhole(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return writesItself(t) || isScalar(t.Elem())
	}
	return isScalar(t)
}

func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		return writesItself(t)
	}
	return true
}

func writesItself(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}
