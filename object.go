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

// ParseObject reads the text of a JSON object into the form that Validate takes,
// with every digit of its numbers, which are json.Numbers. The text holds one object
// and nothing else.
//
// Where decoders differ about what a text says, it is refused: a key that is given
// twice in one object, half of a surrogate pair, bytes that are not UTF-8. So is a
// text of more than 1,000 levels. An error names the line and column of each problem
// and what would be right.
//
// The length of the text is up to the caller: reading takes time in proportion to it,
// and at worst about 100 bytes of memory for each of its bytes.
func ParseObject(text []byte) (map[string]any, error) {
	format := jsontext.Format{Name: "the object", Root: "a JSON object", MaxItems: math.MaxInt, MaxDepth: value.MaxDepth, Plain: true}
	unlimited := meter.New(math.MaxInt, math.MaxInt)
	root, wrong := jsontext.Read(string(text), format, &unlimited)
	if len(wrong) > 0 {
		return nil, placed(wrong, string(text))
	}
	object, ok := root.Value.(map[string]any)
	if !ok {
		message := "a JSON object { … } is expected, not " + describeNode(root)
		return nil, placed([]jsontext.Error{{Offset: root.Start, Message: message}}, string(text))
	}
	return object, nil
}

// placed makes one error of all that is wrong with a text, each with its place.
func placed(wrong []jsontext.Error, text string) error {
	slices.SortStableFunc(wrong, func(a, b jsontext.Error) int { return a.Offset - b.Offset })
	all := make([]error, 0, len(wrong))
	c := jsontext.NewCursor(text)
	for _, e := range wrong {
		line, column := c.MoveTo(e.Offset)
		all = append(all, fmt.Errorf("line %d, column %d: %s", line, column, value.OneLine(e.Message)))
	}
	return errors.New(listed("the text cannot be used as an object", all))
}
