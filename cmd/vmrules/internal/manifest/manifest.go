// Package manifest reads files with Kubernetes objects, in YAML and JSON, and keeps the place
// of each value in the file.
package manifest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
)

// A File is a file that was read.
type File struct {
	Name      string // Stdin for the standard input
	isStream  bool   // what another command writes
	source    *source
	documents []*node
}

// Size returns the size of the file in bytes.
func (f *File) Size() int { return len(f.source.text) }

// An Error says why a file cannot be used.
type Error struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"` // 0 if the error is not about a line
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`

	cause error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

func (e *Error) Unwrap() error { return e.cause }

// Parse reads the documents in a text. Its error is always an *Error.
func Parse(name string, content []byte) (*File, error) {
	text := strings.ReplaceAll(strings.TrimPrefix(string(content), byteOrderMark), "\r\n", "\n")
	source := newSource(text)
	documents, err := parse(source)
	if err == nil {
		err = checkItems(source, documents)
	}
	if wrong := (*Error)(nil); errors.As(err, &wrong) {
		wrong.File = name
		wrong.Message += renderFirst(text)
	}
	return &File{Name: name, source: source, documents: documents}, err
}

const byteOrderMark = "\uFEFF"

func parse(s *source) ([]*node, error) {
	if !utf8.ValidString(s.text) {
		return nil, s.fail(0, errors.New("the file is not UTF-8"))
	}
	if at, err := tooDense(s.text); err != nil {
		return nil, s.fail(at, err)
	}
	if !isJSON(s.text) {
		return readYAML(s)
	}
	documents, err := readJSON(s)
	if err == nil || errors.Is(err, errDepth) {
		return documents, err
	}
	// A text of YAML may also begin with a bracket.
	documents, notYAML := readYAML(s)
	switch {
	case notYAML == nil:
		return documents, nil
	case hasBareKey(s.text):
		return nil, notYAML
	}
	return nil, explained(s, err)
}

// hasBareKey reports whether a text begins with an object whose first key is not in quotes, so
// that the text cannot be meant as JSON.
func hasBareKey(text string) bool {
	behind, isObject := strings.CutPrefix(strings.TrimLeft(text, blanks), "{")
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind, blanks))
	return isObject && (first == '_' || unicode.IsLetter(first))
}

// explained replaces the error of encoding/json for a text that looks like an annotation: the
// library recognizes common mistakes, and says how to correct them.
func explained(s *source, err error) error {
	_, wrong := vmrules.ParseRules(s.text)
	if p := (vmrules.Problem{}); errors.As(wrong, &p) && p.Index < 0 && strings.HasPrefix(strings.TrimSpace(s.text), "[") {
		return s.fail(p.Offset, errors.New(p.Message))
	}
	return err
}

// Around returns the text around a line and column, which count from 1. It has at most the
// given number of code points on each side.
func (f *File) Around(line, column, most int) Excerpt { return f.source.around(line, column, most) }
