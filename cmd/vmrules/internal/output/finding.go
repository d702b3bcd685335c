package output

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// A Finding says what is wrong at a place in a file. It has the same form whichever subcommand
// found it.
type Finding struct {
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Column     int           `json:"column"`              // in code points
	EndLine    int           `json:"endLine,omitempty"`   // 0 if the end is not known
	EndColumn  int           `json:"endColumn,omitempty"` // behind the last character
	Object     string        `json:"object"`
	Severity   lint.Severity `json:"severity"`
	ID         string        `json:"id"`
	Rule       string        `json:"rule,omitempty"`
	Index      int           `json:"index"` // of the rule; -1 if it is not about a rule
	Key        string        `json:"key,omitempty"`
	Message    string        `json:"message"`
	Suggestion string        `json:"suggestion,omitempty"`

	Excerpt  manifest.Excerpt `json:"-"`
	Fails    bool             `json:"-"` // it sets the exit status
	OfObject bool             `json:"-"` // it is about the object more than about a rule
	Fixes    []lint.Finding   `json:"-"` // each with a place, and what to write there
}

// said returns what a finding says, wherever it is.
func (f Finding) said() string {
	switch {
	case f.Rule != "":
		return fmt.Sprintf("rule %q: %s", f.Rule, f.Message)
	case f.Index >= 0:
		return fmt.Sprintf("rules[%d]: %s", f.Index, f.Message)
	}
	return f.Message
}

// text returns what a finding says, in an object if it is about that.
func (f Finding) text() string {
	if f.OfObject && f.Object != "" {
		return f.Object + ": " + f.said()
	}
	return f.said()
}

// Topic returns the ID of the topic of a finding: the rule, if it is about an object.
func (f Finding) Topic() string {
	if f.OfObject {
		return cmp.Or(f.Rule, f.ID)
	}
	return f.ID
}

// Short returns the finding in one line.
func (f Finding) Short() string {
	severity := severityColors[f.Severity].Sprint(string(f.Severity))
	return fmt.Sprintf("%s:%d:%d: %s: %s [%s]", OneLine(f.File), f.Line, f.Column, severity, OneLine(f.text()), f.ID)
}

// Long also returns its line in the file, and carets below what it is about, if its end is known.
func (f Finding) Long() string {
	if f.EndLine == 0 {
		return f.Short()
	}
	left, right := OneLine(f.Excerpt.Before), OneLine(f.Excerpt.Behind)
	width := max(uniseg.StringWidth(OneLine(f.Excerpt.Behind[:f.Excerpt.Marked])), 1)
	carets := strings.Repeat(" ", uniseg.StringWidth(left)) + strings.Repeat("^", width)
	return fmt.Sprintf("%s\n    %s%s\n    %s", f.Short(), left, right, severityColors[f.Severity].Sprint(carets))
}

// Findings are what a subcommand says about files.
type Findings struct {
	All      []Finding
	Topics   []Topic // of all findings, and perhaps of others
	Unusable []*manifest.Error
}

// unreadable returns the files that cannot be used as findings with an ID.
func (r Findings) unreadable(id string) (all []Finding) {
	for _, e := range r.Unusable {
		all = append(all, Finding{
			File: e.File, Line: e.Line, Column: e.Column, Severity: lint.SeverityError, ID: id, Index: -1, Message: e.Message,
		})
	}
	return all
}

// A Topic is what findings have in common.
type Topic struct {
	ID, Meaning, Help string // help is a URL
	Severity          lint.Severity
	Advice            string // in Markdown
}

// A Text writes findings for people.
type Text struct {
	Quiet bool // only those that set the exit status
	All   bool // also each of many that say the same
	Form  func(Finding) string

	alike map[string]int
}

// mostAlike is how many findings that say the same are written.
const mostAlike = 3

// Count counts findings before any is written.
func (t *Text) Count(all []Finding) {
	t.alike = map[string]int{}
	for _, f := range all {
		t.alike[f.ID+f.said()]++
	}
}

// Write writes findings. Of more than mostAlike findings that say the same, it writes only the first,
// unless all are wanted.
func (t *Text) Write(w io.Writer, findings []Finding) {
	for _, f := range findings {
		key := f.ID + f.said()
		n := t.alike[key]
		if t.Quiet && !f.Fails || n == 0 {
			continue
		}
		fmt.Fprintln(w, t.Form(f))
		if n > mostAlike && !t.All {
			fmt.Fprintf(w, "    and %d more like it: --all shows them\n", n-1)
			t.alike[key] = 0
		}
	}
}
