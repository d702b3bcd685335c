package audit

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// objectsIn calls each with the objects in a stream of JSON: the items of lists, and all
// other objects, which are valid until each returns. It stops when each returns errStopped.
func objectsIn(input io.Reader, each func([]byte) error) error {
	limited := &io.LimitedReader{R: bufio.NewReaderSize(input, inputBuffer)}
	s := splitter{decoder: jsontext.NewDecoder(limited, lenient...), input: limited, each: each}
	for {
		switch err := s.object(); {
		case err == nil:
		case err == errStopped, err == io.EOF && limited.N > 0:
			return nil
		default:
			return s.placed(err)
		}
	}
}

const inputBuffer = 64 << 10

// lenient accepts what makes only one object unreadable, which objectReader finds.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

type splitter struct {
	decoder *jsontext.Decoder
	input   *io.LimitedReader
	each    func([]byte) error
	text    []byte // the current object; of a list, without its items
}

var errStopped = errors.New("stopped")

// placed returns an error with its place in the stream.
func (s *splitter) placed(err error) error {
	at := s.decoder.InputOffset()
	if wrong := (*jsontext.SyntacticError)(nil); errors.As(err, &wrong) {
		at, err = wrong.ByteOffset, wrong.Err
	}
	if s.input.N <= 0 && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		err = errTooLong
	}
	err = cmp.Or(errors.Unwrap(err), err) // without the words of jsontext if the stream cannot be read
	return fmt.Errorf("byte %d of the stream: %w", at, err)
}

// object reads an object. It recognizes a list by its items, which kubectl writes before the
// kind. At the end of the stream, it returns io.EOF.
func (s *splitter) object() error {
	s.input.N = maxObject
	if err := s.open('{', "an object is expected"); err != nil {
		return err
	}
	s.text = append(s.text[:0], '{')
	isList := false
	for s.decoder.PeekKind() == '"' {
		token, err := s.decoder.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		if len(s.text) > len("{") {
			s.text = append(s.text, ',')
		}
		s.text, _ = jsontext.AppendQuote(s.text, name) // the error says that it is not UTF-8
		s.text = append(s.text, ':')
		switch {
		case name != "items":
			var value jsontext.Value
			value, err = s.decoder.ReadValue()
			s.text = append(s.text, value...)
		case isList:
			err = manifest.KeyTwice(name)
		default:
			isList = true
			err = s.items()
		}
		if err != nil {
			return err
		}
	}
	if _, err := s.decoder.ReadToken(); err != nil {
		return err
	}
	s.text = append(s.text, '}')
	if isList {
		_, err := new(objectReader).decode(s.text) // which finds a key that is given twice
		return err
	}
	return s.each(s.text)
}

// open reads the opening bracket of a value. Otherwise, the error says what is expected.
func (s *splitter) open(bracket jsontext.Kind, expected string) error {
	token, err := s.decoder.ReadToken()
	if err == nil && token.Kind() != bracket {
		return fmt.Errorf("%s, not %.100s", expected, token)
	}
	return err
}

// items calls each with the items of an array; null has none.
func (s *splitter) items() error {
	s.text = append(s.text, "[]"...)
	if s.decoder.PeekKind() == 'n' {
		_, err := s.decoder.ReadToken()
		return err
	}
	if err := s.open('[', "items must be an array"); err != nil {
		return err
	}
	for {
		s.input.N = maxObject
		if s.decoder.PeekKind() == ']' {
			_, err := s.decoder.ReadToken()
			return err
		}
		item, err := s.decoder.ReadValue()
		if err != nil {
			return err
		}
		if err := s.each(item); err != nil {
			return err
		}
	}
}

// maxObject is the largest size in bytes of an object of the stream, and of a list without
// its items. The API server accepts objects of 1.5 MiB, which kubectl indents.
const maxObject = 4 << 20

var errTooLong = fmt.Errorf("an object is longer than %d bytes: remove it from the stream, or check it on its own with vmrules check", maxObject)
