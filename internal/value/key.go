package value

import (
	"cmp"
	"encoding"
	"iter"
	"reflect"
	"slices"
	"strconv"

	"github.com/vmrules/vmrules/internal/quantity"
)

// Maps may have keys of any type: YAML decoders return map[any]any. This file finds the names
// of the members of such maps.

// nameOfKey returns the name of a key of a map, as encoding/json writes it. Keys of types that
// encoding/json refuses have the obvious name: 1.5, true, null. For a key that has no name in
// JSON, it returns the key's Go type and false.
func nameOfKey(key reflect.Value) (string, bool) {
	if key.Kind() == reflect.String { // comes before MarshalText
		return key.String(), true
	}
	if m, ok := key.Interface().(encoding.TextMarshaler); ok {
		return marshaledKey(m)
	}
	if key.Kind() == reflect.Interface {
		key = key.Elem()
	}
	switch {
	case !key.IsValid():
		return "null", true
	case key.Kind() == reflect.String:
		return key.String(), true
	case key.Kind() == reflect.Bool:
		return strconv.FormatBool(key.Bool()), true
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10), true
	case key.CanUint():
		return strconv.FormatUint(key.Uint(), 10), true
	case key.CanFloat():
		if n, err := quantity.FromFloat(key.Float(), key.Type().Bits()); err == nil {
			return n.String(), true
		}
	}
	return key.Type().String(), false
}

// marshaledKey is nameOfKey for a key with a MarshalText, which may panic like any method of a caller's.
func marshaledKey(key encoding.TextMarshaler) (name string, ok bool) {
	r := reflect.ValueOf(key)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		return "", true
	}
	defer func() {
		if recover() != nil {
			name, ok = r.Type().String(), false
		}
	}()
	text, err := key.MarshalText()
	if err != nil {
		return r.Type().String(), false
	}
	return string(text), true
}

// ByName converts an object whose keys are not strings to one whose keys are their names, so
// that its members are found quickly. It returns any other value unchanged.
func ByName(v any) any {
	if _, ok := v.(map[string]any); ok {
		return v
	}
	m := reflect.ValueOf(v)
	if !m.IsValid() || m.Kind() != reflect.Map || m.Type().Key().Kind() == reflect.String {
		return v
	}
	found := make(map[string]memberOf, m.Len())
	for next := range unsortedMembers(m) {
		if other, ok := found[next.name]; ok {
			next = next.or(other)
		}
		found[next.name] = next
	}
	named := make(map[string]any, len(found))
	for name, m := range found {
		named[name] = m.value
	}
	return named
}

// Names returns the sorted names of the members of an object; nil if v is not an object.
func Names(v any) []string {
	var names []string
	if named, ok := ByName(v).(map[string]any); ok {
		names = make([]string, 0, len(named))
		for name := range named {
			names = append(names, name)
		}
	} else if m := reflect.ValueOf(v); m.Kind() == reflect.Map {
		for _, key := range m.MapKeys() {
			names = append(names, key.String())
		}
	}
	slices.Sort(names)
	return names
}

// A memberOf is a member of a map, whose value is not resolved.
type memberOf struct {
	name       string
	value      any
	byString   bool // the key is a string
	isNameless bool // the key has no name in JSON; the name is that of its type
}

// unsortedMembers yields the members of a map of any type.
func unsortedMembers(m reflect.Value) iter.Seq[memberOf] {
	return func(yield func(memberOf) bool) {
		for entries := m.MapRange(); entries.Next(); {
			_, byString := entries.Key().Interface().(string)
			name, ok := nameOfKey(entries.Key())
			next := memberOf{name, entries.Value().Interface(), byString, !ok}
			if !ok {
				next.value = withoutJSON(m.Type().String())
			}
			if !yield(next) {
				return
			}
		}
	}
}

// or returns which of two members with the same name counts: the one whose key is a string.
// Other keys, such as 1 and 1.0, have no meaningful order: then the member has no JSON form,
// so that no rule is satisfied by chance.
func (m memberOf) or(other memberOf) memberOf {
	switch {
	case m.byString:
		return m
	case other.byString:
		return other
	}
	m.value = noJSON{what: "a member with two keys"}
	return m
}

// LookupCost returns the cost of finding a member by name, as a number of values to look at.
// It is 0 unless each key of the map must be looked at.
func LookupCost(v any, name string) int {
	switch v := v.(type) {
	case map[string]any:
		return 0
	case map[any]any:
		if _, ok := v[name]; ok {
			return 0
		}
		if HasOnlyStrings(v) {
			return len(v) / 64
		}
		return len(v)
	}
	if m := reflect.ValueOf(v); m.IsValid() && m.Kind() == reflect.Map && m.Type().Key().Kind() != reflect.String {
		return m.Len()
	}
	return 0
}

// memberByKey finds a member of a map whose keys are not strings. It looks at each key if it
// must. It returns nil if there is no such member, and a value without a JSON form if a key
// without a name might be that of the member.
func memberByKey(m reflect.Value, name string) any {
	if untyped, ok := m.Interface().(map[any]any); ok {
		found, ok := untyped[name]
		if ok || HasOnlyStrings(untyped) {
			return found
		}
	}
	var found, nameless *memberOf
	for next := range unsortedMembers(m) {
		switch {
		case next.isNameless:
			nameless = &next
		case next.name != name:
		case found == nil:
			found = &next
		default:
			*found = found.or(next)
		}
	}
	if found = cmp.Or(found, nameless); found == nil {
		return nil
	}
	return found.value
}

// HasOnlyStrings reports whether all keys of a map are strings.
func HasOnlyStrings(m map[any]any) bool {
	for key := range m {
		if _, ok := key.(string); !ok {
			return false
		}
	}
	return true
}
