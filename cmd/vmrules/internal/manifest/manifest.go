// Package manifest reads files with Kubernetes objects, in YAML and JSON, and keeps the place
// of each value in the file.
package manifest

import (
	"bufio"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// A File is a file that was read.
type File struct {
	Name  string  // Stdin for the standard input
	Raw   string  // what was read
	Wrong []error // of type *Error: why documents cannot be read; the others are those of Documents

	isStream  bool // what another command writes
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
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Parse reads the documents in a text. Its error is always an *Error, the first of Wrong. The File
// has the other documents.
func Parse(name, raw string) (*File, error) {
	text := strings.ReplaceAll(strings.TrimPrefix(raw, byteOrderMark), "\r\n", "\n")
	source := newSource(text)
	file := &File{Name: name, Raw: raw, source: source}
	read, all := parse(name, source)
	for _, n := range read {
		err := checkItems(source, n)
		if found := n.unrendered(); err == nil && found != nil {
			err = source.fail(found.at, errors.New("this is an expression of Helm"))
		}
		if err != nil {
			all = append(all, err)
			continue
		}
		file.documents = append(file.documents, n)
	}
	for _, err := range all[:min(len(all), maxWrong)] {
		wrong := err.(*Error)
		wrong.File = name
		wrong.Message += renderFirst(text)
		file.Wrong = append(file.Wrong, wrong)
	}
	if file.Wrong == nil {
		return file, nil
	}
	return file, file.Wrong[0]
}

// maxWrong is the number of documents of a file of which it is said why they cannot be read.
const maxWrong = 100

const byteOrderMark = "\uFEFF"

// parse reads all documents that can be read, and returns the errors of the others.
func parse(name string, s *source) ([]*node, []error) {
	if !utf8.ValidString(s.text) {
		return nil, []error{s.fail(0, errors.New("the file is not UTF-8"))}
	}
	if at, err := tooDense(s.text); err != nil {
		return nil, []error{s.fail(at, err)}
	}
	isJSON, isKnown := extensions[path.Ext(name)]
	if isJSON || !isKnown && BeginsJSON(bufio.NewReader(strings.NewReader(s.text))) {
		return readJSON(s)
	}
	return readYAML(s)
}

// extensions has those of manifests, and whether they are those of JSON.
var extensions = map[string]bool{".json": true, ".yaml": false, ".yml": false}
