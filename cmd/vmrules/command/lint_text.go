package command

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/fatih/color"
	"github.com/rivo/uniseg"

	"github.com/vmrules/vmrules"
)

// severityColors are seen on a terminal only, and not where NO_COLOR is set.
var severityColors = map[vmrules.Severity]*color.Color{
	vmrules.SeverityError:   color.New(color.FgRed, color.Bold),
	vmrules.SeverityWarning: color.New(color.FgYellow, color.Bold),
	vmrules.SeverityInfo:    color.New(color.FgCyan, color.Bold),
}

// writeText writes findings for people: each with its line, and a caret below.
func writeText(w io.Writer, l *linted) error {
	for _, f := range l.Findings {
		line, caret := excerpt(f.source, f.Column)
		severity := severityColors[f.Severity]
		fmt.Fprintf(w, "%s:%d:%d: %s: %s%s [%s]\n    %s\n    %s\n", oneLine(f.File), f.Line, f.Column,
			severity.Sprint(f.Severity), oneLine(f.subject()), oneLine(f.Message), f.ID, line, severity.Sprint(caret))
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s, %s\n", counted(l.Annotations, "annotation"),
		counted(l.count(vmrules.SeverityError), "error"),
		counted(l.count(vmrules.SeverityWarning), "warning"),
		counted(l.count(vmrules.SeverityInfo), "info"))
	return err
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// What an excerpt shows of a long line, in code points: JSON files hold an
// annotation in one.
const (
	maxBefore = 50
	maxBehind = 50
)

// excerpt is the part of a line around a column, and a caret that stands below
// it.
func excerpt(line string, column int) (shown, caret string) {
	characters := []rune(strings.TrimRight(line, " \t"))
	at := min(column-1, len(characters))
	before, behind := []rune(strings.TrimLeft(string(characters[:at]), " \t")), characters[at:]
	start, end := "", ""
	if len(before) > maxBefore {
		start, before = "…", before[len(before)-maxBefore:]
	}
	if len(behind) > maxBehind {
		end, behind = "…", behind[:maxBehind]
	}
	left := start + oneLine(string(before))
	return left + oneLine(string(behind)) + end, strings.Repeat(" ", uniseg.StringWidth(left)) + "^"
}

// oneLine keeps text from moving a terminal's cursor.
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
