package vmrules

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A schemaLeaf is what a schema says of a value.
type schemaLeaf struct {
	value map[string]any // null apart
	rules []any

	mayBeEmpty    bool              // under Partial an empty string is not filled in yet
	standIn       *jsonpath.Implied // what counts where nothing is written; nil: nothing
	admitsDefault bool
	admitsZero    bool
}

// quantityPattern matches every string that is a quantity, and nothing else.
const quantityPattern = `^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE])?$`

// renderedNumber has all characters of numbers in plain decimal notation.
const renderedNumber = "-.0123456789"

// A schemaPattern is a regular expression in a schema.
type schemaPattern struct {
	written   string
	err       error // why it cannot be written
	noNumbers bool  // it matches no number
}

// pattern writes a regular expression of PCRE, each only once.
func (w *schemaWriter) pattern(p *constraint.Pattern) *schemaPattern {
	if known := w.patterns[p.String()]; known != nil {
		return known
	}
	s := &schemaPattern{}
	tree, err := pcre.Parse(p.String(), &w.budget)
	if err == nil {
		s.noNumbers = tree.NeedsMoreThan(renderedNumber)
		s.written, err = tree.ECMA(&w.budget)
	}
	s.err = err
	w.patterns[p.String()] = s
	return s
}

// leaf says of the values at a path what rules demand.
func (g *schemaGroup) leaf(d *demands) *schemaLeaf {
	d.settle()
	l := &schemaLeaf{value: g.values(d)}
	for _, r := range d.rules {
		l.rules = append(l.rules, map[string]any{"rule": r.Rule, "message": r.Message})
	}
	l.mayBeEmpty = g.partial && !g.admits(d, "")
	if f := g.path.standIn(); f != nil {
		l.standIn = f
		l.admitsDefault = g.admits(d, f.Default()) || l.mayBeEmpty && f.Default() == ""
		l.admitsZero = g.admits(d, 0)
	}
	_ = g.budget.Spend(0, 4*d.size())
	return l
}

// admits tells whether a value satisfies all demands.
func (g *schemaGroup) admits(d *demands, v any) bool {
	s, ok := value.ScalarOf(v)
	if !ok || !d.admits(&s) || d.values != nil && !slices.Contains(d.values, s.String()) {
		return false
	}
	return g.matches(d, &s)
}

// matches tells whether a value matches all patterns. Where that cannot be
// told, the schema does not say it.
func (g *schemaGroup) matches(d *demands, s *value.Scalar) bool {
	ok, err := d.matches(s)
	if err == nil {
		return ok
	}
	for _, p := range d.parts {
		if _, isPattern := p.constraint.(*constraint.Pattern); isPattern {
			g.leaveOut(p.rule, g.target, p.key, "", err)
		}
	}
	return true
}

// values is the schema of the values that satisfy the demands, null apart.
func (g *schemaGroup) values(d *demands) map[string]any {
	if d.values != nil {
		return g.enum(d)
	}
	numbers := g.numbers(d)
	for _, p := range d.parts {
		g.leaveOutOf(p, numbers)
	}
	schema := g.strings(d)
	types := []any{"string"}
	if numbers != "" {
		types = append(types, numbers)
		addNumber(schema, "minimum", d.decimal(constraint.Min))
		addNumber(schema, "maximum", d.decimal(constraint.Max))
	}
	var booleans []any
	for _, b := range []bool{false, true} {
		if g.admits(d, b) {
			booleans = append(booleans, b)
		}
	}
	if len(booleans) == 2 {
		types = append(types, "boolean")
	}
	schema["type"] = oneOrMore(types)
	if len(booleans) == 1 {
		return map[string]any{"anyOf": []any{schema, map[string]any{"const": booleans[0]}}}
	}
	return schema
}

// oneOrMore is how a schema writes its types.
func oneOrMore(types []any) any {
	if len(types) == 1 {
		return types[0]
	}
	return types
}

// enum lists the values, each in every form in which it is rendered the same.
func (g *schemaGroup) enum(d *demands) map[string]any {
	all := []any{}
	for _, s := range d.values {
		if !g.matches(d, textScalar(s)) {
			continue
		}
		all = append(all, s)
		if d.set.Type().Is(constraint.String) {
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

// numbers is the type of the numbers that may be allowed; "" where none is.
func (g *schemaGroup) numbers(d *demands) string {
	switch {
	case d.set.Type().Is(constraint.String) || slices.ContainsFunc(d.patterns(), func(p *constraint.Pattern) bool { return g.pattern(p).noNumbers }):
		return ""
	case d.set.Type().Is(constraint.Integer):
		return "integer"
	}
	return "number"
}

// strings is what the schema says of strings.
func (g *schemaGroup) strings(d *demands) map[string]any {
	schema := map[string]any{}
	addLength(schema, d, constraint.MinLength)
	addLength(schema, d, constraint.MaxLength)
	var patterns []any
	if d.set.Type().Is(constraint.Number) {
		patterns = append(patterns, quantityPattern)
	}
	for _, p := range d.patterns() {
		written := g.pattern(p)
		if written.err != nil {
			continue
		}
		if g.budget.Spend(0, len(written.written)) != nil {
			g.leaveOut(nil, g.target, constraint.Regex, "", errSchemaFull)
			break
		}
		patterns = append(patterns, written.written)
	}
	var more []any
	for i, p := range patterns {
		if i == 0 {
			schema["pattern"] = p
			continue
		}
		more = append(more, map[string]any{"pattern": p})
	}
	if more != nil {
		schema["allOf"] = more
	}
	return schema
}

func addNumber(schema map[string]any, keyword string, n json.Number) {
	if n != "" {
		schema[keyword] = n
	}
}

// maxSchemaLength is the largest length that every reader of JSON reads
// exactly. No string comes near it.
const maxSchemaLength = 1<<53 - 1

// addLength writes a bound of the length, which JSON Schema calls as the format does.
func addLength(schema map[string]any, d *demands, key string) {
	b, ok := d.set.Get(key).(*constraint.Length)
	if !ok {
		return
	}
	length, fits := b.Number().Int64()
	if !fits {
		length = maxSchemaLength
	}
	schema[key] = jsonInt(int(min(length, maxSchemaLength)))
}

var (
	errSchemaIntegral = errors.New("a string that is an integral quantity is an integer")
	errSchemaQuantity = errors.New("a string that is a quantity is compared by its value")
	errSchemaLength   = errors.New("the length of a number is that of its plain decimal notation")
	errSchemaMatch    = errors.New("a number is matched in its plain decimal notation")
)

// leaveOutOf notes what of a rule the schema of values does not say.
func (g *schemaGroup) leaveOutOf(p demandPart, numbers string) {
	leaveOut := func(valueType string, why error) { g.leaveOut(p.rule, g.target, p.key, valueType, why) }
	switch c := p.constraint.(type) {
	case nil:
		if p.rule.Kind == KindInteger {
			leaveOut("string", errSchemaIntegral)
		}
	case *constraint.Bound:
		leaveOut("string", errSchemaQuantity)
	case *constraint.Length:
		if numbers != "" && !isAlwaysSo(c) {
			leaveOut("number", errSchemaLength)
		}
	case *constraint.Pattern:
		written := g.pattern(c)
		if written.err != nil {
			leaveOut("string", written.err)
		}
		if numbers != "" {
			leaveOut("number", errSchemaMatch)
		}
	}
}

// isAlwaysSo tells whether every number is rendered with a length that will do.
func isAlwaysSo(c *constraint.Length) bool {
	return c.Key() == constraint.MinLength && c.Number().Compare(quantity.FromInt(1)) <= 0
}

// standIn is what counts where nothing is written at the end of a path; nil:
// nothing.
func (p schemaPath) standIn() *jsonpath.Implied {
	f := p.implied.Of(p.steps)
	if f.Default() == nil {
		return nil
	}
	if _, ok := p.steps[len(p.steps)-1].(jp.Child); !ok {
		return nil
	}
	return f
}

// of is the schema of what may stand there, with null if nothing has to.
func (l *schemaLeaf) of(isThere bool) map[string]any {
	schema := maps.Clone(l.value)
	if zero := map[string]any{"const": json.Number("0")}; l.standIn.ZeroIsUnset() {
		switch {
		case l.admitsDefault && !l.admitsZero:
			schema = map[string]any{"anyOf": []any{zero, schema}}
		case !l.admitsDefault && l.admitsZero:
			schema["not"] = zero
		}
	}
	if l.mayBeEmpty {
		schema = map[string]any{"anyOf": []any{map[string]any{"const": ""}, schema}}
	}
	if !isThere {
		schema = orNull(schema)
	}
	if l.standIn != nil {
		schema["default"] = value.Canonical(l.standIn.Default())
	}
	schema[SchemaRules] = l.rules
	return schema
}

// orNull allows null too.
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
