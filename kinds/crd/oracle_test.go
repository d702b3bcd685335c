package crd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/kinds/crd"
)

// For generated schemas and values, a rule of kind "schema" has the same fields and reasons as
// the API server's validators when they are called directly.
func TestSchemaIsTheAPIServers(t *testing.T) {
	t.Parallel()
	outcomes := map[vmrules.Outcome]int{}
	for n := range uint64(400) {
		g := generator{rand.New(rand.NewPCG(n, seeds.Of(1)))}
		schema := g.schema(3)
		rule := []any{map[string]any{"name": "r", "rule": "schema", "path": "jsonpath::.value", "message": "m", "schema": schema}}
		rules, err := vmrules.ParseRules(string(encode(t, rule)), vmrules.WithKind("schema", crd.Schema), vmrules.WholeObjects())
		if err != nil && strings.Contains(err.Error(), "oldSelf cannot be used") {
			continue // the generator may put a list with keys below another list
		}
		if err != nil {
			t.Fatalf("%s: %v", encode(t, schema), err)
		}
		expected := direct(t, encode(t, schema))
		for range 10 {
			value := g.value(schema)
			if value == nil { // absent, which the validators are not asked about
				continue
			}
			object := encode(t, map[string]any{"value": value})
			old := encode(t, map[string]any{"value": g.value(schema)})
			report := vmrules.Validate(rules, conformance.DecodeExactly(object), vmrules.WithOldObject(conformance.DecodeExactly(old)))
			outcomes[report.Results()[0].Outcome]++
			var got []string
			for _, v := range report.Violations() {
				got = append(got, fmt.Sprintf("%s %s", v.Field, v.Reason))
			}
			slices.Sort(got)
			if diff := cmp.Diff(expected(object, old), got); diff != "" {
				t.Fatalf("schema %s\nobject %s\nold %s\n(-API server +kind schema):\n%s\n%s", encode(t, schema), object, old, diff, report)
			}
		}
	}
	if outcomes[vmrules.OutcomeSatisfied] < 300 || outcomes[vmrules.OutcomeViolated] < 300 {
		t.Errorf("got outcomes %v, want at least 300 of Satisfied and Violated", outcomes)
	}
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// direct calls the API server's validators for objects whose field "value" has the schema.
func direct(t *testing.T, schema json.RawMessage) func(object, old json.RawMessage) []string {
	t.Helper()
	wrapped := fmt.Sprintf(`{"type": "object", "properties": {"value": %s}}`, schema)
	var read v1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	if err := json.Unmarshal([]byte(wrapped), &read); err != nil {
		t.Fatal(err)
	}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&read, &internal, nil); err != nil {
		t.Fatal(err)
	}
	s, err := structural.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	prepared := func(text []byte) map[string]any {
		var o map[string]any
		if err := utiljson.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		pruning.Prune(o, s, false)
		defaulting.PruneNonNullableNullsWithoutDefaults(o, s)
		defaulting.Default(o, s)
		return o
	}
	rules := cel.NewValidator(s, false, celconfig.PerCallLimit)
	return func(object, old json.RawMessage) []string {
		o := prepared(object)
		errs := validation.ValidateCustomResource(nil, o, validator)
		errs = append(errs, crd.ValidateMeta(o, s)...)
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s, o)...)
		isBlocked := slices.ContainsFunc(errs, func(e *field.Error) bool {
			return slices.Contains([]field.ErrorType{
				field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
			}, e.Type)
		})
		if rules != nil && !isBlocked {
			more, _ := rules.Validate(context.Background(), nil, s, o, prepared(old), celconfig.RuntimeCELCostBudget)
			errs = append(errs, more...)
		}
		var all []string
		for _, e := range errs {
			reason := map[field.ErrorType]vmrules.Reason{
				field.ErrorTypeRequired: vmrules.ReasonRequired, field.ErrorTypeDuplicate: vmrules.ReasonDuplicate,
				field.ErrorTypeNotSupported: vmrules.ReasonNotSupported, field.ErrorTypeForbidden: vmrules.ReasonForbidden,
				field.ErrorTypeTooLong: vmrules.ReasonTooLong, field.ErrorTypeTypeInvalid: vmrules.ReasonTypeInvalid,
				field.ErrorTypeInvalid: vmrules.ReasonInvalid, field.ErrorTypeTooMany: vmrules.ReasonInvalid,
			}[e.Type]
			if m := fieldInText.FindStringSubmatch(e.Detail); m != nil {
				e.Field = m[1] + m[2]
			}
			all = append(all, fmt.Sprintf("%s %s", keyInBrackets.ReplaceAllString(e.Field, ".$1"), reason))
		}
		slices.Sort(all)
		return all
	}
}

// keyInBrackets matches the key of a map in Kubernetes' field paths.
var keyInBrackets = regexp.MustCompile(`\[([a-d])\]`)

// fieldInText matches errors that have their field only in their text.
var fieldInText = regexp.MustCompile(`^"(.*)" must (?:not )?validate|^Checked value must .* in (.*)$`)

// A generator makes schemas that the API server accepts, and values that nearly
// fit them.
type generator struct{ *rand.Rand }

func (g generator) often(n int) bool { return g.IntN(n) > 0 }

func (g generator) schema(depth int) map[string]any {
	s := g.typed(depth)
	if !g.often(4) {
		s["nullable"] = true
	}
	rules := map[string][]string{
		"integer": {"self > 1", "self >= oldSelf", "10 / self > 2"},
		"string":  {"self != 'b'", "self.size() < 3"},
		"object":  {"!has(self.a) || has(self.b)", "has(self.c)"},
		"array":   {"self.size() != 1"},
	}[fmt.Sprint(s["type"])]
	if _, isMap := s["additionalProperties"]; isMap {
		rules = []string{"!('a' in self)", "self.all(k, k != 'b')"}
	}
	for _, rule := range rules {
		if g.often(3) || rule == "self >= oldSelf" && depth < 3 { // an item of a list has no old value
			continue
		}
		validation := map[string]any{"rule": rule}
		if !g.often(2) {
			validation["reason"] = []string{"FieldValueForbidden", "FieldValueDuplicate", "FieldValueRequired", "FieldValueInvalid"}[g.IntN(4)]
		}
		if s["properties"] != nil && !g.often(2) {
			validation["fieldPath"] = ".a"
		}
		if !g.often(3) {
			validation["message"] = "a message"
		}
		list, _ := s["x-kubernetes-validations"].([]any)
		s["x-kubernetes-validations"] = append(list, validation)
	}
	return s
}

func (g generator) typed(depth int) map[string]any {
	n := 7
	if depth == 0 {
		n = 5
	}
	switch g.IntN(n) {
	case 0:
		s := map[string]any{"type": "integer"}
		g.maybe(s, map[string]any{"maximum": 4, "minimum": 1, "multipleOf": 2, "enum": []any{1, 2, 4}, "exclusiveMaximum": true, "not": map[string]any{"enum": []any{3}}})
		return s
	case 1:
		s := map[string]any{"type": "number"}
		g.maybe(s, map[string]any{"maximum": 4, "minimum": 1, "anyOf": []any{map[string]any{"minimum": 3}, map[string]any{"maximum": 2}}})
		return s
	case 2:
		s := map[string]any{"type": "string", "maxLength": 5}
		g.maybe(s, map[string]any{"minLength": 1, "pattern": "^[a-c]*$", "enum": []any{"a", "b", "1.2.3.4"}, "format": "ipv4", "oneOf": []any{map[string]any{"pattern": "a"}, map[string]any{"maxLength": 2}}})
		return s
	case 3:
		return map[string]any{"type": "boolean"}
	case 4:
		return map[string]any{"x-kubernetes-int-or-string": true}
	case 5:
		return g.array(depth)
	}
	return g.object(depth)
}

// maybe sets some of the keywords.
func (g generator) maybe(s, keywords map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(keywords)) {
		if !g.often(4) {
			s[name] = keywords[name]
		}
	}
}

func (g generator) array(depth int) map[string]any {
	s := map[string]any{"type": "array", "maxItems": 4, "items": g.schema(depth - 1)}
	g.maybe(s, map[string]any{"minItems": 1})
	switch g.IntN(3) {
	case 0:
		s["items"] = map[string]any{"type": "string", "maxLength": 3}
		s["x-kubernetes-list-type"] = "set"
	case 1:
		s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []any{"a"}
		s["items"] = map[string]any{
			"type": "object", "required": []any{"a"},
			"properties": map[string]any{"a": map[string]any{"type": "integer"}, "b": map[string]any{
				"type": "integer", "x-kubernetes-validations": []any{map[string]any{"rule": "self >= oldSelf"}}}},
		}
	}
	return s
}

func (g generator) object(depth int) map[string]any {
	s := map[string]any{"type": "object"}
	if !g.often(3) {
		s["additionalProperties"], s["maxProperties"] = g.schema(depth-1), 3
		return s
	}
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		properties[name] = g.schema(depth - 1)
	}
	if !g.often(2) {
		properties["c"] = map[string]any{"type": "integer", "default": 2}
	}
	s["properties"] = properties
	g.maybe(s, map[string]any{"required": []any{"a"}, "minProperties": 2, "maxProperties": 2, "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic"})
	return s
}

func (g generator) value(s map[string]any) any {
	switch {
	case !g.often(15):
		return []any{1, "a", true, 2.5, []any{}, map[string]any{}}[g.IntN(6)]
	case !g.often(15):
		return nil
	case s["x-kubernetes-int-or-string"] != nil:
		return []any{1, "5%", 2.5}[g.IntN(3)]
	}
	switch s["type"] {
	case "integer":
		return g.IntN(6)
	case "number":
		return []any{1, 2.5, 4.25, 0}[g.IntN(4)]
	case "string":
		return []any{"a", "b", "", "abcabc", "1.2.3.4", "d"}[g.IntN(6)]
	case "boolean":
		return true
	case "array":
		list := []any{}
		for range g.IntN(6) {
			list = append(list, g.value(s["items"].(map[string]any)))
		}
		return list
	}
	o := map[string]any{}
	for _, name := range []string{"a", "b", "c", "d"} {
		properties, _ := s["properties"].(map[string]any)
		below, ok := properties[name].(map[string]any)
		if more, isMap := s["additionalProperties"].(map[string]any); isMap {
			below, ok = more, true
		}
		if !ok {
			below = map[string]any{"type": "boolean"}
		}
		if g.often(4) {
			o[name] = g.value(below)
		}
	}
	return o
}
