package linting

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// A Linted is the result of a run.
type Linted struct {
	Findings    []output.Finding  `json:"findings"`
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

	stderr io.Writer
	fixes  []*fix // of each finding; nil if there is none, or none is wanted
}

// NewLinted returns an empty Linted, which writes to stderr what cannot be used.
func NewLinted(stderr io.Writer) *Linted {
	return &Linted{stderr: stderr, Findings: []output.Finding{}, LeftOut: build.LeftOut{}, Hidden: map[lint.Severity]int{}}
}

// Fail adds why a file, or an object in it, cannot be used.
func (l *Linted) Fail(err error) { l.Unusable = append(l.Unusable, cli.Unusable(l.stderr, err)) }

// MaxFindings is how many findings lint writes.
const MaxFindings = 50_000

// excerptSide is the number of code points of a long line that are shown on each side of a
// finding. In a JSON file, an annotation is a single line.
const excerptSide = 50

// Counts says in words how many findings there are of each severity.
func (l *Linted) Counts() string {
	shown := map[lint.Severity]int{}
	for _, f := range l.Findings {
		shown[f.Severity]++
	}
	var all []string
	for _, s := range config.Severities {
		text := output.Counted(shown[s], string(s))
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
	return len(slices.DeleteFunc(slices.Clone(l.fixes), func(f *fix) bool { return f == nil || f.isSafe }))
}

// PlaceFixes adds to the findings what their fixes write where.
func (l *Linted) PlaceFixes() {
	for i, f := range l.fixes {
		if f != nil {
			l.Findings[i].Fixes = f.replaced
		}
	}
}
