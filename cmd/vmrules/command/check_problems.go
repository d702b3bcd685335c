package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// maxProblems is the largest number of problems that a text lists.
const maxProblems = 100

// setProblem says in a result why an object's rules cannot be used, with the places of their
// problems in the files.
func (c *checker) setProblem(result *checked, o manifest.Object, err error) {
	parsed := (*vmrules.ParseError)(nil)
	if !errors.As(err, &parsed) {
		result.Problem = err.Error()
		return
	}
	problems := make([]vmrules.Problem, len(parsed.Problems))
	copy(problems, parsed.Problems)
	files := c.place(problems, o)
	lines := []string{"the validation rules cannot be used:"}
	for i, p := range problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(problems)-i))
			break
		}
		if file := files[&problems[i]]; file != "" {
			place := &manifest.Error{File: file, Line: p.Line, Column: p.Column}
			p.Line = 0 // place has it
			place.Message = p.Error()
			lines = append(lines, oneLine(place.Error()))
			result.placed = append(result.placed, place)
		} else {
			lines = append(lines, p.Error())
		}
	}
	separator := "\n"
	if len(problems) == 1 {
		separator = " "
	}
	result.Problem, result.Problems = strings.Join(lines, separator), problems
}

// place sets the places of problems in the files, and returns the file of each problem that it
// has found there: in the object, or in the templates.
func (c *checker) place(problems []vmrules.Problem, o manifest.Object) map[*vmrules.Problem]string {
	files := map[*vmrules.Problem]string{}
	left := make([]*vmrules.Problem, 0, len(problems))
	for i := range problems {
		left = append(left, &problems[i])
	}
	objects := []manifest.Object{o}
	for _, t := range c.templates {
		objects = append(objects, t.Object)
	}
	for _, object := range objects {
		filled, err := c.fill(object)
		if err != nil || len(left) == 0 {
			continue
		}
		before := left
		left = filled.PlaceProblems(left, c.reading...)
		for _, p := range before {
			files[p] = object.File().Name
		}
		for _, p := range left {
			delete(files, p)
		}
	}
	return files
}
