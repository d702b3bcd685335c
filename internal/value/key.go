package value

import (
	"encoding"
	"iter"
	"reflect"
	"slices"
	"strconv"

	"github.com/vmrules/vmrules/internal/quantity"
)

// Maps may have keys of any type: YAML decoders give map[any]any. This file knows
// the names of the members of such maps.

// nameOfKey returns the name of a key of a map, as encoding/json writes it. Types
// that encoding/json refuses as keys have the name that fits: 1.5, true, null.
// It returns the key's Go type and false for a key that JSON has no name for.
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

// marshaledKey is nameOfKey for a key that has MarshalText, which may panic as any
// method of the caller's.
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

// ByName returns an object whose keys are not strings as one whose keys are their
// names, so that all its members are found at once; any other value as it is.
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

// Names returns the names of the members of an object, sorted; nil where v is not
// an object.
func Names(v any) []string {
	var names []string
	switch v := ByName(v).(type) {
	case map[string]any:
		names = make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
	default:
		m := reflect.ValueOf(v)
		if !m.IsValid() || m.Kind() != reflect.Map {
			return nil
		}
		for _, key := range m.MapKeys() {
			names = append(names, key.String())
		}
	}
	slices.Sort(names)
	return names
}

// A memberOf a map has its value as the map holds it, not resolved.
type memberOf struct {
	name     string
	value    any
	byString bool // the key is a string, and not only named like one
}

// unsortedMembers yields the members of a map of any type.
func unsortedMembers(m reflect.Value) iter.Seq[memberOf] {
	return func(yield func(memberOf) bool) {
		for entries := m.MapRange(); entries.Next(); {
			_, byString := entries.Key().Interface().(string)
			name, ok := nameOfKey(entries.Key())
			next := memberOf{name, entries.Value().Interface(), byString}
			if !ok {
				next.value = noJSON{m.Type().String()}
			}
			if !yield(next) {
				return
			}
		}
	}
}

// or returns the one of two members with the same name that counts: the one
// whose key is a string. No order among other keys, such as 1 and 1.0, means
// anything: then the member has no JSON form, so that no rule passes by chance.
func (m memberOf) or(other memberOf) memberOf {
	switch {
	case m.byString:
		return m
	case other.byString:
		return other
	}
	m.value = noJSON{"member with two keys"}
	return m
}

// LookupCost returns what finding a member by name costs, in values looked at. It is
// 0 except in a map in which each key has to be looked at.
func LookupCost(v any, name string) int {
	switch v := v.(type) {
	case map[string]any:
		return 0
	case map[any]any:
		if _, ok := v[name]; ok {
			return 0
		}
		if hasOnlyStrings(v) {
			return len(v) / 64
		}
		return len(v)
	}
	if m := reflect.ValueOf(v); m.IsValid() && m.Kind() == reflect.Map && m.Type().Key().Kind() != reflect.String {
		return m.Len()
	}
	return 0
}

// memberByKey finds a member of a map whose keys are not of a string type, by
// looking at each of them if it has to; nil where there is none.
func memberByKey(m reflect.Value, name string) any {
	if untyped, ok := m.Interface().(map[any]any); ok {
		found, ok := untyped[name]
		if ok || hasOnlyStrings(untyped) {
			return found
		}
	}
	var found *memberOf
	for next := range unsortedMembers(m) {
		switch {
		case next.name != name:
		case found == nil:
			found = &next
		default:
			*found = found.or(next)
		}
	}
	if found == nil {
		return nil
	}
	return found.value
}

func hasOnlyStrings(m map[any]any) bool {
	for key := range m {
		if _, ok := key.(string); !ok {
			return false
		}
	}
	return true
}
