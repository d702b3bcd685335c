package linting

import (
	"fmt"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// A Finding is a finding of the library, in a file.
type Finding struct {
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Column     int           `json:"column"` // in code points
	EndLine    int           `json:"endLine"`
	EndColumn  int           `json:"endColumn"` // behind the last character
	Object     string        `json:"object"`
	Severity   lint.Severity `json:"severity"`
	ID         string        `json:"id"`
	Rule       string        `json:"rule,omitempty"`
	Index      int           `json:"index"` // of the rule; -1 if it is not about a rule
	Key        string        `json:"key,omitempty"`
	Message    string        `json:"message"`
	Suggestion string        `json:"suggestion,omitempty"`

	excerpt manifest.Excerpt
	Fails   bool `json:"-"` // it sets the exit status
	Fix     *fix `json:"-"` // nil if there is none, or none is wanted
}

// Subject returns what a finding is about: its rule, if it has one.
func (f Finding) Subject() string {
	switch {
	case f.Rule != "":
		return fmt.Sprintf("rule %q: ", f.Rule)
	case f.Index >= 0:
		return fmt.Sprintf("rules[%d]: ", f.Index)
	}
	return ""
}

// Said returns what a finding says, wherever it is.
func (f Finding) Said() string { return f.ID + ": " + f.Subject() + f.Message }

// Short returns the finding in one line.
func (f Finding) Short() string {
	severity := output.SeverityColors[f.Severity].Sprint(output.SeverityWords[f.Severity])
	return fmt.Sprintf("%s:%d:%d: %s: %s%s [%s]", output.OneLine(f.File), f.Line, f.Column, severity, output.OneLine(f.Subject()), output.OneLine(f.Message), f.ID)
}

// Long also returns its line in the file, and carets below what it is about.
func (f Finding) Long() string {
	line, carets := output.Show(f.excerpt)
	return fmt.Sprintf("%s\n    %s\n    %s", f.Short(), line, output.SeverityColors[f.Severity].Sprint(carets))
}

// excerptSide is the number of code points of a long line that are shown on each side of a
// finding. In a JSON file, an annotation is a single line.
const excerptSide = 50
