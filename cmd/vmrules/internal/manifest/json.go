package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/vmrules/vmrules"
)

// A jsonReader reads a sequence of JSON values, such as kubectl and jq write. JSON is also YAML,
// but the YAML parser takes neither a sequence without separators nor tabs.
type jsonReader struct {
	source  *source
	decoder *jsontext.Decoder
	begin   int // where the decoder begins in the source
	depth   int
}

// BeginsJSON reports whether a text begins as JSON and not as YAML or a template of YAML does: with
// an array, or with an object that is empty or whose first key is in quotes. It reads the mark that
// may be in front of the text, but nothing of the text.
func BeginsJSON(text *bufio.Reader) bool {
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = text.Discard(len(mark)) // which Peek has read
	}
	for n := 2; ; n *= 2 {
		peeked, err := text.Peek(n)
		switch begin := withoutBlanks.Replace(string(peeked)); {
		case len(begin) > 1: // people begin YAML otherwise
			return slices.Contains([]string{"{}", `{"`, "[]", "[{", "[[", `["`}, begin[:2])
		case err != nil:
			return begin == "{" || begin == "["
		}
	}
}

var withoutBlanks = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")

// readJSON reads values up to the first that is not JSON. Of objects, it keeps the heads.
func readJSON(s *source) (documents []*node, wrong []error) {
	for at := s.behindBlanks(0); at < len(s.text); at = s.behindBlanks(at) {
		n, err := s.jsonAt(at, 0, s.text[at] != '[') // arrays are rules
		switch {
		case err != nil:
			return documents, []error{s.jsonMistake(at, err)}
		case n.shape == scalar:
			return documents, []error{s.fail(n.at, errors.New("this value is neither an object nor an array: remove it, or put it in an array"))}
		}
		documents = append(documents, n)
		at = n.end
	}
	return documents, nil
}

func (s *source) behindBlanks(at int) int {
	return len(s.text) - len(strings.TrimLeftFunc(s.text[at:], isBlank))
}

// jsonAt reads the value at an offset, or its head, which is inside so many others.
func (s *source) jsonAt(at, depth int, head bool) (*node, error) {
	text := s.text[at:]
	// The library reports a key that rules have twice.
	twice := jsontext.AllowDuplicateNames(strings.HasPrefix(text, "["))
	r := jsonReader{s, jsontext.NewDecoder(strings.NewReader(text), twice, jsontext.AllowInvalidUTF8(true)), at, depth}
	return r.read(head)
}

// whole returns a value of which perhaps only the head was kept.
func (s *source) whole(n *node) *node {
	if n.isHead {
		n, _ = s.jsonAt(n.at, 0, false) // which was read before without an error
	}
	return n
}

// offset returns where the last token ended.
func (r *jsonReader) offset() int { return r.begin + int(r.decoder.InputOffset()) }

func (r *jsonReader) read(head bool) (*node, error) {
	switch r.decoder.PeekKind() {
	case '{':
		return r.inside(object, head)
	case '[':
		return r.inside(array, head)
	}
	text, err := r.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	n := &node{at: r.offset() - len(text), end: r.offset(), size: 1}
	switch text.Kind() {
	case '"':
		n.scalar = unquoted(text)
	case '0':
		n.scalar = json.Number(text)
	case 't', 'f':
		n.scalar = text.Kind() == 't'
	}
	return n, nil
}

// unquoted returns a string. An escape that is half of a character becomes U+FFFD.
func unquoted(text jsontext.Value) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	text, _ = jsontext.AppendUnquote(nil, text) // the error is about such escapes
	return string(text)
}

func (r *jsonReader) inside(shape shape, head bool) (*node, error) {
	if _, err := r.decoder.ReadToken(); err != nil {
		return nil, err
	}
	n := &node{at: r.offset() - len("{"), size: 1, shape: shape, isHead: head}
	if r.depth++; r.depth > maxDepth {
		return nil, r.source.fail(n.at, errDepth)
	}
	for kind := r.decoder.PeekKind(); kind != '}' && kind != ']'; kind = r.decoder.PeekKind() {
		if err := r.element(n); err != nil {
			return nil, err
		}
	}
	r.depth--
	_, err := r.decoder.ReadToken()
	n.end = r.offset()
	return n, err
}

// headKeys lists the members that the head of an object has: what identifies an object, and the
// items of a list, of which it has the heads.
var headKeys = []string{"apiVersion", "kind", "metadata", "items", "namespace", "name"}

func (r *jsonReader) element(of *node) error {
	var m member
	if of.shape == object {
		text, err := r.decoder.ReadValue()
		if err != nil {
			return err
		}
		m.at, m.key = r.offset()-len(text), unquoted(text)
		if of.isHead && !slices.Contains(headKeys, m.key) {
			return r.skip()
		}
	}
	value, err := r.read(of.isHead)
	if err != nil {
		return err
	}
	m.value = value
	if of.shape == array {
		m.at = value.at
	}
	of.add(m)
	return nil
}

func (r *jsonReader) skip() error {
	text, err := r.decoder.ReadValue()
	brackets := bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("["))
	if r.depth+brackets > maxDepth { // the decoder has another limit
		_, err = r.source.jsonAt(r.offset()-len(text), r.depth, false)
	}
	return err
}

// jsonMistake returns a mistake in the value at an offset, with its place in the file. The library
// recognizes common mistakes, and says how to correct them, but not in a text that is too long for rules.
func (s *source) jsonMistake(begin int, err error) error {
	wrong := (*jsontext.SyntacticError)(nil)
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Err == jsontext.ErrDuplicateName:
		return s.fail(begin+int(wrong.ByteOffset), KeyTwice(wrong.JSONPointer.LastToken()))
	case wrong.Err == io.ErrUnexpectedEOF:
		return s.fail(len(s.text), errors.New("the text ends too early: a closing bracket, quote or value is missing"))
	}
	const bracket = "[" // so that an object is an item of an annotation
	_, refused := vmrules.ParseRules(bracket + s.text[begin:])
	p := vmrules.Problem{}
	if errors.As(refused, &p) && p.Index < 0 && p.Reason != vmrules.ReasonTooLong && p.Offset <= len(s.text)-begin {
		return s.fail(begin+p.Offset-len(bracket), errors.New(p.Message))
	}
	return s.fail(begin+int(wrong.ByteOffset), wrong.Err)
}
