package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
)

// CheckRaw returns an error that says where a json.RawMessage is not JSON; nil for any
// other value.
func CheckRaw(v any) error {
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
