package review

import (
	"sync"
	"unicode/utf8"
)

// RuleLabel returns the name of a rule as the value of a label, and TemplateLabel that of a template, with
// its namespace. Beyond maxNames in a process, all new names share one. They are safe for concurrent use.
var RuleLabel, TemplateLabel = bounded(), bounded()

const maxNames = 200

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
