package manifest

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// A jsonReader reads JSON values one behind the other, as kubectl and jq write
// them. Unlike YAML's reader it takes tabs, and loses no digit.
type jsonReader struct {
	source  *source
	decoder *json.Decoder
	depth   int
}

// isJSON reports whether a text begins as a JSON object or array does.
func isJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

func newJSONReader(s *source) *jsonReader {
	r := &jsonReader{source: s, decoder: json.NewDecoder(strings.NewReader(s.text))}
	r.decoder.UseNumber()
	return r
}

func readJSON(s *source) ([]*node, error) {
	r := newJSONReader(s)
	var documents []*node
	for {
		n, err := r.read()
		if err == io.EOF {
			return documents, nil
		}
		if err != nil {
			return nil, r.failed(err)
		}
		if n.shape == scalar {
			return nil, s.fail(n.at, errors.New("behind an object or array, another one is expected, or the end of the file"))
		}
		documents = append(documents, n)
	}
}

// failed says where the reader stopped: at a token, since encoding/json counts the
// bytes of its errors in more than one way.
func (r *jsonReader) failed(err error) error {
	if err == io.ErrUnexpectedEOF {
		return r.source.fail(len(r.source.text), errors.New("the text ends too early"))
	}
	return r.source.fail(r.next(), err)
}

// read reads one value; io.EOF where nothing is left.
func (r *jsonReader) read() (*node, error) {
	at := r.next()
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	n := &node{at: at, size: 1}
	switch token {
	case json.Delim('{'):
		n.shape = object
		err = r.inside(n, r.member)
	case json.Delim('['):
		n.shape = array
		err = r.inside(n, r.item)
	default:
		n.scalar = token
	}
	n.end = int(r.decoder.InputOffset())
	return n, err
}

// next is where the next token begins.
func (r *jsonReader) next() int {
	at := int(r.decoder.InputOffset())
	return len(r.source.text) - len(strings.TrimLeft(r.source.text[at:], " \t\r\n,:"))
}

// inside reads what an object or array holds, and its closing bracket.
func (r *jsonReader) inside(n *node, element func(*node) error) error {
	r.depth++
	if r.depth > maxDepth {
		return errDepth
	}
	for r.decoder.More() {
		if err := element(n); err != nil {
			return unexpectedEOF(err)
		}
	}
	r.depth--
	_, err := r.decoder.Token()
	return unexpectedEOF(err)
}

func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (r *jsonReader) member(n *node) error {
	at := r.next()
	key, err := r.decoder.Token()
	if err != nil {
		return err
	}
	value, err := r.read()
	if err == nil {
		n.add(at, key.(string), value)
	}
	return err
}

func (r *jsonReader) item(n *node) error {
	value, err := r.read()
	if err == nil {
		n.addItem(value)
	}
	return err
}
