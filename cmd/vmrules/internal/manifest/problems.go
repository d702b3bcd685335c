package manifest

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// PlaceProblems sets the lines and columns of problems of rules to those in the file, if they
// are in the annotations of the object or of an object inside it. It returns those that are not.
// The options are those with which the annotations were read. It finds problems by reading the
// annotations again, and places each once, since other VMs may have the same annotation.
func (o Object) PlaceProblems(problems []*vmrules.Problem, opts ...vmrules.ParseOption) []*vmrules.Problem {
	for _, a := range o.Annotations() {
		places := map[mistake]lint.Finding{}
		for _, f := range a.Lint(opts...) {
			places[mistakeOf(f.Index, f.Offset, f.Message)] = f
		}
		problems = slices.DeleteFunc(slices.Clone(problems), func(p *vmrules.Problem) bool {
			key := mistakeOf(p.Index, p.Offset, p.Message)
			found, isHere := places[key]
			if isHere {
				p.Line, p.Column = found.Line, found.Column
				delete(places, key)
			}
			return isHere
		})
	}
	return problems
}

// A mistake identifies a problem in the text of an annotation.
type mistake struct {
	index, offset int
	message       string
}

func mistakeOf(index, offset int, message string) mistake {
	message, _, _ = strings.Cut(message, " must be a string") // about rules in YAML, Lint says more
	return mistake{index, offset, message}
}
