package linting

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// A Finding is a finding in a file, with the fix that it may have.
type Finding struct {
	output.Finding
	fix *fix // nil if there is none, or none is wanted
}

// A Linted is the result of a run.
type Linted struct {
	Findings    []Finding         `json:"findings"`
	Unusable    []*manifest.Error `json:"unusable,omitempty"`
	Annotations int               `json:"annotations"`
	// Hidden counts the findings that --min-severity leaves out.
	Hidden map[lint.Severity]int `json:"hidden,omitempty"`
	// Accepted counts the findings that annotations or .vmrules.yaml accept, and Excluded files.
	Accepted int `json:"accepted,omitempty"`
	Excluded int `json:"excluded,omitempty"`
	// Fixed counts the findings that --fix has fixed, or would have without --diff.
	Fixed int `json:"fixed,omitempty"`

	Fails   bool          `json:"-"` // a finding sets the exit status, even if it is hidden
	LeftOut build.LeftOut `json:"-"` // documents that are not linted
	Source  string        `json:"-"` // how to render manifests of which only the description was read
	IsFull  bool          `json:"-"` // there are more findings
	HasVM   bool          `json:"-"` // an object may hold a VM
}

// NewLinted returns an empty Linted.
func NewLinted() *Linted {
	return &Linted{Findings: []Finding{}, LeftOut: build.LeftOut{}, Hidden: map[lint.Severity]int{}}
}

// MaxFindings is how many findings lint writes.
const MaxFindings = 50_000

// excerptSide is the number of code points of a long line that are shown on each side of a
// finding. In a JSON file, an annotation is a single line.
const excerptSide = 50

// Shown returns the findings, with the places of their fixes.
func (l *Linted) Shown() []output.Finding {
	all := []output.Finding{} // not null in JSON
	for _, f := range l.Findings {
		if f.fix != nil {
			f.Fixes = f.fix.replaced
		}
		all = append(all, f.Finding)
	}
	return all
}

// Counts says in words how many findings there are of each severity.
func (l *Linted) Counts() string {
	var all []string
	for _, s := range []lint.Severity{lint.SeverityError, lint.SeverityWarning, lint.SeverityNote} {
		text := output.Counted(l.number(func(f Finding) bool { return f.Severity == s }), string(s))
		if n := l.Hidden[s]; n > 0 {
			text = output.Counted(n, string(s)) + " not shown"
		}
		all = append(all, text)
	}
	if l.Accepted > 0 {
		all = append(all, fmt.Sprintf("%d accepted", l.Accepted))
	}
	return strings.Join(all, ", ")
}

// NeedUnsafe returns how many findings only fixes that are not safe can fix.
func (l *Linted) NeedUnsafe() int {
	return l.number(func(f Finding) bool { return f.fix != nil && !f.fix.isSafe })
}

func (l *Linted) number(like func(Finding) bool) int {
	n := 0
	for _, f := range l.Findings {
		if like(f) {
			n++
		}
	}
	return n
}
