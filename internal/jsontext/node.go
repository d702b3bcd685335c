package jsontext

import (
	"bytes"
	"encoding/json"

	"github.com/vmrules/vmrules/internal/value"
)

// A Node is a JSON value and its place in the text. The zero Node means that there is no
// value: it is missing or could not be read.
type Node struct {
	Start, End int      // bytes
	Value      any      // string, json.Number, bool, nil, or the json.Delim { or [; see Format.Plain and Raw
	Members    []Member // the members of an object, in the order of the text
	Items      []Node   // the items of an array
}

// A Member is a key of an object and its value.
type Member struct {
	Key   string
	Start int // the offset of the key, in bytes
	Value Node
}

// IsZero reports whether n has no value. A null is a value.
func (n Node) IsZero() bool { return n.End == 0 }

// Member returns the value of the first member with a key, and reports whether it exists and
// is not null. It also returns the Node of a null.
func (n Node) Member(key string) (Node, bool) {
	for i := range n.Members {
		if m := &n.Members[i]; m.Key == key {
			return m.Value, m.Value.Value != nil
		}
	}
	return Node{}, false
}

// Describe describes n, as value.Describe does.
func (n Node) Describe() string {
	switch n.Value {
	case nil:
		return "null"
	case "":
		return "empty"
	case json.Delim('['):
		return "an array"
	case json.Delim('{'):
		return "an object"
	}
	return value.Describe(n.Value)
}

// Raw returns n as JSON without blanks: numbers as written, strings with the
// escapes of Marshal. A Node that was not read may have other values that JSON can write.
func (n Node) Raw() json.RawMessage {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n Node) write(b *bytes.Buffer) {
	switch n.Value {
	case json.Delim('['):
		b.WriteByte('[')
		for i, item := range n.Items {
			separate(b, i)
			item.write(b)
		}
		b.WriteByte(']')
	case json.Delim('{'):
		b.WriteByte('{')
		for i, m := range n.Members {
			separate(b, i)
			writeScalar(b, m.Key)
			b.WriteByte(':')
			m.Value.write(b)
		}
		b.WriteByte('}')
	default:
		writeScalar(b, n.Value)
	}
}

func separate(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

func writeScalar(b *bytes.Buffer, v any) {
	text, isRaw := v.(json.RawMessage) // which stays as it is, so that offsets in it stay right
	if !isRaw {
		text, _ = Marshal(v) // a token can always be written as JSON
	}
	b.Write(text)
}

// Marshal returns v as json.Marshal does, but without the escapes for HTML, which make a
// regular expression unreadable.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
