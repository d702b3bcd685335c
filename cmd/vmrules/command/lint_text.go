package command

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/fatih/color"
	"github.com/rivo/uniseg"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// severityColors are used only on a terminal, and only if NO_COLOR is not set.
var severityColors = map[lint.Severity]*color.Color{
	lint.SeverityError:   color.New(color.FgRed, color.Bold),
	lint.SeverityWarning: color.New(color.FgYellow, color.Bold),
	lint.SeverityInfo:    color.New(color.FgCyan, color.Bold),
}

// severityWords are the severities in words, as compilers have them.
var severityWords = map[lint.Severity]string{
	lint.SeverityError: "error", lint.SeverityWarning: "warning", lint.SeverityInfo: "note",
}

// mostAlike is how many findings that say the same are written.
const mostAlike = 3

// write writes findings and a summary. Of more than mostAlike findings that say the same, it writes
// only the first, unless all are wanted. Quiet, it writes only findings that set the exit status.
func (l *linter) write(w io.Writer, found *linted, text func(finding) string) error {
	alike := map[string]int{}
	for _, f := range found.Findings {
		alike[f.said()]++
	}
	for _, f := range found.Findings {
		n := alike[f.said()]
		if l.quiet && !f.fails || n == 0 {
			continue
		}
		fmt.Fprintln(w, text(f))
		if n > mostAlike && !l.all {
			fmt.Fprintf(w, "    and %d more like it: --all shows them\n", n-1)
			alike[f.said()] = 0
		}
	}
	return l.writeSummary(w, found)
}

// writeSummary writes a line about all findings.
func (l *linter) writeSummary(w io.Writer, found *linted) error {
	if l.quiet {
		return nil
	}
	fmt.Fprintf(w, "%s: %s, %s, %s", counted(found.Annotations, "annotation"),
		found.count(lint.SeverityError), found.count(lint.SeverityWarning), found.count(lint.SeverityInfo))
	if found.Accepted > 0 {
		fmt.Fprintf(w, ", %d accepted", found.Accepted)
	}
	fmt.Fprint(w, l.exclude.String())
	if l.isFixing() {
		fmt.Fprintf(w, map[bool]string{false: ", %d fixed", true: ", %d would be fixed"}[l.diffs], found.Fixed)
		n := found.number(func(f finding) bool { return f.fix != nil && !f.fix.isSafe })
		if n > 0 && !l.unsafeFixes {
			fmt.Fprintf(w, ", %d fixable with --unsafe-fixes", n)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// said returns what a finding says, wherever it is.
func (f finding) said() string { return f.ID + ": " + f.subject() + f.Message }

// short returns the finding in one line.
func (f finding) short() string {
	severity := severityColors[f.Severity].Sprint(severityWords[f.Severity])
	return fmt.Sprintf("%s:%d:%d: %s: %s%s [%s]", oneLine(f.File), f.Line, f.Column, severity, oneLine(f.subject()), oneLine(f.Message), f.ID)
}

// long also returns its line in the file, and carets below what it is about.
func (f finding) long() string {
	line, carets := show(f.excerpt)
	return fmt.Sprintf("%s\n    %s\n    %s", f.short(), line, severityColors[f.Severity].Sprint(carets))
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// excerptSide is the number of code points of a long line that are shown on each side of a
// finding. In a JSON file, an annotation is a single line.
const excerptSide = 50

// show returns an excerpt, and a line with carets below what is marked.
func show(e manifest.Excerpt) (shown, carets string) {
	left, right := e.Before, e.Behind
	if e.CutBefore {
		left = "…" + left
	} else {
		left = strings.TrimLeft(left, " \t")
	}
	if e.CutBehind {
		right += "…"
	} else {
		right = strings.TrimRight(right, " \t")
	}
	left, marked := oneLine(left), oneLine(e.Behind[:e.Marked])
	return left + oneLine(right), strings.Repeat(" ", uniseg.StringWidth(left)) + strings.Repeat("^", max(uniseg.StringWidth(marked), 1))
}

// oneLine returns text that cannot move a terminal's cursor.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsGraphic(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
