package review

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A user writes much of what a response and metrics say, so that it could have megabytes.
const (
	MaxName    = 100  // of a kind, an operation or a rule
	maxMessage = 8192 // of a status
	maxCause   = 1024 // the message of a cause, and its field

	// API servers cut warnings beyond these.
	maxWarning  = 256
	maxWarnings = 4096 // all of a response

	maxNames = 200 // of one sort in the metrics of a process
)

// Shorten returns a text of at most n bytes.
func Shorten(text string, n int) string {
	const dots = "..."
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n-len(dots)], "") + dots // without half of a character
}

// fitting returns the warnings that fit, and a last one that counts the others. API servers drop those with
// control characters.
func fitting(warnings []string) []string {
	const rest = 50 // room for the last one
	size := 0
	var kept []string
	for i, w := range warnings {
		w = Shorten(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, w), maxWarning)
		size += len(w)
		if size > maxWarnings-rest {
			return append(kept, fmt.Sprintf("%d more warnings are left out", len(warnings)-i))
		}
		kept = append(kept, w)
	}
	return kept
}

// RuleLabel returns the name of a rule as the value of a label, and TemplateLabel that of a template, with
// its namespace. Beyond maxNames in a process, all new names share one. They are safe for concurrent use.
var RuleLabel, TemplateLabel = bounded(), bounded()

func bounded() func(name string) string {
	var mu sync.Mutex
	known := map[string]bool{}
	return func(name string) string {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case known[name]:
			return name
		case len(known) >= maxNames, len(name) > MaxName, !utf8.ValidString(name):
			return "(other)"
		}
		known[name] = true
		return name
	}
}
