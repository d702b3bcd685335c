package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// input judges the objects in a file, and calls each with the results. It returns the error of
// each, or why the rest of the file cannot be read.
func (a *auditor) input(input manifest.Input, stderr io.Writer, each func(audited) error) error {
	opened, err := input.Open()
	if err != nil {
		return err
	}
	defer opened.Close()
	text := bufio.NewReaderSize(opened, inputBuffer)
	a.inStream.file = input.Name
	if manifest.BeginsJSON(text) {
		return a.stream(text, each)
	}
	file, err := input.ReadOpened(text)
	if file == nil {
		return err
	}
	for _, wrong := range file.Wrong {
		unusable(stderr, wrong)
		a.seen.unusable = true
	}
	if err == nil {
		err = file.Nothing(a.book.counts)
		if err != nil {
			return err
		}
	}
	if a.source == "" {
		a.source = file.Source()
	}
	return a.documents(file, each)
}

// documents judges the objects of a file that was read as a whole. As in a stream, instance types
// are for the objects that follow.
func (a *auditor) documents(file *manifest.File, each func(audited) error) error {
	for _, d := range file.Documents() {
		result := audited{err: errNoObject, class: judged.Unreadable}
		if d.IsObject() {
			if content := d.Content(); instancetypes.IsMember(content) {
				text, err := d.JSON()
				if err != nil {
					return fmt.Errorf("%s: %w", d, err)
				}
				a.inStream.keep(&a.with.set, content, d.Line, len(text))
				if !a.book.isWhole() {
					continue
				}
			}
			result = a.judgeObject(d.Object)
		}
		if err := each(result); err != nil {
			return err
		}
	}
	return nil
}

var errNoObject = errors.New("an object is expected")
