package form

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/value"
)

// ParameterInputs returns a schema from which a form for the parameters of a template can be
// generated. It describes an object with a member for each parameter, as Fill takes it. Its
// keywords are those of Inputs: title and description are the parameter's own, followed by
// the messages of the rules, and default is its value.
//
//   - A parameter is a string, with what the rules ask of all the fields whose whole value it
//     is. If a field reads it as JSON, it may be a number or a boolean.
//   - If a field contains it beside other text, the schema has the values and lengths that
//     are left by that text. Unexpressed lists everything else.
//   - It is required if the template says so, without a value or a generator, and if the value
//     that it has otherwise does not satisfy the rules.
//
// If the schema accepts an object, and the template is filled in with it, Validate finds
// no fault with the fields that hold parameters, unless Unexpressed says otherwise, or a value
// itself contains a reference such as ${NAME}. Faults of other fields do not count.
//
// It returns the errors of Parameters. With an error about the rules, the schema is that of
// the parameters without the rules.
func ParameterInputs(template map[string]any, opts ...vmrules.ParseOption) (InputSchema, error) {
	r, err := readParameters(template, opts, true)
	w := &schemaWriter{call: r.call, patterns: map[string]*pattern{}, unexpressed: []Unexpressed{}, inputs: &inputs{}}
	if err != nil {
		r.asked = nil
	} else {
		w.unexpressed = append(w.unexpressed, r.doubt...)
	}
	properties, required := map[string]any{}, []any{}
	for i := range r.all {
		if err == nil && r.call.isSpent() {
			break
		}
		p := parameterWriter{Parameter: &r.all[i], narrowed: map[narrowing]bool{}}
		p.schemaWriter = w
		if r.asked != nil {
			p.asked = &r.asked[i]
		}
		properties[p.Name] = p.schema()
		if p.isRequired {
			required = append(required, p.Name)
		}
	}
	if err == nil && r.call.isSpent() {
		return InputSchema{Schema: nothingFits(), Unexpressed: []Unexpressed{{Reason: errFull.Error()}}}, errFull
	}
	schema := map[string]any{
		"$schema": SchemaDialect, "type": "object", "properties": properties, "additionalProperties": false,
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	return InputSchema{Schema: schema, Unexpressed: w.unexpressed}, err
}

// A parameterWriter writes the schema of one parameter.
type parameterWriter struct {
	schemaGroup
	*Parameter
	asked      *askedOf // nil if the rules are not known
	narrowed   map[narrowing]bool
	isRequired bool
}

// A narrowing makes the values of a parameter suit a part of a field.
type narrowing struct {
	of            *asked
	before, after string
}

var (
	errGenerated   = errors.New("a generated value is not compared with the rules")
	errReadAsJSON  = errors.New("a text that is JSON, such as 4, true or null, becomes a value of another type")
	errInKey       = errors.New("the parameter is in the name of a field, so that the rules may judge other fields")
	errInRules     = errors.New("the parameter is in the rules, which the schema reads with the value that the template declares")
	errPart        = errors.New("the field contains the parameter beside other text")
	errSeveral     = errors.New("the field contains several parameters")
	errMayBeSetToo = errors.New("the instance type or the preference may set or change the field")
)

func (p *parameterWriter) schema() map[string]any {
	schema := map[string]any{"type": string(stringInput)}
	p.input = stringInput
	p.isRequired = p.Required && p.Value == "" && p.Generate == ""
	var messages []string
	if p.asked != nil {
		before := len(p.unexpressed)
		p.setType()
		schema = p.valueSchema()
		p.leaveOutUses()
		for i := range p.unexpressed[before:] {
			p.unexpressed[before+i].Parameter = p.Name
		}
		messages = p.messages()
	}
	if p.Required {
		p.excludeEmpty(schema)
	}
	if v, ok := typedAs(p.Value, p.input); ok && p.Value != "" {
		schema["default"] = v
	}
	schema["title"] = p.DisplayName
	if p.DisplayName == "" {
		schema["title"] = p.Name
	}
	if p.Description != "" {
		messages = slices.Insert(messages, 0, p.Description)
	}
	if len(messages) > 0 {
		schema["description"] = joined(messages)
	}
	return schema
}

func (p *parameterWriter) isUsed(as UsedAs) bool {
	return slices.ContainsFunc(p.Uses, func(u Use) bool { return u.As == as })
}

// setType sets the type of the input. Only what is read as JSON can be other than a string.
func (p *parameterWriter) setType() {
	t := &p.asked.must
	p.at = p.asked.at
	if !p.isUsed(UsedJSON) || t.notes == nil {
		return
	}
	for _, kind := range []inputType{p.asked.json, p.askedType(t)} {
		if kind != "" && p.canBe(t, kind) {
			p.input = kind
			return
		}
	}
}

// valueSchema returns the schema of the values that satisfy the rules.
func (p *parameterWriter) valueSchema() map[string]any {
	t := &p.asked.must
	schema := map[string]any{"type": string(p.input)}
	if t.notes != nil {
		_ = p.budget.Spend(len(t.parts), 2*t.size()+len(t.patterns())*saySize)
		schema = p.inputValue(t)
	}
	for _, listsValues := range []bool{true, false} { // a list of values replaces all else
		for use := range p.Uses {
			if part := p.asked.parts[use]; (part.must.values != nil) == listsValues {
				p.addPart(schema, &p.Uses[use], part)
			}
		}
	}
	if p.input == stringInput {
		p.readAsJSON(schema)
	}
	p.excludeUnset(t, schema)
	p.requireUnlessFit(schema)
	return schema
}

// excludeUnset excludes a 0 that counts as a missing field, if that does not satisfy the rules.
func (p *parameterWriter) excludeUnset(t *total, schema map[string]any) {
	if p.at.Default != nil && p.at.ZeroIsDefault && p.input != stringInput && !p.admits(t, p.at.Default) {
		exclude0(schema)
	}
}

// readAsJSON accounts for strings that a field reads as JSON. If the schema lists values,
// those that become other values are compared with the rules; otherwise it cannot tell.
func (p *parameterWriter) readAsJSON(schema map[string]any) {
	if !p.isUsed(UsedJSON) {
		return
	}
	all, isList := schema["enum"].([]any)
	if !isList {
		p.leaveOut(nil, "", "string", errReadAsJSON)
		return
	}
	setValues(schema, slices.DeleteFunc(all, func(v any) bool { return !p.admitsJSON(v.(string)) }))
}

// admitsJSON reports whether the JSON value in a text satisfies the rules.
func (p *parameterWriter) admitsJSON(text string) bool {
	if p.budget.Spend(len(text)*textWork, 0) != nil {
		return false
	}
	v, err := value.ThroughJSON(json.RawMessage(text))
	if err != nil {
		v = text
	}
	if p.at.ZeroIsDefault && p.at.Default != nil {
		if s, ok := value.ScalarOf(v); ok && s.Shape() == value.Number && s.String() == "0" {
			v = p.at.Default
		}
	}
	return p.admits(&p.asked.must, v)
}

// admitsPart reports whether a value of the parameter satisfies what the rules ask of a field
// that contains it.
func (p *parameterWriter) admitsPart(t *total, use *Use, text string) bool {
	size := len(use.Before) + len(text) + len(use.After)
	return p.budget.Spend(size, 0) == nil && p.admits(t, use.Before+text+use.After)
}

// setValues sets the values that a schema lists.
func setValues(schema map[string]any, all []any) {
	if len(all) > 0 {
		schema["enum"] = all
		return
	}
	rejectAll(schema)
}

// rejectAll makes a schema reject every value.
func rejectAll(schema map[string]any) {
	clear(schema)
	maps.Copy(schema, nothingFits())
}

// addPart adds what the rules ask of a field that contains the parameter beside other text.
func (p *parameterWriter) addPart(schema map[string]any, use *Use, of *asked) {
	t, left, why := &of.must, of.unsaid, errPart
	if t.notes == nil {
		return
	}
	isAlone := use.Before != "" || use.After != ""
	own, isList := schema["enum"].([]any)
	switch {
	case !isAlone:
		why = errSeveral
	case isList && p.narrowed[narrowing{of, use.Before, use.After}]:
		left = nil
	case isList:
		left, p.narrowed[narrowing{of, use.Before, use.After}] = nil, true
		setValues(schema, slices.DeleteFunc(own, func(v any) bool {
			s, _ := value.ScalarOf(v)
			return !p.admitsPart(t, use, s.String())
		}))
	case p.input == stringInput && t.values != nil:
		left = nil
		p.listValues(schema, use, t)
	case p.input == stringInput:
		left = of.unsaidBesideLengths
		around := utf8.RuneCountInString(use.Before) + utf8.RuneCountInString(use.After)
		tighten(schema, t, constraint.MinLength, around)
		tighten(schema, t, constraint.MaxLength, around)
	}
	for _, part := range left {
		p.leaveOut(part.rule, part.key, "", why)
	}
}

// listValues lists the values that make the field one of the values that it may have.
func (p *parameterWriter) listValues(schema map[string]any, use *Use, t *total) {
	var all []any
	known := map[string]bool{}
	for _, whole := range t.values {
		rest, begins := strings.CutPrefix(whole, use.Before)
		rest, ends := strings.CutSuffix(rest, use.After)
		isFit := schema["type"] != nil && begins && ends && p.admits(t, whole) && (p.asked.must.notes == nil || p.admits(&p.asked.must, rest))
		if isFit && !known[rest] {
			known[rest] = true
			all = append(all, rest)
		}
	}
	clear(schema)
	schema["type"] = string(stringInput)
	setValues(schema, all)
}

// tighten makes a bound of the length satisfy a field that has more characters than the
// value.
func tighten(schema map[string]any, t *total, key string, around int) {
	bound := map[string]any{}
	addLength(bound, t, key)
	if bound[key] == nil {
		return
	}
	whole, _ := bound[key].(json.Number).Int64()
	length := int(whole) - around
	known := length
	if n, ok := schema[key].(json.Number); ok {
		n, _ := n.Int64()
		known = int(n)
	}
	switch {
	case key == constraint.MinLength && max(length, known) > 0:
		schema[key] = jsonInt(max(length, known))
	case key == constraint.MaxLength && length < 0:
		rejectAll(schema)
	case key == constraint.MaxLength:
		schema[key] = jsonInt(min(length, known))
	}
}

// requireUnlessFit makes a parameter required if the value that it has otherwise does not
// satisfy the rules. A generated value is not known.
func (p *parameterWriter) requireUnlessFit(schema map[string]any) {
	if p.Value == "" && p.Generate != "" {
		if p.asked.must.notes != nil || slices.ContainsFunc(p.asked.parts, func(part *asked) bool { return part.sharers > 0 }) {
			p.leaveOut(nil, "", "", errGenerated)
		}
		return
	}
	t := &p.asked.must
	isFit := t.notes == nil || (!p.isUsed(UsedWhole) || p.admits(t, p.Value)) && (!p.isUsed(UsedJSON) || p.admitsJSON(p.Value))
	for i := range p.Uses {
		use, part := &p.Uses[i], p.asked.parts[i]
		if part.must.notes != nil && (use.Before != "" || use.After != "") {
			isFit = isFit && p.admitsPart(&part.must, use, p.Value)
		}
	}
	p.isRequired = p.isRequired || !isFit || schema["not"] != nil && schema["type"] == nil
}

// excludeEmpty excludes the empty string, which counts as no value.
func (p *parameterWriter) excludeEmpty(schema map[string]any) {
	if schema["type"] != string(stringInput) {
		return
	}
	if all, ok := schema["enum"].([]any); ok {
		setValues(schema, slices.DeleteFunc(all, func(v any) bool { return v == "" }))
		return
	}
	if schema["minLength"] == nil || schema["minLength"] == json.Number("0") {
		schema["minLength"] = json.Number("1")
	}
}

// leaveOutUses records what follows from uses that the schema does not express.
func (p *parameterWriter) leaveOutUses() {
	if p.isUsed(UsedKey) {
		p.leaveOut(nil, "", "", errInKey)
	}
	if p.isUsed(UsedRules) {
		p.leaveOut(nil, "", "", errInRules)
	}
	if p.asked.mayBeSet != nil {
		p.leaveOut(p.asked.mayBeSet, "", "", errMayBeSetToo)
	}
}

// messages returns the messages of all rules about the parameter.
func (p *parameterWriter) messages() []string {
	all, known := slices.Clone(p.asked.messages), map[*asked]bool{}
	for _, part := range p.asked.parts {
		if !known[part] {
			known[part] = true
			all = append(all, part.messages...)
		}
	}
	all = distinct(all)
	_ = p.budget.Spend(0, len(joined(all)))
	return all
}
