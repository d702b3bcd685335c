package output

import (
	"encoding/json"
	"io"
)

// JSON writes anything as indented JSON.
func JSON[T any](w io.Writer, v T) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
