package kyverno

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kyverno/kyverno/ext/wildcard"
	"github.com/kyverno/kyverno/pkg/engine/anchor"

	"github.com/vmrules/vmrules"
)

const (
	// stepWork is what a step of the walk takes, a character that is looked at, and
	// a step of a wildcard, in the units of a vmrules.Budget.
	stepWork = 50
	// comparison is what one takes, beside its characters, in such steps.
	comparison = 100
	// sortedName is what a name takes that is sorted among others.
	sortedName = 20
	// maxWildSteps is where the steps of one wildcard are no longer counted: no
	// budget suffices for them.
	maxWildSteps = math.MaxInt / stepWork
	// maxWildText is how long a text may be that wildcards are applied to:
	// Kyverno calls itself for each character.
	maxWildText = 1 << 18
)

// work pays for what is done in one call of Check, from the budget of the call of
// Validate.
type work struct {
	in    *vmrules.Input
	doubt string
}

// spend pays for steps, and reports whether there is no doubt so far.
func (w *work) spend(steps int) bool {
	if err := w.in.Spend(times(steps, stepWork), 0); err != nil {
		w.doubts(err.Error())
	}
	return w.doubt == ""
}

// times is n times each, or the largest int.
func times(n, each int) int {
	if n > math.MaxInt/each {
		return math.MaxInt
	}
	return n * each
}

// doubts keeps the first reason not to ask Kyverno.
func (w *work) doubts(why string) {
	if w.doubt == "" {
		w.doubt = why
	}
}

// foresee goes through all comparisons that Kyverno may make, pays for them, and
// says why the outcome could not be relied on; "" where it can.
func (w *work) foresee(n *node, v any) string {
	w.doubt = ""
	w.walk(n, v, false)
	return w.doubt
}

func (w *work) walk(n *node, v any, isItem bool) {
	if !w.spend(n.size) {
		return
	}
	switch {
	case n.isMap:
		if m, ok := v.(map[string]any); ok {
			w.fields(n, m)
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

func (w *work) fields(n *node, m map[string]any) {
	var taken []string
	for _, f := range n.fields {
		if f.has(anchor.Negation) {
			continue
		}
		name := f.name
		if f.isWild() {
			found := w.labels(f, m)
			if len(found) > 1 {
				w.doubts(fmt.Sprintf("several names are like %s, of which Kyverno takes any: %s", f.name, shortened(strings.Join(found, ", "))))
			}
			if len(found) == 0 {
				continue
			}
			name = found[0]
		}
		taken = append(taken, name)
		w.walk(f.node, m[name], false)
	}
	w.collisions(n, m, taken)
}

// labels are the names in m that a name with wildcards stands for.
func (w *work) labels(f field, m map[string]any) []string {
	var found []string
	if !w.spend(len(m) * sortedName) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !w.wildcards(f.name, name) || !wildcard.Match(f.name, name) {
			continue
		}
		found = append(found, name)
		if _, ok := m[name].(string); !ok {
			w.doubts(fmt.Sprintf("%s is not a string, so Kyverno does not see it", shortened(name)))
		}
		w.phrases(name)
	}
	return found
}

// collisions: two names of a pattern that come to the same one, or an object
// whose names look like anchors, leave it to chance what Kyverno compares.
func (w *work) collisions(n *node, m map[string]any, taken []string) {
	wild := slices.ContainsFunc(n.fields, field.isWild)
	if !wild && !n.expands() {
		return
	}
	slices.Sort(taken)
	if wild && len(slices.Compact(taken)) < len(taken) {
		w.doubts("two names of the pattern stand for the same label or annotation")
	}
	if !n.expands() {
		return
	}
	for name := range m {
		if a := anchor.Parse(name); a != nil && (a.Key() == "labels" || a.Key() == "annotations") {
			w.doubts(fmt.Sprintf("Kyverno takes the name %s for an anchor", shortened(name)))
		}
	}
}

// expands reports whether a map has labels or annotations whose names have
// wildcards.
func (n *node) expands() bool {
	for _, f := range n.fields {
		if slices.ContainsFunc(f.node.fields, field.isWild) {
			return true
		}
	}
	return false
}

// scalar is a value beside a pattern that is neither map nor list: each item of
// a list is compared.
func (w *work) scalar(n *node, v any, isItem bool) {
	list, ok := v.([]any)
	if !ok || isItem {
		w.compare(n, v)
		return
	}
	if len(list) == 0 && n.pattern != nil && n.pattern != "*" {
		w.doubts("Kyverno finds nothing to compare in an empty list")
	}
	w.shown(v)
	for _, item := range list {
		w.compare(n, item)
	}
}

// compare is one value beside a pattern.
func (w *work) compare(n *node, v any) {
	if !w.shown(v) {
		return
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

// shown pays for a value that Kyverno may write into an error, and looks for
// words that it would misread there. They can be spread over the items of a
// list.
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
		w.doubts(fmt.Sprintf("the value holds the words %q, by which Kyverno recognises its own errors", phrase))
	}
}

// shownValue is what a value in a map or list takes that is written into an error,
// in steps: it is put in order, and written several times.
const shownValue = 200

// measure pays for all that is in a value.
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

// wildcards pays for a match with wildcards, whose cost grows with each *.
func (w *work) wildcards(pattern, text string) bool {
	if pattern == "*" || !strings.Contains(pattern, "*") {
		return w.spend(len(text))
	}
	if len(text) > maxWildText {
		w.doubts(fmt.Sprintf("the text is longer than the %d bytes that wildcards are applied to", maxWildText))
		return false
	}
	p, s := []rune(pattern), []rune(text)
	return w.spend((len(p)+1)*(len(s)+1)) && w.spend(wildcardSteps(p, s))
}

// wildcardSteps counts the steps of Kyverno's matcher, which tries at each * to
// match nothing with it, and only then one character more. It fills in the table
// of all pairs of a rest of the pattern and a rest of the text, from their ends.
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
