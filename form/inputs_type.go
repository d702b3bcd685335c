package form

import (
	"encoding/json"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// An inputType is the one type that an InputSchema gives a field, as JSON Schema writes it.
type inputType string

const (
	stringInput  inputType = "string"
	integerInput inputType = "integer"
	numberInput  inputType = "number"
	booleanInput inputType = "boolean"
)

// setInput sets the type of the fields at a path: the first that the rules allow, of the type
// of the values that are there, the type in KubeVirt's API, and what the rules ask.
func (g *schemaGroup) setInput(rules []*Resolved) {
	t := total{call: g.call}
	for _, withWarnings := range []bool{false, true} {
		for _, r := range rules {
			of := &g.rules[r.Index]
			if r.Outcome != vmrules.Ignored && of.Kind.IsOfFormat() && of.JustWarning == withWarnings {
				t.addArguments(r)
			}
		}
		if t.notes != nil {
			break
		}
	}
	t.settle()
	present, isScalar := presentType(rules[0])
	api, isScalarInAPI := apiType(g.rules[rules[0].Index].path)
	g.isInput = isScalar && isScalarInAPI
	if present == numberInput && (api == integerInput || t.set.Type().Is(constraint.Integer)) {
		present = integerInput
	}
	g.input = stringInput
	for _, kind := range []inputType{present, api, g.askedType(&t)} {
		if kind != "" && g.canBe(&t, kind) {
			g.input = kind
			return
		}
	}
}

// presentType returns the type that all values at a path have now; "" if they have none, or
// several types. It returns false for an array or object.
func presentType(r *Resolved) (inputType, bool) {
	var found inputType
	for i, v := range r.Values {
		var kind inputType
		switch s, isScalar := value.ScalarOf(v.Value); {
		case !isScalar:
			return "", false
		case v.Origin != "" || r.HasParameters && parameter.First(s.String()) != "":
			continue
		case s.Shape() == value.Number:
			kind = numberInput
		case s.Shape() == value.Boolean:
			kind = booleanInput
		default:
			kind = stringInput
		}
		if i > 0 && found != "" && kind != found {
			return "", true
		}
		found = kind
	}
	return found, true
}

// apiType returns the type that KubeVirt's API has for the fields at a path; "" if it is
// unknown. It returns false for an array or object.
func apiType(path []fieldpath.Step) (inputType, bool) {
	f := vmapi.OfVM()
	for _, step := range path {
		var next *vmapi.Field
		switch step := step.(type) {
		case fieldpath.Name:
			if found := f.Member(string(step)); found != nil {
				next = found[0]
			}
		case fieldpath.Index, fieldpath.Items:
			if f.Shape == vmapi.Array {
				next = f.Items
			}
		}
		if next == nil {
			return "", true
		}
		f = next
	}
	switch f.Shape {
	case vmapi.Scalar:
		return apiTypes[f.Type.Value().Sort], true
	case vmapi.Any:
		return "", true
	}
	return "", false
}

var apiTypes = map[vmapi.Sort]inputType{
	vmapi.Text: stringInput, vmapi.Time: stringInput, vmapi.Quantity: stringInput,
	vmapi.Integer: integerInput, vmapi.Boolean: booleanInput,
}

// askedType returns the type that suits what the rules ask.
func (g *schemaGroup) askedType(t *total) inputType {
	if s, ok := value.ScalarOf(g.at.Default); ok && s.Shape() == value.Number {
		return integerInput
	}
	switch {
	case t.values != nil:
		for _, kind := range []inputType{integerInput, numberInput, booleanInput} {
			if len(t.values) > 0 && len(g.allowed(t, kind)) == len(t.values) {
				return kind
			}
		}
		return stringInput
	case t.set.Type().Is(constraint.Integer):
		return integerInput
	case t.set.Type().Is(constraint.Number):
		return numberInput
	}
	return stringInput
}

// canBe reports whether values of a type may satisfy the rules.
func (g *schemaGroup) canBe(t *total, kind inputType) bool {
	switch {
	case t.values != nil:
		return len(g.allowed(t, kind)) > 0
	case kind == stringInput:
		return true
	case kind == booleanInput:
		return g.admits(t, true) || g.admits(t, false)
	}
	return g.numbers(t) != ""
}

// allowed returns the listed values that are of a type and match all patterns.
func (g *schemaGroup) allowed(t *total, kind inputType) []any {
	var all []any
	for _, text := range t.values {
		if v, ok := typedAs(text, kind); ok && g.admits(t, v) {
			all = append(all, v)
		}
	}
	return all
}

// typedAs returns the value of a type that is rendered as a text.
func typedAs(text string, kind inputType) (v any, ok bool) {
	switch kind {
	case stringInput:
		return text, true
	case booleanInput:
		return text == "true", text == "true" || text == "false"
	}
	n, err := quantity.ParseJSON(text)
	if err != nil || n.String() != text || kind == integerInput && !n.IsInteger() {
		return nil, false
	}
	return json.Number(text), true
}

// addHint adds the input of fields for which there are only rules with justWarning.
func (g *schemaGroup) addHint(notes []RuleNote) {
	if g.isInput {
		g.tree.grow(g.place).hint = &leaf{
			value: map[string]any{"type": string(g.input)}, title: titleOf(g.place), messages: messagesOf(notes),
		}
	}
}

// titleOf returns the name of the field at a place.
func titleOf(p place) string {
	for _, step := range slices.Backward(p.steps) {
		if name, ok := step.(fieldpath.Name); ok {
			return string(name)
		}
	}
	return ""
}
