package form

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A leaf is what a schema says about a scalar value.
type leaf struct {
	value map[string]any // the schema, except for null
	rules []any

	standIn       any // the default of a missing field, or nil
	admitsDefault bool
}

// quantityPattern matches every string that is a quantity, and nothing else.
const quantityPattern = `^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE])?$`

// renderedNumber holds all characters that a number in plain decimal notation may have.
const renderedNumber = "-.0123456789"

// A pattern is a regular expression in a schema.
type pattern struct {
	written   string
	err       error // why it cannot be written
	noNumbers bool  // it matches no number
}

// written returns a PCRE regular expression as a schema writes it. It translates each only
// once.
func (w *schemaWriter) written(p *constraint.Pattern) *pattern {
	if known := w.patterns[p.String()]; known != nil {
		return known
	}
	s := &pattern{}
	var tree pcre.Tree
	if tree, s.err = pcre.Parse(p.String(), &w.budget); s.err == nil {
		s.noNumbers = tree.NeedsMoreThan(renderedNumber)
		s.written, s.err = tree.ECMA(&w.budget)
	}
	w.patterns[p.String()] = s
	return s
}

func (g *schemaGroup) leaf(t *total) *leaf {
	t.settle()
	l := &leaf{value: g.values(t), standIn: g.at.Default}
	for _, r := range t.notes {
		l.rules = append(l.rules, map[string]any{"rule": r.Rule, "message": r.Message})
	}
	mayBeEmpty := g.isPartial && !g.admits(t, "") // an empty string counts as not filled in yet
	if l.standIn != nil {
		l.admitsDefault = g.admits(t, l.standIn) || mayBeEmpty && l.standIn == ""
		zero := map[string]any{"const": json.Number("0")} // may count as the default, and then satisfies what that does
		switch admitsZero := g.admits(t, 0); {
		case !g.at.ZeroIsDefault || admitsZero == l.admitsDefault:
		case admitsZero:
			l.value["not"] = zero
		default:
			l.value = map[string]any{"anyOf": []any{zero, l.value}}
		}
	}
	if mayBeEmpty {
		l.value = map[string]any{"anyOf": []any{map[string]any{"const": ""}, l.value}}
	}
	_ = g.budget.Spend(0, 4*t.size())
	return l
}

// admits reports whether a value satisfies all rules.
func (g *schemaGroup) admits(t *total, v any) bool {
	s, ok := value.ScalarOf(v)
	if !ok || !t.admits(&s) {
		return false
	}
	if t.listed != nil {
		if ok, _ = t.listed.Holds(&s, &t.budget); !ok { // an error is about values that are not listed
			return false
		}
	}
	return g.matches(t, &s)
}

// matches reports whether a value matches all patterns. If that is unknown, it returns true
// and records that the schema leaves the patterns out.
func (g *schemaGroup) matches(t *total, s *value.Scalar) bool {
	for _, p := range t.patterns {
		ok, err := p.Holds(s, &t.budget)
		if err != nil {
			for _, p := range t.parts {
				if p.key == constraint.Regex {
					g.leaveOut(p.rule, p.key, "", err)
				}
			}
			return true
		}
		if !ok {
			return false
		}
	}
	return true
}

// values returns the schema of the values that satisfy all rules, except for null.
func (g *schemaGroup) values(t *total) map[string]any {
	if t.values != nil {
		return g.enum(t)
	}
	numbers := g.numbers(t)
	for _, p := range t.parts {
		g.leaveOutOf(p, numbers)
	}
	schema := g.strings(t)
	types := []any{"string"}
	if numbers != "" {
		types = append(types, numbers)
		for keyword, key := range map[string]string{"minimum": constraint.Min, "maximum": constraint.Max} {
			if n := t.decimal(key); n != "" {
				schema[keyword] = n
			}
		}
	}
	var booleans []any
	for _, v := range []bool{false, true} {
		if g.admits(t, v) {
			booleans = append(booleans, v)
		}
	}
	if len(booleans) == 2 {
		types = append(types, "boolean")
	}
	schema["type"] = types
	if len(types) == 1 {
		schema["type"] = types[0]
	}
	if len(booleans) == 1 {
		return map[string]any{"anyOf": []any{schema, map[string]any{"const": booleans[0]}}}
	}
	return schema
}

// enum lists the values. A value is in the list as a string, number and boolean, as far as
// these are rendered the same.
func (g *schemaGroup) enum(t *total) map[string]any {
	all := []any{}
	for _, s := range t.values {
		if v := value.FromString(s); !g.matches(t, &v) {
			continue
		}
		all = append(all, s)
		if t.set.Type().Is(constraint.String) {
			continue
		}
		if n, err := quantity.ParseJSON(s); err == nil && n.String() == s {
			all = append(all, json.Number(s))
		}
		if s == "true" || s == "false" {
			all = append(all, s == "true")
		}
	}
	if len(all) == 0 {
		return nothingFits()
	}
	return map[string]any{"enum": all}
}

// numbers returns the type of the numbers that may be allowed; "" if there are none.
func (g *schemaGroup) numbers(t *total) string {
	switch {
	case t.set.Type().Is(constraint.String) || slices.ContainsFunc(t.patterns, func(p *constraint.Pattern) bool { return g.written(p).noNumbers }):
		return ""
	case t.set.Type().Is(constraint.Integer):
		return "integer"
	}
	return "number"
}

// strings returns what the schema says about strings. It leaves out patterns that it cannot write.
func (g *schemaGroup) strings(t *total) map[string]any {
	schema := map[string]any{}
	for _, key := range []string{constraint.MinLength, constraint.MaxLength} { // as JSON Schema calls them, too
		if n := t.decimal(key); n != "" {
			length, _ := n.Int64() // the largest there is if the bound is larger
			schema[key] = jsonInt(min(length, maxLength))
		}
	}
	var patterns []any // each in a schema of its own
	if t.set.Type().Is(constraint.Number) {
		patterns = append(patterns, map[string]any{"pattern": quantityPattern})
	}
	for _, p := range t.patterns {
		if written := g.written(p); written.err == nil && g.budget.Spend(0, len(written.written)) == nil {
			patterns = append(patterns, map[string]any{"pattern": written.written})
		}
	}
	if len(patterns) > 0 {
		maps.Copy(schema, patterns[0].(map[string]any))
	}
	if len(patterns) > 1 {
		schema["allOf"] = patterns[1:]
	}
	return schema
}

// maxLength is the largest length that every reader of JSON reads exactly. No string is
// that long.
const maxLength = 1<<53 - 1

var (
	errIntegral = errors.New("a string that is an integral quantity counts as an integer")
	errQuantity = errors.New("a string that is a quantity is compared by its value")
	errLength   = errors.New("the length of a number is the length of its plain decimal notation")
	errMatch    = errors.New("a regex matches the plain decimal notation of a number")
)

// leaveOutOf records what the schema of the values does not express of a rule.
func (g *schemaGroup) leaveOutOf(p part, numbers string) {
	leaveOut := func(valueType string, why error) { g.leaveOut(p.rule, p.key, valueType, why) }
	switch c := p.constraint.(type) {
	case nil:
		if p.rule.Kind == vmrules.KindInteger {
			leaveOut("string", errIntegral)
		}
	case *constraint.Bound:
		leaveOut("string", errQuantity)
	case *constraint.Length:
		isAlwaysSo := c.Key() == constraint.MinLength && c.Number().Compare(quantity.FromInt(1)) <= 0
		if numbers != "" && !isAlwaysSo {
			leaveOut("number", errLength)
		}
	case *constraint.Pattern:
		written := g.written(c)
		if written.err != nil {
			leaveOut("string", written.err)
		}
		if numbers != "" {
			leaveOut("number", errMatch)
		}
	}
}

// of returns the schema of the value. It allows null if the value may be missing.
func (l *leaf) of(isThere bool) map[string]any {
	schema := maps.Clone(l.value)
	if !isThere {
		schema = orNull(schema)
	}
	if l.standIn != nil {
		schema["default"] = value.Canonical(l.standIn)
	}
	schema[SchemaRules] = l.rules
	return schema
}

func orNull(schema map[string]any) map[string]any {
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(slices.Clone(values), nil)
		return schema
	}
	switch types := schema["type"].(type) {
	case string:
		schema["type"] = []any{types, "null"}
		return schema
	case []any:
		schema["type"] = append(slices.Clone(types), "null")
		return schema
	}
	return map[string]any{"anyOf": []any{map[string]any{"type": "null"}, schema}}
}
