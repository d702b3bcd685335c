package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// objectsIn calls each with the objects in a stream of JSON: the items of lists, and all
// other objects, which are valid until each returns. It stops when each returns false.
func objectsIn(input io.Reader, each func(json.RawMessage) bool) error {
	limited := &limitedReader{input: bufio.NewReaderSize(input, inputBuffer)}
	s := splitter{decoder: jsontext.NewDecoder(limited, lenient...), input: limited, each: each}
	for {
		switch err := s.object(); err {
		case nil:
		case io.EOF, errStopped:
			return nil
		default:
			return s.handOver()
		}
	}
}

const inputBuffer = 64 << 10

// lenient makes package jsontext accept everything that encoding/json accepts.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// A splitter splits a stream with package jsontext, which is three times as fast as
// encoding/json. If the stream is not well-formed, or not as programs write it, encoding/json
// reads it from there on, so that all messages and offsets are those of encoding/json.
type splitter struct {
	decoder *jsontext.Decoder
	input   *limitedReader
	each    func(json.RawMessage) bool

	// state is the text of the current object, up to where the decoder is. In a list, it
	// stands for that text: it has {} in place of all items so far, and no earlier members.
	state   []byte
	hasItem bool // state ends with that {}
}

// errUnusual makes encoding/json read the rest.
var errUnusual = errors.New("this is unusual")

// handOver reads the rest of the stream with encoding/json. It leaves out the {} of state.
func (s *splitter) handOver() error {
	offset := s.decoder.InputOffset() - int64(len(s.state))
	read := append(s.state, s.decoder.UnreadBuffer()...)
	return decodeObjects(read, offset, s.input, func(object json.RawMessage) bool {
		if s.hasItem {
			s.hasItem = false
			return true
		}
		return s.each(object)
	})
}

// object reads an object. It recognizes a list by its items, which kubectl writes before the
// kind. At the end of the stream, it returns io.EOF.
func (s *splitter) object() error {
	s.input.begin()
	s.state = s.state[:0]
	if err := s.bracket('{'); err != nil {
		return err
	}
	s.state = append(s.state, '{')
	isList := false
	for s.decoder.PeekKind() == '"' {
		name, err := s.decoder.ReadValue()
		if err != nil {
			return err
		}
		if len(s.state) > len("{") {
			s.state = append(s.state, ',')
		}
		s.state = append(s.state, name...)
		switch {
		case bytes.IndexByte(name, '\\') >= 0:
			return errUnusual
		case string(name) == `"items"`:
			isList = true
			err = s.items()
		default:
			err = s.value()
		}
		if err != nil {
			return err
		}
	}
	if err := s.bracket('}'); err != nil || isList {
		return err
	}
	s.state = append(s.state, '}')
	return s.handOn(s.state)
}

// bracket reads a bracket.
func (s *splitter) bracket(wanted jsontext.Kind) error {
	if kind := s.decoder.PeekKind(); kind != wanted && kind != 0 {
		return errUnusual
	}
	_, err := s.decoder.ReadToken()
	return err
}

func (s *splitter) value() error {
	value, err := s.decoder.ReadValue()
	if err != nil {
		return err
	}
	s.state = append(s.state, ':')
	s.state = append(s.state, value...)
	return nil
}

// items calls each with the items of an array.
func (s *splitter) items() error {
	s.state = append(s.state[:0], `{"items"`...)
	if err := s.bracket('['); err != nil {
		return err
	}
	s.state = append(s.state, `:[`...)
	for s.decoder.PeekKind() != ']' {
		s.input.begin()
		item, err := s.decoder.ReadValue()
		if err != nil {
			return err
		}
		s.state, s.hasItem = append(s.state[:0], `{"items":[{}`...), true
		if err := s.handOn(item); err != nil {
			return err
		}
	}
	if err := s.bracket(']'); err != nil {
		return err
	}
	s.input.begin()
	s.state, s.hasItem = append(s.state[:0], `{"items":[]`...), false
	return nil
}

func (s *splitter) handOn(object []byte) error {
	if !s.each(object) {
		return errStopped
	}
	return nil
}
