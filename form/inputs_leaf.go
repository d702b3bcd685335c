package form

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// inputLeaf returns what rules ask of an input.
func (g *schemaGroup) inputLeaf(t *total) *leaf {
	l := &leaf{value: g.inputValue(t), title: titleOf(g.place), messages: messagesOf(t.notes)}
	if l.standIn = g.at.Default; l.standIn != nil {
		l.admitsDefault = g.admits(t, l.standIn) || g.isPartial && l.standIn == ""
		g.standIn(t, l)
	}
	_ = g.budget.Spend(0, 4*t.size())
	return l
}

// standIn adds what follows from the default of a missing field.
func (g *schemaGroup) standIn(t *total, l *leaf) {
	if g.at.ZeroIsDefault && !l.admitsDefault && g.admits(t, 0) {
		exclude0(l.value)
	}
	s, ok := value.ScalarOf(l.standIn)
	if !ok || !l.admitsDefault || g.at.MayBeSet || s.String() == "" {
		return
	}
	if v, ok := typedAs(s.String(), g.input); ok {
		l.value["default"] = v
	}
}

// exclude0 makes a schema reject the number 0.
func exclude0(schema map[string]any) {
	if schema["not"] == nil { // otherwise nothing fits
		schema["not"] = map[string]any{"const": json.Number("0")}
	}
}

// inputValue returns the schema of the values of the input's type that satisfy all rules.
func (g *schemaGroup) inputValue(t *total) map[string]any {
	kind := g.input
	schema := map[string]any{"type": string(kind)}
	if t.values != nil {
		all := g.allowed(t, kind)
		if len(all) == 0 {
			return nothingFits()
		}
		schema["enum"] = all
		return schema
	}
	for _, p := range t.parts {
		g.leaveOutOfInput(p)
	}
	switch kind {
	case stringInput:
		g.addText(schema, t)
	case booleanInput:
		return g.boolean(t)
	default:
		if g.numbers(t) == "" {
			return nothingFits()
		}
		g.addBound(schema, t, constraint.Min, "minimum")
		g.addBound(schema, t, constraint.Max, "maximum")
	}
	return schema
}

var errDouble = errors.New("the bound is not a number that JavaScript has")

// addBound adds a bound of numbers. JavaScript would read one that is not a float64 as
// another number, or as infinity.
func (g *schemaGroup) addBound(schema map[string]any, t *total, key, keyword string) {
	c, ok := t.set.Get(key).(*constraint.Bound)
	if !ok {
		return
	}
	text := c.Number().String()
	f, _ := strconv.ParseFloat(text, 64)
	if n, err := quantity.FromFloat(f, 64); err != nil || n.Compare(c.Number()) != 0 {
		for _, p := range t.parts {
			if p.key == key {
				g.leaveOut(p.rule, key, "number", errDouble)
			}
		}
		return
	}
	schema[keyword] = json.Number(text)
}

// boolean returns the schema of a boolean that satisfies all rules.
func (g *schemaGroup) boolean(t *total) map[string]any {
	all := g.booleans(t)
	switch len(all) {
	case 0:
		return nothingFits()
	case 1:
		return map[string]any{"type": string(booleanInput), "enum": all}
	}
	return map[string]any{"type": string(booleanInput)}
}

// addText adds what all rules ask of a string.
func (g *schemaGroup) addText(schema map[string]any, t *total) {
	addLength(schema, t, constraint.MinLength)
	addLength(schema, t, constraint.MaxLength)
	if format := formatOf(t); format != "" {
		schema["format"] = format
		_ = g.budget.Spend(0, len(format))
	}
	addPatterns(schema, g.writtenPatterns(t))
}

// leaveOutOfInput records what the schema of an input does not express of a rule.
func (g *schemaGroup) leaveOutOfInput(p part) {
	isNumber := g.input == integerInput || g.input == numberInput
	switch c := p.constraint.(type) {
	case *constraint.Length:
		if isNumber && !isAlwaysSo(c) {
			g.leaveOut(p.rule, p.key, "number", errLength)
		}
	case *constraint.Pattern:
		written := g.written(c)
		switch {
		case isNumber:
			g.leaveOut(p.rule, p.key, "number", errMatch)
		case g.input == stringInput && written.err != nil:
			g.leaveOut(p.rule, p.key, "string", written.err)
		}
	}
}

func messagesOf(notes []RuleNote) []string {
	all := make([]string, len(notes))
	for i, n := range notes {
		all[i] = n.Message
	}
	return distinct(all)
}

// distinct returns the first of all strings that are the same.
func distinct(all []string) []string {
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(s string) bool {
		isKnown := known[s]
		known[s] = true
		return isKnown
	})
}

func joined(messages []string) string { return strings.Join(messages, "; ") }
