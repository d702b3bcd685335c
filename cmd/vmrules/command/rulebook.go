package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A rulebook holds the rules of --rules, which replace the objects' own rules.
type rulebook struct {
	build    Build
	files    []string
	chapters []chapter
}

// A chapter holds the rules of one document.
type chapter struct {
	rules   vmrules.Rules
	isWhole bool // the rules are about objects of every kind, not about VMs
}

// inputTwice returns an error if the standard input or a pipe is named more than once. The second
// reader would find nothing to check, and pass, or wait for ever.
func inputTwice(files ...[]string) error {
	named := map[string]bool{}
	for _, name := range slices.Concat(files...) {
		stream := manifest.StreamOf(name)
		switch {
		case named[stream] && name == "-":
			return errors.New("standard input can be read only once: give - once, and files otherwise")
		case named[stream]:
			return fmt.Errorf("%s is a pipe or a device, which can be read only once: give it once, and files otherwise", name)
		}
		named[stream] = stream != ""
	}
	return nil
}

// isGiven reports whether there is a --rules flag.
func (b *rulebook) isGiven() bool { return b.files != nil }

// isWhole reports whether any rules are about objects of every kind.
func (b *rulebook) isWhole() bool {
	return slices.ContainsFunc(b.chapters, func(c chapter) bool { return c.isWhole })
}

// counts reports whether a document is to be judged.
func (b *rulebook) counts(d manifest.Document) bool { return b.isWhole() || d.HoldsVM() }

// read reads the files, and returns all their errors.
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
					line, column := d.Place(p.Offset)
					p.Line = 0 // this is the line in the JSON
					wrong = append(wrong, &manifest.Error{File: d.File.Name, Line: line, Column: column, Message: p.Error()})
				}
				b.chapters = append(b.chapters, read)
				none = false
			}
		}
		if none {
			wrong = append(wrong, &manifest.Error{File: name, Message: "no rules found"})
		}
	}
	return wrong
}

// judge judges an object, which may hold VMs, by all rules. The rules are numbered across
// all documents.
func (b *rulebook) judge(object map[string]any, holdsVM bool, opts ...vmrules.ValidateOption) *vmrules.Report {
	var all []vmrules.Result
	first := 0
	for _, c := range b.chapters {
		if c.isWhole || holdsVM {
			for _, result := range vmrules.Validate(c.rules, object, opts...).Results() {
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

// read reads the rules in a document, or returns all their problems.
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

// problemsOf returns the problems of an error, or the error as a problem.
func problemsOf(err error) []vmrules.Problem {
	if err == nil {
		return nil
	}
	if all := (*vmrules.ParseError)(nil); errors.As(err, &all) {
		return all.Problems
	}
	return []vmrules.Problem{{Index: -1, Message: err.Error()}}
}

// refusal returns why a document cannot be rules, and what can be.
func (b Build) refusal(d *manifest.Document) error {
	what := d.Type()
	switch {
	case d.IsScalar():
		what = "a text or number"
	case what == "":
		what = "an object without kind"
	}
	text := fmt.Sprintf("%s cannot be rules: write %s", what, strings.Join(b.forms(), ", "))
	switch {
	case d.IsTemplate():
		text += "; to use the rules of a template, give it with --template"
	case len(b.Documents) == 0:
		text += "; vmrules-full also reads schemas and policies of Kyverno: " + installFull
	}
	return errors.New(text)
}

// aboutForms describes in help texts what --rules accepts.
func (b Build) aboutForms() string {
	text := "\nA file for --rules contains one or more of:\n\n  " + strings.Join(b.forms(), "\n  ") + "\n"
	if len(b.Documents) > 0 {
		text += `
All but the first are rules about whole objects. With them, objects of every kind are
checked, not only those that contain VMs.
`
	}
	return text
}

// forms returns the forms in which rules may be written.
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
