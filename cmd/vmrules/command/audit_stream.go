package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// decodeObjects does what objectsIn does, but with encoding/json alone. It reads a text that
// begins at an offset of the stream, and then the rest of the stream.
func decodeObjects(read []byte, offset int64, input *limitedReader, each func(json.RawMessage) bool) error {
	s := objectStream{decoder: json.NewDecoder(io.MultiReader(bytes.NewReader(read), input)), each: each, input: input}
	for {
		s.begin()
		token, err := s.decoder.Token()
		if err == io.EOF {
			return nil
		}
		if err == nil && token != json.Delim('{') {
			err = fmt.Errorf("an object is expected, not %v", token)
		}
		if err == nil {
			err = s.object()
		}
		if err == errStopped {
			return nil
		}
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("byte %d of the stream: %w", offset+s.decoder.InputOffset(), err)
		}
	}
}

type objectStream struct {
	decoder *json.Decoder
	each    func(json.RawMessage) bool
	input   *limitedReader
}

func (s *objectStream) begin() { s.input.begin() }

// maxObject is the largest size in bytes of an object of the stream, and of a list without
// its items. The API server accepts objects of 1.5 MiB, which kubectl indents.
const maxObject = 4 << 20

// A limitedReader reads a limited number of bytes, and then fails. It repeats its first
// error.
type limitedReader struct {
	input io.Reader
	left  int
	err   error
}

// begin starts an object, which may again have the full length.
func (r *limitedReader) begin() { r.left = maxObject }

var errTooLong = fmt.Errorf("an object is longer than %d bytes: remove it from the stream, or check it on its own with vmrules check", maxObject)

func (r *limitedReader) Read(p []byte) (int, error) {
	if r.left <= 0 && r.err == nil {
		r.err = errTooLong
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.input.Read(p[:min(len(p), r.left)])
	r.left -= n
	r.err = err
	return n, err
}

var errStopped = errors.New("stopped")

// object reads an object after its opening bracket. It recognizes a list by its items, which
// kubectl writes before the kind.
func (s *objectStream) object() error {
	isList := false
	var written bytes.Buffer
	written.WriteByte('{')
	for s.decoder.More() {
		key, err := s.decoder.Token()
		if err != nil {
			return err
		}
		if key == "items" {
			isList = true
			if err := s.items(); err != nil {
				return err
			}
			s.begin()
			written.Reset()
			continue
		}
		var value json.RawMessage
		if err := s.decoder.Decode(&value); err != nil {
			return err
		}
		if isList {
			continue // the other members of a list are not needed
		}
		if written.Len() > 1 {
			written.WriteByte(',')
		}
		name, _ := json.Marshal(key) // a string can always be written
		written.Write(name)
		written.WriteByte(':')
		written.Write(value)
	}
	if _, err := s.decoder.Token(); err != nil || isList {
		return err
	}
	written.WriteByte('}')
	return s.handOn(written.Bytes())
}

// items calls each with the items of an array; null has none.
func (s *objectStream) items() error {
	token, err := s.decoder.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("items must be an array, not %v", token)
	}
	for s.decoder.More() {
		s.begin()
		var item json.RawMessage
		if err := s.decoder.Decode(&item); err != nil {
			return err
		}
		if err := s.handOn(item); err != nil {
			return err
		}
	}
	_, err = s.decoder.Token()
	return err
}

func (s *objectStream) handOn(object json.RawMessage) error {
	if !s.each(object) {
		return errStopped
	}
	return nil
}
