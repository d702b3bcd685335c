package vmrules

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// ParseObject reads the text of a JSON object into the form that Validate takes. Numbers
// become json.Numbers, which keep every digit. The text must hold one object and nothing
// else.
//
// ParseObject refuses what different decoders read differently: a key that appears twice in
// one object, half of a surrogate pair, and bytes that are not UTF-8. It also refuses more
// than 1,000 levels. An error gives the line and column of each problem, and says what
// would be right.
//
// The caller limits the length of the text. Reading takes time in proportion to the length,
// and at most about 100 bytes of memory for each byte.
func ParseObject(text []byte) (map[string]any, error) {
	format := jsontext.Format{Name: "the object", Root: "a JSON object", MaxItems: math.MaxInt, MaxDepth: value.MaxDepth, Plain: true}
	unlimited := meter.New(math.MaxInt, math.MaxInt)
	root, wrong := jsontext.Read(string(text), format, &unlimited)
	if len(wrong) > 0 {
		return nil, placed(wrong, string(text))
	}
	object, ok := root.Value.(map[string]any)
	if !ok {
		message := describeNode(root) + " is not an object { … }"
		return nil, placed([]jsontext.Error{{Offset: root.Start, Message: message}}, string(text))
	}
	return object, nil
}

// placed returns one error for everything that is wrong with a text, each with its line
// and column.
func placed(wrong []jsontext.Error, text string) error {
	slices.SortStableFunc(wrong, func(a, b jsontext.Error) int { return a.Offset - b.Offset })
	all := make([]error, 0, len(wrong))
	c := jsontext.NewCursor(text)
	for _, e := range wrong {
		line, column := c.MoveTo(e.Offset)
		all = append(all, fmt.Errorf("line %d, column %d: %s", line, column, value.OneLine(e.Message)))
	}
	return errors.New(value.ErrorList("the text cannot be used as an object", all))
}

// ToObject turns a typed VM, or any other value that JSON writes as an object, into the form
// that Validate takes. Numbers keep every digit. Pass JSON text as a json.RawMessage. If a
// key appears twice in the text, the last one counts; ParseObject refuses such a text.
func ToObject(v any) (object map[string]any, err error) {
	// The methods of v belong to the caller, and may panic if v is only half built.
	defer func() {
		if failure := recover(); failure != nil {
			object, err = nil, fmt.Errorf("%T has no JSON form: writing it panics: %s", v, value.Shortened(fmt.Sprint(failure)))
		}
	}()
	if err := jsontext.CheckRaw(v); err != nil {
		return nil, err
	}
	decoded, err := value.ThroughJSON(v)
	if err != nil {
		return nil, fmt.Errorf("%T has no JSON form: %w", v, err)
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is %s in JSON, not an object (for JSON text, pass a json.RawMessage)", v, value.Describe(decoded))
	}
	return object, nil
}
