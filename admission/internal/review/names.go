package review

import (
	"sync"
	"unicode/utf8"
)

// ruleNames are the names of rules in the metrics of the process.
var ruleNames = struct {
	sync.Mutex
	known map[string]bool
}{known: map[string]bool{}}

const maxNames = 200

// RuleLabel returns the name of a rule as the value of a label. Beyond maxNames, all new names
// share one. It is safe for concurrent use.
func RuleLabel(name string) string {
	ruleNames.Lock()
	defer ruleNames.Unlock()
	switch {
	case ruleNames.known[name]:
		return name
	case len(ruleNames.known) >= maxNames, len(name) > MaxName, !utf8.ValidString(name):
		return "(other)"
	}
	ruleNames.known[name] = true
	return name
}
