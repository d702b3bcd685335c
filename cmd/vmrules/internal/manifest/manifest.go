// Package manifest reads files with Kubernetes objects, in YAML and JSON, and keeps the place
// of each value in the file.
package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
)

// A File is a file that was read.
type File struct {
	Name      string // "<stdin>" for the standard input
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
	text := strings.ReplaceAll(strings.TrimPrefix(string(content), "\uFEFF"), "\r\n", "\n")
	source := newSource(text)
	documents, err := parse(source)
	if wrong := (*Error)(nil); errors.As(err, &wrong) {
		wrong.File = name
		wrong.Message += renderFirst(text)
	}
	return &File{name, source, documents}, err
}

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
	if documents, err := readYAML(s); err == nil {
		return documents, nil
	}
	return nil, explained(s, err)
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

// Read yields the files that the arguments name. An argument is the name of a file, the name
// of a folder, or "-" for the standard input. A folder yields what ReadFS does. For a file that
// cannot be used, and for a folder without manifests, Read yields an *Error and continues with
// the next file.
func Read(args []string, stdin io.Reader) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		for _, arg := range args {
			for file, err := range readArgument(arg, stdin) {
				if !yield(file, err) {
					return
				}
			}
		}
	}
}

func readArgument(arg string, stdin io.Reader) iter.Seq2[*File, error] {
	if arg == "-" {
		return single(readAll("<stdin>", func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }))
	}
	if info, err := os.Stat(arg); err != nil || !info.IsDir() {
		return single(readAll(arg, func() (io.ReadCloser, error) { return os.Open(arg) }))
	}
	return func(yield func(*File, error) bool) {
		none := true
		for file, err := range ReadFS(os.DirFS(arg)) {
			none = false
			name := func(name string) string { return filepath.Join(arg, filepath.FromSlash(name)) }
			if wrong := (*Error)(nil); errors.As(err, &wrong) {
				wrong.File = name(wrong.File)
			} else {
				file.Name = name(file.Name)
			}
			if !yield(file, err) {
				return
			}
		}
		if none {
			yield(nil, &Error{File: arg, Message: "the folder has no .yaml, .yml or .json file"})
		}
	}
}

func single(file *File, err error) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) { yield(file, err) }
}

// maxFile is the largest size of a file in bytes. Only audit reads streams of any length.
const maxFile = 256 << 20

func readAll(name string, open func() (io.ReadCloser, error)) (*File, error) {
	content, err := readFrom(open)
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("the file has more than %d bytes: split it, or use vmrules audit, which reads files of any size", maxFile)
	}
	if err == nil {
		return Parse(name, content)
	}
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		err = failed.Err // a PathError repeats the name
	}
	return nil, &Error{File: name, Message: err.Error()}
}

func readFrom(open func() (io.ReadCloser, error)) ([]byte, error) {
	input, err := open()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	return io.ReadAll(io.LimitReader(input, maxFile+1))
}

// ReadFS yields the manifests in a file system, in the order of their names: the files whose
// names end in .yaml, .yml or .json, except those in hidden folders. For a file that cannot be
// used, it yields an *Error and continues with the next file.
func ReadFS(fsys fs.FS) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		_ = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
			hidden := len(name) > 1 && strings.HasPrefix(entry.Name(), ".")
			switch {
			case err == nil && entry.IsDir() && hidden:
				return fs.SkipDir
			case err == nil && (entry.IsDir() || !isManifest(name)):
				return nil
			}
			file, failed := readAll(name, func() (io.ReadCloser, error) {
				if err != nil {
					return nil, err
				}
				return fsys.Open(name)
			})
			if !yield(file, failed) {
				return fs.SkipAll
			}
			return nil
		})
	}
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}
