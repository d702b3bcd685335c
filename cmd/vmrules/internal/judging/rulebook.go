package judging

import (
	"io"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A Rulebook holds the rules of --rules, which replace the objects' own rules.
type Rulebook []build.Chapter

// IsWhole reports whether any rules are about objects of every kind.
func (b Rulebook) IsWhole() bool {
	return slices.ContainsFunc(b, func(c build.Chapter) bool { return c.IsWhole })
}

// Counts reports whether a document is to be validated.
func (b Rulebook) Counts(d manifest.Document) bool { return b.IsWhole() || d.HoldsVM() }

// Read reads the files as a build does, and returns all their errors.
func (b *Rulebook) Read(by build.Build, files []string, stdin io.Reader) []*manifest.Error {
	var wrong []*manifest.Error
	for _, name := range files {
		none := true
		for file, err := range manifest.Read([]string{name}, stdin) {
			if err != nil {
				wrong = append(wrong, err.(*manifest.Error))
				none = false
				continue
			}
			for _, d := range file.Documents() {
				read, problems := by.Read(&d)
				for _, p := range problems {
					line, column := d.Place(p.Offset)
					p.Line = 0 // this is the line in the JSON
					wrong = append(wrong, &manifest.Error{File: d.File.Name, Line: line, Column: column, Message: p.Error()})
				}
				*b = append(*b, read)
				none = none && problems == nil && read.Rules.Len() == 0
			}
		}
		if none {
			wrong = append(wrong, &manifest.Error{File: name, Message: "no rules found"})
		}
	}
	return wrong
}

// Judge validates an object, which may hold VMs, by all rules. The rules are numbered across
// all documents.
func (b Rulebook) Judge(object map[string]any, holdsVM bool, opts ...vmrules.ValidateOption) *vmrules.Report {
	var all []vmrules.Result
	first := 0
	for _, c := range b {
		if c.IsWhole || holdsVM {
			for _, result := range vmrules.Validate(c.Rules, object, opts...).Results() {
				if result.Index >= 0 {
					result.Index += first
				}
				all = append(all, result)
			}
		}
		first += c.Rules.Len()
	}
	return vmrules.NewReport(all)
}
