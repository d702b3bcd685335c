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
	"strings"
)

// An Input is a file that an argument names, before it is read.
type Input struct {
	Name     string // Stdin for the standard input
	isStream bool
	open     func() (io.ReadCloser, error)
}

// Stdin is the name of the standard input.
const Stdin = "<stdin>"

// Open opens the file. Its error is an *Error.
func (i Input) Open() (io.ReadCloser, error) {
	opened, err := i.open()
	if err != nil {
		return nil, cannotRead(i.Name, err)
	}
	return opened, nil
}

// maxFile is the largest size of a file in bytes. Only audit reads streams of any length.
const maxFile = 256 << 20

// ReadOpened reads the file after it was opened. Its error is an *Error, and not one of Wrong.
func (i Input) ReadOpened(opened io.Reader) (*File, error) {
	var content strings.Builder
	if file, ok := opened.(fs.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			content.Grow(int(min(info.Size(), maxFile)))
		}
	}
	_, err := io.Copy(&content, io.LimitReader(opened, maxFile+1))
	if err == nil && content.Len() > maxFile {
		err = fmt.Errorf("the file has more than %d bytes: split it, or use vmrules audit, which reads JSON of any size", maxFile)
	}
	if err != nil {
		return nil, cannotRead(i.Name, err)
	}
	file, _ := Parse(i.Name, content.String())
	file.isStream = i.isStream
	return file, nil
}

func cannotRead(name string, err error) *Error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		err = failed.Err // a PathError repeats the name
	}
	return &Error{File: name, Message: err.Error()}
}

// Read yields the files that Inputs yields, after it has read them. For a file that cannot be
// used, it yields an *Error and continues with the next file. Of a file with documents that cannot
// be read, it yields an *Error for each, and then the file with the others.
func Read(args []string, stdin io.Reader) iter.Seq2[*File, error] {
	return ReadExcept(nil, args, stdin)
}

// ReadExcept is Read without the files for which skip returns true, if it is not nil.
func ReadExcept(skip func(file string) bool, args []string, stdin io.Reader) iter.Seq2[*File, error] {
	return ReadInputs(func(yield func(Input, error) bool) {
		for input, err := range Inputs(args, stdin) {
			if (err != nil || skip == nil || !skip(input.Name)) && !yield(input, err) {
				return
			}
		}
	})
}

// ReadInputs yields files as Read does.
func ReadInputs(inputs iter.Seq2[Input, error]) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		for input, err := range inputs {
			file := (*File)(nil)
			if err == nil {
				file, err = input.read()
			}
			if err != nil {
				file = &File{Wrong: []error{err}}
			}
			for _, err := range file.Wrong {
				if !yield(nil, err) {
					return
				}
			}
			if (file.Wrong == nil || file.documents != nil) && !yield(file, nil) {
				return
			}
		}
	}
}

func (i Input) read() (*File, error) {
	opened, err := i.Open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return i.ReadOpened(opened)
}

// Inputs yields the files that the arguments name. An argument is the name of a file, the name
// of a folder, or "-" for the standard input. A folder yields the files in it and below it whose
// names end in .yaml, .yml or .json, in the order of their names, except those in hidden folders.
// For a folder that cannot be read or has no such file, Inputs yields an *Error and continues.
// It yields a file once, however many arguments name it.
func Inputs(args []string, stdin io.Reader) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		seen := map[string]bool{}
		for _, arg := range args {
			for input, err := range inputsOf(arg, stdin) {
				path := pathOf(input.Name)
				if (err != nil || !seen[path]) && !yield(input, err) {
					return
				}
				seen[path] = true
			}
		}
	}
}

// pathOf returns the one path of a file that has several.
func pathOf(name string) string {
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	if path, err := filepath.Abs(name); err == nil {
		name = path
	}
	return name
}

// StreamOf returns a name for what an argument names, if it is the standard input, a pipe or a
// device, which can be read only once; otherwise "".
func StreamOf(arg string) string {
	if arg == "-" {
		return Stdin
	}
	if info, err := os.Stat(arg); err != nil || info.IsDir() || info.Mode().IsRegular() {
		return ""
	}
	return pathOf(arg)
}

func inputsOf(arg string, stdin io.Reader) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		if arg == "-" {
			yield(Input{Stdin, true, func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }}, nil)
			return
		}
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			yield(Input{arg, StreamOf(arg) != "", func() (io.ReadCloser, error) { return os.Open(arg) }}, nil)
			return
		}
		InputsIn(os.DirFS(arg), ".", func(name string) string { return filepath.Join(arg, filepath.FromSlash(name)) })(yield)
	}
}

// InputsIn yields the file at a path of a file system, or the manifests in the folder there, as Inputs
// does. The function named says by which names.
func InputsIn(fsys fs.FS, at string, named func(string) string) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		none := true
		_ = fs.WalkDir(fsys, at, func(name string, entry fs.DirEntry, err error) error {
			_, isManifest := extensions[path.Ext(name)]
			switch {
			case err == nil && entry.IsDir() && name != at && strings.HasPrefix(entry.Name(), "."):
				return fs.SkipDir
			case err == nil && (entry.IsDir() || name != at && !isManifest):
				return nil
			}
			none = false
			var info fs.FileInfo
			if err == nil {
				info, err = fs.Stat(fsys, name)
			}
			if err == nil && !info.Mode().IsRegular() { // such as a pipe, which might never end
				err = errors.New("this is not a regular file")
			}
			input := Input{named(name), false, func() (io.ReadCloser, error) { return fsys.Open(name) }}
			if err != nil {
				err = cannotRead(input.Name, err)
			}
			if !yield(input, err) {
				return fs.SkipAll
			}
			return nil
		})
		if none {
			yield(Input{}, &Error{File: named(at), Message: "the folder has no .yaml, .yml or .json file"})
		}
	}
}
