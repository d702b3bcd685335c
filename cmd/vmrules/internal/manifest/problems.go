package manifest

import (
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// PlaceProblems sets the lines and columns of problems of rules to those in the file, and their files,
// if they are in the annotations of the object or of an object inside it. It leaves alone what has a file.
// The options are those with which the annotations were read. It finds problems by reading the
// annotations again, and places each once, since other VMs may have the same annotation.
func (o Object) PlaceProblems(problems []vmrules.Problem, files map[*vmrules.Problem]string, opts ...vmrules.ParseOption) {
	for _, a := range o.Annotations() {
		places := map[mistake]lint.Finding{}
		for _, f := range a.Lint(opts...) {
			places[mistakeOf(f.Index, f.Offset, f.Message)] = f
		}
		for i := range problems {
			p := &problems[i]
			key := mistakeOf(p.Index, p.Offset, p.Message)
			if found, isHere := places[key]; isHere && files[p] == "" {
				p.Line, p.Column, files[p] = found.Line, found.Column, o.File.Name
				p.Message = a.inFile(p.Message)
				delete(places, key)
			}
		}
	}
}

// A mistake identifies a problem in the text of an annotation.
type mistake struct {
	index, offset int
	message       string
}

func mistakeOf(index, offset int, message string) mistake {
	message, _, _ = strings.Cut(message, " must be a string") // about rules in YAML, Lint says more
	message, _, _ = strings.Cut(message, " that begins at ")  // of lines, Lint counts those of the file
	return mistake{index, offset, message}
}
