package build

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A Chapter holds the rules of one document.
type Chapter struct {
	Rules   vmrules.Rules
	IsWhole bool // the rules are about objects of every kind, not about VMs
}

// Read reads the rules in a document, or returns all their problems.
func (b Build) Read(d *manifest.Document) (Chapter, []vmrules.Problem) {
	reader, ok := b.Documents[d.Type()]
	if !d.IsArray() && (!ok || d.IsScalar()) {
		return Chapter{}, Problems(b.refusal(d))
	}
	text, err := d.JSON()
	if err != nil {
		return Chapter{}, Problems(err)
	}
	if d.IsArray() {
		rules, err := vmrules.ParseRules(text, b.Options()...)
		return Chapter{Rules: rules}, Problems(err)
	}
	rules, err := reader([]byte(text))
	return Chapter{Rules: rules, IsWhole: true}, Problems(err)
}

// Problems returns the problems of an error, or the error as a problem.
func Problems(err error) []vmrules.Problem {
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
	what := cmp.Or(d.Type(), "an object without kind")
	if d.IsScalar() {
		what = "a text or number"
	}
	text := fmt.Sprintf("%s cannot be rules: write %s", what, strings.Join(b.forms(), ", "))
	switch {
	case d.IsTemplate():
		text += "; to use the rules of a template, give it with --template"
	case len(b.Documents) == 0:
		text += "; vmrules-full also reads schemas and policies of Kyverno: " + InstallFull
	}
	return errors.New(text)
}

// AboutForms describes in help texts what --rules accepts.
func (b Build) AboutForms() string {
	text := "\nEach document in a file for --rules is " + strings.Join(b.forms(), ",\nor ") + ".\n"
	if len(b.Documents) > 0 {
		text += "Except for arrays, they validate whole objects of every kind, and not only VMs.\n"
	}
	return text
}

func (b Build) forms() []string {
	forms := []string{"an array of rules as in an annotation"}
	for _, name := range slices.Sorted(maps.Keys(b.Documents)) {
		forms = append(forms, "a "+cmp.Or(name, "schema without kind"))
	}
	return forms
}
