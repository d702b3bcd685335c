package manifest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// A jsonReader reads a sequence of JSON values, such as kubectl and jq write. JSON is also YAML,
// but the YAML parser takes neither a sequence without separators nor tabs.
type jsonReader struct {
	source  *source
	decoder *json.Decoder
	depth   int
	isArray bool // whether the value that is read, with all in it, is an array
}

// blanks are the characters between the values of JSON.
const blanks = " \t\r\n"

// BeginsJSON reports whether a text begins as JSON and not as YAML or a template of YAML does: with
// an array, or with an object that is empty or whose first key is in quotes. It reads the mark that
// may be in front of the text, but nothing of the text.
func BeginsJSON(text *bufio.Reader) bool {
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = text.Discard(len(mark)) // which Peek has read
	}
	for n := 1; ; n *= 2 {
		beginning, err := text.Peek(n)
		begin := strings.TrimLeft(string(beginning), blanks)
		first, behind := begin[:min(1, len(begin))], strings.TrimLeft(begin[min(1, len(begin)):], blanks)
		switch {
		case first != "" && first != "{" && first != "[":
			return false
		case behind != "":
			return strings.IndexByte(follows[first], behind[0]) >= 0
		case err != nil:
			return first != ""
		}
	}
}

// follows has what may follow a bracket at the beginning of JSON, and not of YAML as people write it.
var follows = map[string]string{"{": `"}`, "[": `{["]`}

func newJSONReader(s *source) *jsonReader {
	r := &jsonReader{source: s, decoder: json.NewDecoder(strings.NewReader(s.text))}
	r.decoder.UseNumber()
	return r
}

// readJSON reads values up to the first that is not JSON.
func readJSON(s *source) ([]*node, error) {
	r := newJSONReader(s)
	var documents []*node
	for {
		r.isArray = false
		n, err := r.read()
		if err == io.EOF {
			return documents, nil
		}
		if err != nil {
			return documents, r.failed(err)
		}
		if n.shape == scalar {
			return documents, s.fail(n.at, errors.New("this value is neither an object nor an array: remove it, or put it in an array"))
		}
		documents = append(documents, n)
	}
}

// failed returns an error at the token where the reader stopped. The offsets in errors of
// encoding/json are not used: what they count differs from error to error.
func (r *jsonReader) failed(err error) error {
	if wrong := (*Error)(nil); errors.As(err, &wrong) {
		return err
	}
	if err == io.ErrUnexpectedEOF {
		return r.source.fail(len(r.source.text), errors.New("the text ends too early: a closing bracket, quote or value is missing"))
	}
	return r.source.fail(r.next(), err)
}

// read reads one value. At the end of the text, it returns io.EOF.
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
		known := map[string]bool{}
		err = r.inside(n, func(n *node) error { return r.member(n, known) })
	case json.Delim('['):
		n.shape = array
		r.isArray = r.isArray || r.depth == 0
		err = r.inside(n, r.item)
	default:
		n.scalar = token
	}
	n.end = int(r.decoder.InputOffset())
	return n, err
}

// next returns the offset at which the next token begins.
func (r *jsonReader) next() int {
	at := int(r.decoder.InputOffset())
	return len(r.source.text) - len(strings.TrimLeft(r.source.text[at:], " \t\r\n,:"))
}

// inside reads the elements of an object or array, and its closing bracket.
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

func (r *jsonReader) member(n *node, known map[string]bool) error {
	at := r.next()
	token, err := r.decoder.Token()
	if err != nil {
		return err
	}
	key := token.(string)
	if known[key] && !r.isArray { // the library reports that in rules
		return r.source.fail(at, KeyTwice(key))
	}
	known[key] = true
	value, err := r.read()
	if err == nil {
		n.add(at, key, value)
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
