package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/vmrules/vmrules/internal/value"
)

// CheckKeys returns an error for keys in a JSON text that encoding/json does not distinguish: it
// takes the last of several keys, in any letter case. The keys that are known are those of a
// struct, or of the structs in a slice; of any other type, none are.
func CheckKeys(text []byte, t reflect.Type) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // any number is allowed here
	return checkKeys(d, t)
}

// checkKeys checks the keys in the next value.
func checkKeys(d *json.Decoder, t reflect.Type) error {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	token, err := d.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		of := t
		if token == json.Delim('{') {
			key, _ := d.Token()
			name, _ := key.(string)
			if of, err = typeOfKey(t, name); err != nil {
				return err
			}
			if seen[name] {
				return fmt.Errorf("the key %s is given twice in one object", value.Quoted(name))
			}
			seen[name] = true
		}
		if err := checkKeys(d, of); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// typeOfKey returns the type of the member of a struct that JSON writes with a key; nil if
// there is none. It is an error if the key has only the letters of one.
func typeOfKey(t reflect.Type, key string) (reflect.Type, error) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		switch {
		case name == key:
			return t.Field(i).Type, nil
		case strings.EqualFold(name, key):
			return nil, fmt.Errorf("the key %s has to be written %q", value.Quoted(key), name)
		}
	}
	return nil, nil
}
