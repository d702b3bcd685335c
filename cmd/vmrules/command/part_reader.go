package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A partReader reads selected parts of JSON as encoding/json reads it with UseNumber, but a key
// that is given twice is an error.
type partReader struct {
	decoder  *jsontext.Decoder
	unread   bytes.Buffer
	unquoted []byte // the memory of a text with escapes
}

func newPartReader() *partReader {
	r := &partReader{}
	r.decoder = jsontext.NewDecoder(&r.unread)
	return r
}

// reset makes the reader read a text. It returns false if that is not an object.
func (r *partReader) reset(text []byte) bool {
	r.unread = *bytes.NewBuffer(text)
	r.decoder.Reset(&r.unread, jsontext.AllowInvalidUTF8(true))
	return r.decoder.PeekKind() == '{'
}

// begin begins to read an object; false if the text is of another value.
func (r *partReader) begin(text []byte) bool {
	if !r.reset(text) {
		return false
	}
	_, err := r.decoder.ReadToken()
	return err == nil
}

// decode decodes a whole object. With an error, it returns what comes before the mistake.
func decode(text []byte) (map[string]any, error) {
	r := newPartReader()
	if !r.reset(text) {
		return nil, errNoObject
	}
	decoded, err := r.object(whole)
	wrong := (*jsontext.SyntacticError)(nil)
	switch isSyntax := errors.As(err, &wrong); {
	case isSyntax && wrong.Err == jsontext.ErrDuplicateName:
		err = manifest.KeyTwice(wrong.JSONPointer.LastToken())
	case isSyntax:
		err = fmt.Errorf("the object cannot be read: %w", wrong.Err)
	}
	return decoded, err
}

// hasMember reports whether another member of an object follows.
func (r *partReader) hasMember() bool { return r.decoder.PeekKind() == '"' }

// text reads a string, which may be the name of a member. It is valid until the next text.
func (r *partReader) text() ([]byte, error) {
	quoted, err := r.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(quoted, '\\') >= 0 || !utf8.Valid(quoted) {
		r.unquoted, _ = jsontext.AppendUnquote(r.unquoted[:0], quoted) // the error says that it is not UTF-8
		return r.unquoted, nil
	}
	return quoted[1 : len(quoted)-1], nil
}

// skip reads a value, and keeps nothing.
func (r *partReader) skip() error {
	_, err := r.decoder.ReadValue()
	return err
}

// read reads the selected parts of a value.
func (r *partReader) read(s *selection) (any, error) {
	switch kind := r.decoder.PeekKind(); {
	case kind == '{' && s.items == nil:
		return r.object(s)
	case kind == '{':
		return r.object(whole)
	case kind == '[' && s.items != nil && !s.isWhole:
		return r.array(s.items)
	case kind == '[':
		return r.array(whole)
	case kind == '"':
		text, err := r.text()
		return string(text), err
	}
	return r.word()
}

func (r *partReader) object(s *selection) (map[string]any, error) {
	_, _ = r.decoder.ReadToken() // the opening bracket, which read has seen
	object := map[string]any{}
	for r.hasMember() {
		name, err := r.text()
		if err != nil {
			return object, err
		}
		key, part := s.of(name)
		if part == nil {
			err = r.skip()
		} else {
			object[key], err = r.read(part)
		}
		if err != nil {
			return object, err
		}
	}
	_, err := r.decoder.ReadToken()
	return object, err
}

func (r *partReader) array(items *selection) (any, error) {
	_, _ = r.decoder.ReadToken()
	array := []any{}
	for r.decoder.PeekKind() != ']' {
		item, err := r.read(items)
		if err != nil {
			return nil, err
		}
		array = append(array, item)
	}
	_, err := r.decoder.ReadToken()
	return array, err
}

// word reads a number, a boolean or null.
func (r *partReader) word() (any, error) {
	token, err := r.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '0':
		return json.Number(token.String()), nil
	case 'n':
		return nil, nil
	}
	return token.Bool(), nil
}
