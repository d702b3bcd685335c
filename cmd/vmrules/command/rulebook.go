package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A rulebook holds the rules of --rules, which count in place of those that objects
// have themselves.
type rulebook struct {
	build    Build
	files    []string
	chapters []chapter
}

// A chapter is what one document holds.
type chapter struct {
	rules   vmrules.Rules
	isWhole bool // they are about objects of every kind, and not about VMs
}

func (b *rulebook) flag(command *cobra.Command) {
	command.Flags().StringArrayVar(&b.files, "rules", nil, "file with the rules to judge by, instead of the objects' own")
}

// inputTwice is an error where the standard input is named more than once: whoever
// comes second finds nothing, and passes.
func inputTwice(files ...[]string) error {
	named := 0
	for _, name := range slices.Concat(files...) {
		if name == "-" {
			named++
		}
	}
	if named > 1 {
		return errors.New("- is the standard input, which can be read once: give the rules or the objects as a file")
	}
	return nil
}

// isGiven tells whether there is a rulebook at all.
func (b *rulebook) isGiven() bool { return b.files != nil }

// isWhole tells whether any rules are about objects of every kind.
func (b *rulebook) isWhole() bool {
	return slices.ContainsFunc(b.chapters, func(c chapter) bool { return c.isWhole })
}

// read reads the files, and returns all that is wrong with them.
func (b *rulebook) read(stdin io.Reader) []*manifest.Error {
	var wrong []*manifest.Error
	for _, name := range b.files {
		none := true
		for file, err := range manifest.Read([]string{name}, stdin) {
			if err != nil {
				wrong = append(wrong, err.(*manifest.Error))
				none = false
				continue
			}
			for _, d := range file.Documents() {
				read, problems := b.build.read(&d)
				for _, p := range problems {
					wrong = append(wrong, inFile(d, p))
				}
				b.chapters = append(b.chapters, read)
				none = false
			}
		}
		if none {
			wrong = append(wrong, &manifest.Error{File: name, Message: "there are no rules in it"})
		}
	}
	return wrong
}

// inFile is a problem at its place.
func inFile(d manifest.Document, p vmrules.Problem) *manifest.Error {
	line, column := d.Place(p.Offset)
	p.Line = 0 // which is that in the JSON
	return &manifest.Error{File: d.File().Name, Line: line, Column: column, Message: p.Error()}
}

// judge judges an object, which may hold VMs, by all rules. The rules count
// through all documents.
func (b *rulebook) judge(object map[string]any, holdsVM bool) *vmrules.Report {
	var all []vmrules.Result
	first := 0
	for _, c := range b.chapters {
		if c.isWhole || holdsVM {
			for _, result := range vmrules.Validate(c.rules, object).Results() {
				if result.Index >= 0 {
					result.Index += first
				}
				all = append(all, result)
			}
		}
		first += c.rules.Len()
	}
	return vmrules.NewReport(all)
}

// read reads the rules in a document, or says all that is wrong with them.
func (b Build) read(d *manifest.Document) (chapter, []vmrules.Problem) {
	reader, ok := b.Documents[d.Type()]
	if !d.IsArray() && (!ok || d.IsScalar()) {
		return chapter{}, problemsOf(b.refusal(d))
	}
	text, err := d.JSON()
	if err != nil {
		return chapter{}, problemsOf(err)
	}
	if d.IsArray() {
		rules, err := vmrules.ParseRules(text, b.options()...)
		return chapter{rules: rules}, problemsOf(err)
	}
	rules, err := reader([]byte(text))
	return chapter{rules: rules, isWhole: true}, problemsOf(err)
}

// problemsOf are those of an error, or the error as one.
func problemsOf(err error) []vmrules.Problem {
	if err == nil {
		return nil
	}
	if all := (*vmrules.ParseError)(nil); errors.As(err, &all) {
		return all.Problems
	}
	return []vmrules.Problem{{Index: -1, Message: err.Error()}}
}

// refusal says why a document is not taken for rules, and what would be.
func (b Build) refusal(d *manifest.Document) error {
	what := d.Type()
	switch {
	case d.IsScalar():
		what = "a text or number"
	case what == "":
		what = "an object without kind"
	}
	text := fmt.Sprintf("%s is not read as rules here: write %s", what, strings.Join(b.forms(), ", "))
	switch {
	case d.IsTemplate():
		text += "; for the rules of a template, there is --template"
	case len(b.Documents) == 0:
		text += "; vmrules-full also reads CustomResourceDefinitions, schemas, and policies of Kyverno: go install github.com/vmrules/vmrules/cmd/vmrules-full@latest"
	}
	return errors.New(text)
}

// aboutForms says what --rules takes.
func (b Build) aboutForms() string {
	text := "\nThe rules of --rules are, once or more in a file:\n\n  " + strings.Join(b.forms(), "\n  ") + "\n"
	if len(b.Documents) > 0 {
		text += `
All but the first are about whole objects: with them, objects of every kind are
judged, and not only those that hold VMs.
`
	}
	return text
}

// forms are what rules may be written as.
func (b Build) forms() []string {
	forms := []string{"an array as in an annotation"}
	for _, name := range slices.Sorted(maps.Keys(b.Documents)) {
		if name == "" {
			name = "schema alone"
		}
		forms = append(forms, "a "+name)
	}
	return forms
}
