package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// ReadObject reads a text that holds one JSON object and nothing else. The error has everything that is
// wrong with it, each with its line and column.
func ReadObject(text string) (map[string]any, error) {
	format := Format{Name: "the object", Root: "a JSON object", MaxItems: math.MaxInt, MaxDepth: value.MaxDepth, Plain: true}
	unlimited := meter.New(math.MaxInt, math.MaxInt)
	root, wrong := Read(text, format, &unlimited)
	if len(wrong) > 0 {
		return nil, placed(wrong, text)
	}
	object, ok := root.Value.(map[string]any)
	if !ok {
		return nil, placed([]Error{{Offset: root.Start, Message: root.Describe() + " is not an object { … }"}}, text)
	}
	return object, nil
}

// placed returns one error for everything that is wrong with a text.
func placed(wrong []Error, text string) error {
	slices.SortStableFunc(wrong, func(a, b Error) int { return a.Offset - b.Offset })
	all := make([]error, 0, len(wrong))
	c := NewCursor(text)
	for _, e := range wrong {
		line, column := c.MoveTo(e.Offset)
		all = append(all, fmt.Errorf("line %d, column %d: %s", line, column, value.OneLine(e.Message)))
	}
	return errors.New(value.ErrorList("the text cannot be used as an object", all))
}

// ObjectOf returns what JSON makes of a value, which must be an object. It recovers if a method of the
// value panics, as one may that is only half built.
func ObjectOf(v any) (object map[string]any, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			object, err = nil, fmt.Errorf("%T has no JSON form: writing it panics: %s", v, value.Shortened(fmt.Sprint(failure)))
		}
	}()
	if err := checkRaw(v); err != nil {
		return nil, err
	}
	text, err := value.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("%T has no JSON form: %w", v, err)
	}
	if len(text) < 2_000_000 { // with fewer values than ThroughJSON allows, which takes longer for the same result
		if object, err := ReadObject(text); err == nil {
			return object, nil
		}
	}
	decoded, err := value.ThroughJSON(json.RawMessage(text))
	if err != nil {
		return nil, fmt.Errorf("%T has no JSON form: %w", v, err)
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is %s in JSON, not an object (for JSON text, pass a json.RawMessage)", v, value.Describe(decoded))
	}
	return object, nil
}

// Writable returns a value that JSON can write: the value itself, the text of a number that is none, or
// nil.
func Writable(v any) any {
	_, err := json.Marshal(v)
	number, isNumber := v.(json.Number)
	switch {
	case isNumber && (err != nil || number == ""):
		return string(number)
	case err != nil:
		return nil
	}
	return v
}

// checkRaw returns an error that says where a json.RawMessage is not JSON; nil for any other value.
func checkRaw(v any) error {
	text, ok := v.(json.RawMessage)
	if pointer, isPointer := v.(*json.RawMessage); isPointer && pointer != nil {
		text, ok = *pointer, true
	}
	if !ok || text == nil { // null
		return nil
	}
	var read json.RawMessage
	err := json.Unmarshal(text, &read)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	cursor := NewCursor(string(text))
	line, column := cursor.MoveTo(max(int(syntax.Offset)-1, 0)) // the byte that is wrong
	return fmt.Errorf("the text is not JSON: line %d, column %d: %w", line, column, err)
}
