package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/shelf"
	"github.com/vmrules/vmrules/lint"
)

// maxProblems is the largest number of problems that a text lists.
const maxProblems = 100

// setProblem says in a result why the rules of VMs are not known and where. It also returns that as findings.
func (c *checker) setProblem(result *checked, o manifest.Object, err error) (findings []lint.Finding) {
	add := func(line, column int, id, message string) {
		findings = append(findings, lint.Finding{
			Line: line, Column: column, Severity: lint.SeverityError, ID: id, Index: -1, Message: message,
		})
	}
	problems, lines := problemsIn(result.gaps, err)
	files := c.place(problems, o, result.by)
	if problems != nil {
		lines = append(lines, "the validation rules cannot be used:")
	}
	for i, p := range problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(problems)-i))
			break
		}
		file, line := files[&problems[i]], p.Line
		if file == "" {
			lines = append(lines, p.Error())
			continue
		}
		p.Line = 0 // the place has it
		place := &manifest.Error{File: file, Line: line, Column: p.Column, Message: p.Error()}
		lines = append(lines, output.OneLine(place.Error()))
		if file == o.File.Name {
			add(line, p.Column, unusableRules.ID, place.Message)
		}
	}
	separator := "\n"
	if len(problems) == 1 {
		separator = " "
	}
	result.Problem, result.Problems = strings.Join(lines, separator), problems
	if result.Problem != "" && len(findings) < min(max(len(problems), 1), maxProblems) {
		id := unusableRules.ID
		if err == nil && !slices.ContainsFunc(result.gaps, judged.Gap.IsUnreadable) {
			id = noTemplate.ID
		}
		add(o.Line, 1, id, strings.ReplaceAll(strings.Replace(result.Problem, ":\n", ": ", 1), "\n", "; "))
	}
	return findings
}

// problemsIn returns the problems of annotations, with their VMs, and in lines what else is in the way.
func problemsIn(gaps []judged.Gap, err error) (problems []vmrules.Problem, lines []string) {
	if parsed := (*vmrules.ParseError)(nil); errors.As(err, &parsed) {
		problems = slices.Clone(parsed.Problems)
	} else if err != nil {
		lines = append(lines, err.Error())
	}
	for _, g := range gaps {
		if g.IsError() && g.Problems == nil {
			lines = append(lines, output.OneLine(g.String()))
		}
		for _, p := range g.Problems {
			at := g.Name
			if p.Source == "template" {
				at = strings.TrimRight(at[:max(0, strings.LastIndex(at, "objects["))], ".")
			}
			p.Source = strings.TrimSpace(p.Source + " " + at)
			problems = append(problems, p)
		}
	}
	return problems, lines
}

// place sets the places of problems that are in the object or in templates, and returns their files. First it
// looks in the template of the object, since others may have the same mistakes.
func (c *checker) place(problems []vmrules.Problem, o manifest.Object, by *shelf.Template) map[*vmrules.Problem]string {
	files := map[*vmrules.Problem]string{}
	objects := []manifest.Object{o}
	if by != nil {
		objects = append(objects, by.Object)
	}
	for _, t := range c.Templates.All {
		objects = append(objects, t.Object)
	}
	for _, object := range objects {
		if filled, err := c.Fill(object); err == nil && len(files) < len(problems) {
			filled.PlaceProblems(problems, files, c.Templates.Reading...)
		}
	}
	return files
}
