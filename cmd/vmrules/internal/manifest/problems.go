package manifest

import (
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// PlaceProblems sets the lines and columns of problems of rules to those in the file, if they
// are in the annotations of the object or of an object inside it. It returns those that are not.
// The options are those with which the annotations were read.
func (o Object) PlaceProblems(problems []*vmrules.Problem, opts ...vmrules.ParseOption) []*vmrules.Problem {
	for _, a := range o.Annotations() {
		problems = a.placeProblems(problems, opts)
	}
	return problems
}

// A mistake identifies a problem in the text of an annotation.
type mistake struct {
	index, offset int
	message       string
}

// placeProblems places problems by reading the annotation again. It places a problem once, since
// other VMs may have the same annotation.
func (a Annotation) placeProblems(problems []*vmrules.Problem, opts []vmrules.ParseOption) []*vmrules.Problem {
	text, isText := a.value.scalar.(string)
	again := map[mistake]bool{}
	if isText {
		for _, p := range problemsIn(text, append(opts[:len(opts):len(opts)], a.version)) {
			again[mistake{p.Index, p.Offset, p.Message}] = true
		}
	}
	var rest, own []*vmrules.Problem
	var places []lint.Finding
	for _, p := range problems {
		key := mistake{p.Index, p.Offset, p.Message}
		isOwn := again[key] || !isText && p.Index < 0 && strings.HasPrefix(p.Message, "the annotation "+a.key+" must be a string")
		if !isOwn {
			rest = append(rest, p)
			continue
		}
		again[key] = false
		own = append(own, p)
		places = append(places, lint.Finding{Offset: p.Offset})
	}
	if !isText && len(own) > 0 {
		own[0].Line, own[0].Column = a.Object.File.source.place(a.value.at)
		return append(rest, own[1:]...)
	}
	a.placeAll(places, text)
	for i, p := range own {
		p.Line, p.Column = places[i].Line, places[i].Column
	}
	return rest
}

func problemsIn(text string, opts []vmrules.ParseOption) []vmrules.Problem {
	_, err := vmrules.ParseRules(text, opts...)
	if wrong, ok := err.(*vmrules.ParseError); ok {
		return wrong.Problems
	}
	return nil
}
