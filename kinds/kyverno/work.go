package kyverno

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kyverno/kyverno/pkg/engine/anchor"

	"github.com/vmrules/vmrules"
)

const (
	// stepWork is the price of a step in nanoseconds of a vmrules.Budget's Time. A step is one node
	// of the pattern, one character, or one step of matching wildcards.
	stepWork = 50
	// comparison is the number of steps of a comparison, in addition to its characters.
	comparison = 100
	// copiedName is the number of steps of a member of a map: Kyverno copies labels and annotations.
	copiedName = 5
	// maxWildSteps is the largest number of steps that wildcardSteps returns. No budget
	// suffices for it.
	maxWildSteps = math.MaxInt / stepWork
	// maxWildText is the largest length in bytes of a text that is matched with wildcards:
	// Kyverno recurses for each character.
	maxWildText = 1 << 18
)

// A work pays for one call of Check, from the budget of the call of Validate.
type work struct {
	in    *vmrules.Input
	doubt string
	why   vmrules.Doubt // of all values: DoubtBound if a limit was exceeded for one
}

func (w *work) undecided(note string) vmrules.Verdict {
	return vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: note, Doubt: w.why}
}

// spend pays for steps, and reports whether there is no doubt so far.
func (w *work) spend(steps int) bool {
	if err := w.in.Spend(time.Duration(min(steps, maxWildSteps))*stepWork, 0); err != nil {
		w.doubts(err.Error())
	}
	return w.doubt == ""
}

// doubts records why Kyverno cannot be relied on. Only the first reason is kept.
func (w *work) doubts(why string) {
	if w.doubt == "" {
		w.doubt = why
	}
}

// walk pays for all comparisons that Kyverno may make. It records why Kyverno's result could be
// wrong.
func (w *work) walk(n *node, v any, isItem bool) {
	if !w.spend(n.size) {
		return
	}
	switch {
	case n.isMap:
		m, ok := v.(map[string]any)
		if !ok || !w.spend(len(m)*copiedName) {
			return
		}
		for _, f := range n.fields {
			if !f.has(anchor.Negation) {
				w.walk(f.node, m[f.name], false)
			}
		}
	case n.isList:
		list, _ := v.([]any)
		for _, item := range n.items {
			for _, value := range list {
				w.walk(item, value, true)
			}
			if !item.isMap && !item.isList {
				w.shown(v)
			}
		}
	default:
		w.scalar(n, v, isItem)
	}
}

// scalar walks a value whose pattern is neither a map nor a list. If the value is a list, Kyverno
// compares each item.
func (w *work) scalar(n *node, v any, isItem bool) {
	list, ok := v.([]any)
	if !ok || isItem {
		w.compare(n, v)
		return
	}
	if len(list) == 0 && n.pattern != nil && n.pattern != "*" {
		w.doubts("the list is empty, so that Kyverno compares nothing with the pattern")
	}
	w.shown(v)
	for _, item := range list {
		w.compare(n, item)
	}
}

// compare pays for the comparison of one value with a pattern.
func (w *work) compare(n *node, v any) {
	if !w.shown(v) {
		return
	}
	if n.isEmpty && (v == false || v == 0 || v == int64(0) || v == 0.0) {
		w.doubts("where a pattern asks for an empty text, Kyverno also takes 0 and false")
	}
	if _, ok := n.pattern.(string); !ok {
		if w.spend(comparison) {
			w.doubts(doubtNumber(n.pattern, v))
		}
		return
	}
	if n.pattern == "*" {
		return
	}
	text, isText := v.(string)
	if v == n.pattern && (len(n.conditions) != 1 || n.conditions[0].operand != text) {
		w.doubts("the value is the text of the pattern, which Kyverno takes for a match")
	}
	for _, c := range n.conditions {
		if !w.spend(comparison + len(c.operand) + len(text)) {
			return
		}
		w.doubts(c.doubt(v))
		if isText {
			w.wildcards(c.operand, text)
		}
	}
}

// shown pays for a value that Kyverno may write into an error, and looks for phrases that it
// would misread there. The text of a list may have a phrase although none of its items has.
func (w *work) shown(v any) bool {
	switch v := v.(type) {
	case map[string]any, []any:
		if w.measure(v) {
			w.phrases(fmt.Sprint(v))
		}
	case string:
		if w.spend(len(v)) {
			w.phrases(v)
		}
	case json.Number:
		return w.spend(len(v))
	}
	return w.doubt == ""
}

func (w *work) phrases(text string) {
	if phrase := phraseIn(text); phrase != "" {
		w.doubts(fmt.Sprintf("the value contains %q, by which Kyverno recognizes its own errors", phrase))
	}
}

// shownValue is the number of steps of writing a value in a map or list into an error. It is
// sorted, and written several times.
const shownValue = 200

// measure pays for writing a value with all values in it.
func (w *work) measure(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if !w.spend(shownValue+len(name)) || !w.measure(value) {
				return false
			}
		}
	case []any:
		for _, item := range v {
			if !w.measure(item) {
				return false
			}
		}
	case string:
		return w.spend(1 + len(v))
	}
	return w.spend(shownValue)
}

// wildcards pays for matching a text with wildcards. It grows quickly with the number of *.
func (w *work) wildcards(pattern, text string) bool {
	if pattern == "*" || !strings.Contains(pattern, "*") {
		return w.spend(len(text))
	}
	if len(text) > maxWildText {
		w.doubts(fmt.Sprintf("the text is longer than %d bytes, the limit for wildcards", maxWildText))
		w.why = vmrules.DoubtBound
		return false
	}
	p, s := []rune(pattern), []rune(text)
	return w.spend(min(len(p)+1, maxWildSteps/(len(s)+1))*(len(s)+1)) && w.spend(wildcardSteps(p, s))
}

// wildcardSteps returns the number of steps of Kyverno's matcher. At each *, the matcher first
// tries to match nothing, and then one more character. wildcardSteps computes the steps for all
// pairs of a suffix of the pattern and a suffix of the text, from the shortest to the longest.
func wildcardSteps(pattern, text []rune) int {
	matches, steps := make([]bool, len(text)+1), make([]int, len(text)+1)
	matches[len(text)] = true
	for _, p := range slices.Backward(pattern) {
		later, laterSteps := matches, steps
		matches, steps = make([]bool, len(text)+1), make([]int, len(text)+1)
		for i := len(text); i >= 0; i-- {
			steps[i] = 1
			switch {
			case p == '*':
				matches[i], steps[i] = later[i], 1+laterSteps[i]
				if !matches[i] && i < len(text) {
					matches[i], steps[i] = matches[i+1], min(steps[i]+steps[i+1], maxWildSteps)
				}
			case i < len(text) && (p == '?' || p == text[i]):
				matches[i], steps[i] = later[i+1], 1+laterSteps[i+1]
			}
		}
	}
	return steps[0]
}
