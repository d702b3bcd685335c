// Package output writes what subcommands found: as text, as JSON, and in the formats of other programs.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/fatih/color"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// Loud lists the outcomes that need attention, the worst first.
var Loud = []vmrules.Outcome{vmrules.OutcomeViolated, vmrules.OutcomeUndecided, vmrules.OutcomeWarned, vmrules.OutcomeIgnored}

var (
	Good = color.New(color.FgGreen)
	Bad  = color.New(color.FgRed, color.Bold)
)

// MaxText is how many bytes of a text are written: the name of a rule may be very long, and is in each
// finding about the rule.
const MaxText = 500

// Short shortens a text that is too long to read.
func Short(text string) string {
	if len(text) <= MaxText {
		return text
	}
	return strings.ToValidUTF8(text[:MaxText], "") + "…"
}

// severityColors are used only on a terminal, and only if NO_COLOR is not set.
var severityColors = map[lint.Severity]*color.Color{
	lint.SeverityError:   color.New(color.FgRed, color.Bold),
	lint.SeverityWarning: color.New(color.FgYellow, color.Bold),
	lint.SeverityNote:    color.New(color.FgCyan, color.Bold),
}

// Counted returns a number of things, such as 2 files.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OneLine returns text that cannot move a terminal's cursor.
func OneLine(s string) string {
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

// JSON writes anything as indented JSON.
func JSON[T any](w io.Writer, v T) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
