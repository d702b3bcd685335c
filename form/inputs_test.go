package form_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/racetest"
)

// The VM of these tests is a VirtualMachineInstance. The paths start at its .spec.domain.
func TestInputs(t *testing.T) {
	for _, test := range []struct {
		name, rules, domain string
		opts                []vmrules.ValidateOption
		want                string // the schema of .spec.domain; or allOf of the root
		left                string // what is unexpressed: rule, argument, type
	}{
		{"an integer", `{"rule": "integer", "path": ".cpu.cores", "min": 1, "max": 8}`, `{}`, nil,
			`{"type": "object", "required": ["cpu"], "properties": {"cpu": {"type": "object", "properties": {"cores":
				{"type": "integer", "minimum": 1, "maximum": 8, "default": 1, "title": "cores", "description": "m0"}}}}}`, ``},
		{"an integer that the VM has as a string", `{"rule": "integer", "path": ".cpu.cores", "min": 2}`, `{"cpu": {"cores": "4"}}`, nil,
			`{"type": "object", "required": ["cpu"], "properties": {"cpu": {"type": "object", "required": ["cores"], "properties": {"cores":
				{"type": "string", "format": "integral-quantity-from-2", "title": "cores", "description": "m0"}}}}}`, ``},
		{"a quantity", `{"rule": "integer", "path": ".memory.guest", "min": "1Gi", "max": "8Gi", "valid": ".memory.guest"}`, `{}`, nil,
			`{"type": "object", "properties": {"memory": {"type": "object", "properties": {"guest":
				{"type": "string", "format": "integral-quantity-from-1Gi-to-8Gi", "title": "guest", "description": "m0"}}}}}`, ``},
		{"a quantity with bounds as numbers", `{"rule": "string", "path": ".memory.guest", "min": 1e3, "max": 2.50, "valid": ".memory.guest"}`, `{}`, nil,
			`{"type": "object", "properties": {"memory": {"type": "object", "properties": {"guest":
				{"type": "string", "format": "quantity-from-1000-to-2.5", "title": "guest", "description": "m0"}}}}}`, ``},
		{"an integer of an unknown field", `{"rule": "integer", "path": ".n", "valid": ".n"}`, `{}`, nil,
			`{"type": "object", "properties": {"n": {"type": "integer", "title": "n", "description": "m0"}}}`, ``},
		{"a number of an unknown field", `{"rule": "enum", "path": ".n", "min": 0.5, "valid": ".n"}`, `{}`, nil,
			`{"type": "object", "properties": {"n": {"type": "number", "minimum": 0.5, "title": "n", "description": "m0"}}}`, ``},
		{"bounds that JavaScript does not have", `{"rule": "integer", "path": ".n", "min": "9007199254740993", "max": "1e400", "valid": ".n"}`, `{}`, nil,
			`{"type": "object", "properties": {"n": {"type": "integer", "title": "n", "description": "m0"}}}`, `r0 min number; r0 max number`},
		{"integers among values", `{"rule": "enum", "path": ".cpu.cores", "values": ["1", 2, "3Gi", true], "max": 2, "valid": ".cpu.cores"}`, `{}`, nil,
			`{"type": "object", "properties": {"cpu": {"type": "object", "properties": {"cores":
				{"type": "integer", "enum": [1, 2], "default": 1, "title": "cores", "description": "m0"}}}}}`, ``},
		{"values of a string", `{"rule": "enum", "path": ".s", "values": ["a", 1, "b"], "regex": "[a1]", "valid": ".s"}`, `{}`, nil,
			`{"type": "object", "properties": {"s": {"type": "string", "enum": ["a", "1"], "title": "s", "description": "m0"}}}`, ``},
		{"booleans", `{"rule": "enum", "path": ".s", "values": [true, "false"], "valid": ".s"}`, `{}`, nil,
			`{"type": "object", "properties": {"s": {"type": "boolean", "enum": [true, false], "title": "s", "description": "m0"}}}`, ``},
		{"a boolean of KubeVirt", `{"rule": "regex", "path": ".cpu.dedicatedCpuPlacement", "regex": "e$", "valid": ".cpu"}`, `{}`, nil,
			`{"type": "object", "properties": {"cpu": {"type": "object", "properties": {"dedicatedCpuPlacement":
				{"type": "boolean", "title": "dedicatedCpuPlacement", "description": "m0"}}}}}`, ``},
		{"a boolean with one value", `{"rule": "regex", "path": ".s", "regex": "ue$", "valid": ".s"}`, `{"s": false}`, nil,
			`{"type": "object", "properties": {"s": {"type": "boolean", "enum": [true], "title": "s", "description": "m0"}}}`, ``},
		{"patterns and lengths", `{"rule": "string", "path": ".s", "regex": "^a", "minLength": 2, "maxLength": 4},
			{"rule": "string", "path": ".s", "regex": "b$"}`, `{}`, nil,
			`{"type": "object", "required": ["s"], "properties": {"s": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^a",
				"allOf": [{"pattern": "b(?=\\n?$)"}], "title": "s", "description": "m0; m1"}}}`, ``},
		{"a pattern and a length of a number", `{"rule": "integer", "path": ".n", "regex": "^[0-9]", "maxLength": 4, "valid": ".n"}`, `{}`, nil,
			`{"type": "object", "properties": {"n": {"type": "integer", "title": "n", "description": "m0"}}}`,
			`r0 maxLength number; r0 regex number`},
		{"a pattern that ECMA-262 lacks", `{"rule": "string", "path": ".s", "regex": "(?m)^a", "valid": ".s"}`, `{}`, nil,
			`{"type": "object", "properties": {"s": {"type": "string", "title": "s", "description": "m0"}}}`, `r0 regex string`},
		{"what only warns", `{"rule": "integer", "path": ".cpu.cores", "max": 8}, {"rule": "enum", "path": ".cpu.cores", "values": [2], "justWarning": true},
			{"rule": "integer", "path": ".cpu.sockets", "max": 2, "justWarning": true}`, `{}`, nil,
			`{"type": "object", "required": ["cpu"], "properties": {"cpu": {"type": "object", "properties": {
				"cores": {"type": "integer", "maximum": 8, "default": 1, "title": "cores", "description": "m0; m1"},
				"sockets": {"type": "integer", "title": "sockets", "description": "m2"}}}}}`, ``},
		{"a warning about an object", `{"rule": "string", "path": ".cpu", "justWarning": true}`, `{}`, nil, `{}`, ``},
		{"a default that will not do", `{"rule": "enum", "path": ".cpu.cores", "values": [0, 2], "valid": ".cpu.cores"}`, `{}`, nil,
			`{"type": "object", "properties": {"cpu": {"type": "object", "required": ["cores"], "properties": {"cores":
				{"type": "integer", "enum": [0, 2], "not": {"const": 0}, "title": "cores", "description": "m0"}}}}}`, ``},
		{"an empty default", `{"rule": "string", "path": ".machine.type", "maxLength": 9}`, `{}`, nil,
			`{"type": "object", "required": ["machine"], "properties": {"machine": {"type": "object", "properties": {"type":
				{"type": "string", "maxLength": 9, "title": "type", "description": "m0"}}}}}`, ``},
		{"Partial", `{"rule": "string", "path": ".s.t", "minLength": 2}, {"rule": "string", "path": ".machine.type", "minLength": 2}`, `{}`,
			[]vmrules.ValidateOption{vmrules.Partial()},
			`{"type": "object", "properties": {"machine": {"type": "object", "properties": {"type": {"type": "string", "minLength": 2, "title": "type", "description": "m1"}}},
				"s": {"type": "object", "properties": {"t": {"type": "string", "minLength": 2, "title": "t", "description": "m0"}}}}}`, ``},
		{"items", `{"rule": "string", "path": ".l[*].s"}`, `{}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 1,
				"contains": {"type": "object", "required": ["s"], "properties": {"s": {"not": {"type": "null"}}}},
				"items": {"type": "object", "properties": {"s": {"type": "string", "title": "s", "description": "m0"}}}}}}`, ``},
		{"items by index", `{"rule": "string", "path": ".l[1]", "maxLength": 1}, {"rule": "string", "path": ".l[*]", "maxLength": 2, "valid": ".l[*]"}`,
			`{"l": ["a", "b", "c"]}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 3, "maxItems": 3, "prefixItems": [
				true, {"type": "string", "maxLength": 1, "title": "l", "description": "m0"}, true],
				"allOf": [{"items": {"type": "string", "maxLength": 2, "title": "l", "description": "m1"}}]}}}`, ``},
		{"an index that is not there", `{"rule": "string", "path": ".l[1]"}`, `{}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [true,
				{"type": "string", "title": "l", "description": "m0"}]}}}`, ``},
		{"an index of the only item", `{"rule": "string", "path": ".l[0]"}`, `{"l": ["a"]}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 1, "maxItems": 1,
				"items": {"type": "string", "title": "l", "description": "m0"}}}}`, ``},
		{"several contains", `{"rule": "string", "path": ".l[*].s"}, {"rule": "string", "path": ".l[*].t"}`, `{}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 1,
				"contains": {"type": "object", "required": ["s"], "properties": {"s": {"not": {"type": "null"}}}},
				"allOf": [{"contains": {"type": "object", "required": ["t"], "properties": {"t": {"not": {"type": "null"}}}}}],
				"items": {"type": "object", "properties": {"s": {"type": "string", "title": "s", "description": "m0"},
					"t": {"type": "string", "title": "t", "description": "m1"}}}}}}`, ``},
		{"what cannot be said", `{"rule": "string", "path": "..s"}, {"rule": "string", "path": ".l[*].m[0]"}, {"rule": "string", "path": ".l[100]"},
			{"rule": "string", "path": ".s", "valid": ".long[0]"}`, `{"long": [` + strings.Repeat("1, ", 100) + `1]}`, nil, ``,
			`r0  ; r1  ; r2  ; r3  `},
		{"an object and an array", `{"rule": "string", "path": ".l[0]"}, {"rule": "string", "path": ".l.s"}`, `{}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"not": {}}}}`, ``},
		{"a value and an object", `{"rule": "string", "path": ".l", "valid": ".l"}, {"rule": "string", "path": ".l.s", "valid": ".l.s"}`, `{}`, nil,
			`{"type": "object", "properties": {"l": {"type": "string", "title": "l", "description": "m0"}}}`, ``},
		{"nothing is allowed", `{"rule": "enum", "path": ".s", "values": [], "valid": ".s"}`, `{}`, nil,
			`{"type": "object", "properties": {"s": {"not": {}, "title": "s", "description": "m0"}}}`, ``},
		{"a condition", `{"rule": "string", "path": ".s", "valid": ".l[0]"}`, `{"l": [1, 2]}`, nil,
			`[{"if": {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["domain"], "properties": {"domain":
				{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"not": {"type": "null"}}, true]}}}}}}},
			"then": {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["domain"], "properties": {"domain":
				{"type": "object", "required": ["s"], "properties": {"s": {"type": "string", "title": "s", "description": "m0"}}}}}}}}]`, ``},
		{"a parent as condition", `{"rule": "string", "path": ".s.t", "valid": ".s"}`, `{}`, nil,
			`[{"if": {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["domain"], "properties": {"domain":
				{"type": "object", "required": ["s"], "properties": {"s": {"not": {"type": "null"}}}}}}}},
			"then": {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["domain"], "properties": {"domain":
				{"type": "object", "required": ["s"], "properties": {"s": {"type": "object", "required": ["t"], "properties": {"t": {"not": {"type": "null"}}}}}}}}}}}]`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := decodeExactly(json.RawMessage(`{"kind": "VirtualMachineInstance", "spec": {"domain": ` + test.domain + `}}`))
			in := form.Inputs(limitRules(t, test.rules), object, test.opts...)
			got := below(in.Schema, "properties", "spec", "properties", "domain")
			switch {
			case strings.HasPrefix(test.want, "["):
				got = in.Schema["allOf"]
			case test.want == "":
				got = nil
			case got == nil:
				got = map[string]any{}
			}
			if diff := cmp.Diff(decodeAny(orNullText(test.want)), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if all, has := in.Schema["allOf"]; has && len(all.([]any)) == 0 {
				t.Error("the root has an empty allOf")
			}
			var left []string
			for _, u := range in.Unexpressed {
				left = append(left, strings.Join([]string{u.Rule, u.Argument, u.Type}, " "))
			}
			if diff := cmp.Diff(test.left, strings.Join(left, "; ")); diff != "" {
				t.Errorf("unexpressed (-want +got):\n%s", diff)
			}
			checkStrict(t, in.Schema)
		})
	}
}

// TestInputsRead checks what is said of arguments that are read from the object.
func TestInputsRead(t *testing.T) {
	rules := limitRules(t, `{"rule": "string", "path": ".s", "maxLength": "jsonpath::.spec.domain.most"}`)
	object := decodeExactly(json.RawMessage(`{"kind": "List", "items": [{"kind": "VirtualMachineInstance", "spec": {"domain": {"most": 3}}}]}`))
	want := []form.ReadArgument{{Rule: "r0", Target: "items[0]", Argument: "maxLength", Path: "jsonpath::.spec.domain.most"}}
	if diff := cmp.Diff(want, form.Inputs(rules, object).Read); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestInputsAreStrict checks the schemas of all vectors, and of generated rules.
func TestInputsAreStrict(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	for _, vectors := range readVectors(t) {
		for _, v := range vectors {
			rules, err := vmrules.ParseRules(v.Text(t), v.parseOptions()...)
			if err != nil || len(v.Object) == 0 {
				continue
			}
			var texts []string
			for _, decode := range []func(json.RawMessage) map[string]any{decodeExactly, decodeOddly} {
				in := form.Inputs(rules, decode(v.Object), v.validateOptions(t, decode)...)
				checkStrict(t, in.Schema)
				texts = append(texts, string(mustJSON(in)))
			}
			if texts[0] != texts[1] {
				t.Errorf("%s: the schema depends on the decoder:\n%s\n%s", v.Name, texts[0], texts[1])
			}
		}
	}
	for seed := range uint64(400) {
		g := limitGen{rand.New(rand.NewPCG(3, seed))}
		rules := limitRules(t, withoutDuplicates(t, g.rules(1+g.IntN(4))))
		checkStrict(t, form.Inputs(rules, vmWith(`{"x": 1, "y": 2, "some": ["a", "ab", 1], "p": "^a", "cpu": {}, "b": {}, "list": [{}, {}]}`)).Schema)
	}
}

// strictKeywords has the type of the values to which each keyword applies; "" for any.
var strictKeywords = map[string]string{
	"$schema": "", "title": "", "description": "", "default": "", "type": "", "enum": "", "const": "", "not": "", "allOf": "", "if": "", "then": "",
	"properties": "object", "required": "object", "additionalProperties": "object",
	"items": "array", "prefixItems": "array", "contains": "array", "minItems": "array", "maxItems": "array",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string", "minimum": "number", "maximum": "number",
}

// checkStrict checks what a validator in strict mode checks, such as ajv's: each keyword is
// known and applies to the one type that the schema has, prefixItems has all items, and
// formats are known.
func checkStrict(t *testing.T, schema any) {
	t.Helper()
	if why := strictFault(schema, "", ""); why != "" {
		t.Fatalf("%s\n%s", why, mustJSON(schema))
	}
}

func strictFault(v any, at, kind string) string {
	schema, isObject := v.(map[string]any)
	if !isObject {
		if _, isBool := v.(bool); isBool {
			return ""
		}
		return at + ": not a schema"
	}
	if of, ok := schema["type"]; ok {
		name, isOne := of.(string)
		if !isOne || kind != "" && kind != name {
			return fmt.Sprintf("%s: the type %v", at, of)
		}
		kind = name
	}
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		applies, known := strictKeywords[key]
		if !known || applies != "" && applies != kind && (applies != "number" || kind != "integer") {
			return fmt.Sprintf("%s: the keyword %s for the type %q", at, key, kind)
		}
	}
	if _, err := form.ParseFormat(stringIn(schema, "format")); schema["format"] != nil && err != nil {
		return at + ": " + err.Error()
	}
	if items, ok := schema["prefixItems"].([]any); ok {
		if n := json.Number(fmt.Sprint(len(items))); schema["minItems"] != n || schema["maxItems"] != n {
			return at + ": an open tuple"
		}
	}
	if (schema["if"] == nil) != (schema["then"] == nil) {
		return at + ": if without then"
	}
	return strictFaultBelow(schema, at, kind)
}

func strictFaultBelow(schema map[string]any, at, kind string) string {
	for _, key := range []string{"not", "if", "then"} { // about the same value
		if below, ok := schema[key]; ok {
			if why := strictFault(below, at+"/"+key, strings.TrimSuffix(kind, "null")); why != "" && key != "not" {
				return why
			}
		}
	}
	all, _ := schema["allOf"].([]any)
	for i, below := range all {
		if why := strictFault(below, fmt.Sprint(at, "/allOf/", i), kind); why != "" {
			return why
		}
	}
	items, _ := schema["prefixItems"].([]any)
	for _, key := range []string{"items", "contains"} {
		if below, ok := schema[key]; ok {
			items = append(slices.Clone(items), below)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		items = append(slices.Clone(items), properties[name])
	}
	for i, below := range items {
		if why := strictFault(below, fmt.Sprint(at, "/", i), ""); why != "" {
			return why
		}
	}
	return ""
}
