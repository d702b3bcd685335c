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

// writeText writes findings for people: each with its line, and a caret below. Quiet, it writes
// only findings that set the exit status.
func (l *linter) writeText(w io.Writer, found *linted) error {
	for _, f := range found.Findings {
		if l.quiet && !f.fails {
			continue
		}
		line, caret := show(f.excerpt)
		severity := severityColors[f.Severity]
		fmt.Fprintf(w, "%s:%d:%d: %s: %s%s [%s]\n    %s\n    %s\n", oneLine(f.File), f.Line, f.Column,
			severity.Sprint(severityWords[f.Severity]), oneLine(f.subject()), oneLine(f.Message), f.ID, line, severity.Sprint(caret))
	}
	if l.quiet {
		return nil
	}
	fmt.Fprintf(w, "%s: %s, %s, %s", counted(found.Annotations, "annotation"),
		found.count(lint.SeverityError), found.count(lint.SeverityWarning), found.count(lint.SeverityInfo))
	if found.Accepted > 0 {
		fmt.Fprintf(w, ", %d accepted", found.Accepted)
	}
	if found.Excluded > 0 {
		fmt.Fprintf(w, ", %s excluded", counted(found.Excluded, "file"))
	}
	_, err := fmt.Fprintln(w)
	return err
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

// show returns an excerpt, and a line with a caret below its place.
func show(e manifest.Excerpt) (shown, caret string) {
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
	left = oneLine(left)
	return left + oneLine(right), strings.Repeat(" ", uniseg.StringWidth(left)) + "^"
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
