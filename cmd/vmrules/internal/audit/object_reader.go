package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// An objectReader reads objects as encoding/json does with UseNumber, but a key given twice is an error.
type objectReader struct {
	decoder jsontext.Decoder
	unread  bytes.Buffer

	skips bool // the parts of a VirtualMachine that no rule of the format asks for
	isVM  bool // the object is one, as far as it is read
}

// decode decodes an object. With an error, it returns what comes before the mistake.
func (r *objectReader) decode(text []byte) (map[string]any, error) {
	r.unread = *bytes.NewBuffer(text)
	r.decoder.Reset(&r.unread, jsontext.AllowInvalidUTF8(true))
	if r.decoder.PeekKind() != '{' {
		return nil, errNoObject
	}
	r.isVM = false
	_, _ = r.decoder.ReadToken() // the opening bracket
	decoded, err := r.object()
	wrong := (*jsontext.SyntacticError)(nil)
	switch isSyntax := errors.As(err, &wrong); {
	case isSyntax && wrong.Err == jsontext.ErrDuplicateName:
		err = manifest.KeyTwice(wrong.JSONPointer.LastToken())
	case isSyntax:
		err = fmt.Errorf("the object cannot be read: %w", wrong.Err)
	}
	return decoded, err
}

func (r *objectReader) value() (any, error) {
	token, err := r.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return r.object()
	case '[':
		array := []any{}
		for r.decoder.PeekKind() != ']' {
			item, err := r.value()
			if err != nil {
				return nil, err
			}
			array = append(array, item)
		}
		_, err := r.decoder.ReadToken()
		return array, err
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 'n':
		return nil, nil
	}
	return token.Bool(), nil
}

// object reads what is behind the opening bracket.
func (r *objectReader) object() (map[string]any, error) {
	object := map[string]any{}
	for r.decoder.PeekKind() == '"' {
		token, err := r.decoder.ReadToken()
		if err != nil {
			return object, err
		}
		name := token.String()
		if r.isSkipped(name) {
			err = r.decoder.SkipValue()
		} else {
			object[name], err = r.value()
		}
		if err != nil {
			return object, err
		}
		if name == "kind" && r.decoder.StackDepth() == 1 {
			r.isVM = object[name] == "VirtualMachine"
		}
	}
	_, err := r.decoder.ReadToken()
	return object, err
}

// isSkipped reports whether to leave out a member, which is often half of a VM: its status, and which
// program set which field. The JSON of it is still checked.
func (r *objectReader) isSkipped(name string) bool {
	return r.skips && r.isVM && (name == "status" && r.decoder.StackDepth() == 1 || name == "managedFields" && r.decoder.StackDepth() == 2)
}
