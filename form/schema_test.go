package form_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/value"
)

// checkSchema checks that a schema consists of the types that Schema promises, and that each
// call returns the same schema.
func checkSchema(t *testing.T, rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) {
	t.Helper()
	schema := form.Schema(rules, object, opts...)
	if first, second := string(mustJSON(schema)), string(mustJSON(form.Schema(rules, object, opts...))); first != second {
		t.Fatalf("the second call returns a different schema:\n%s\n%s", first, second)
	}
	decoded, err := value.ThroughJSON(schema)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(schema), decoded); diff != "" {
		t.Fatalf("the schema has types that encoding/json does not decode (-schema +decoded):\n%s", diff)
	}
}

// without returns a schema without the keywords that only annotate, which are not compared.
func without(v any, keywords ...string) any {
	switch v := v.(type) {
	case map[string]any:
		rest := map[string]any{}
		for name, member := range v {
			rest[name] = without(member, keywords...)
		}
		for _, name := range keywords {
			delete(rest, name)
		}
		return rest
	case []any:
		rest := []any{}
		for _, item := range v {
			rest = append(rest, without(item, keywords...))
		}
		return rest
	}
	return v
}

// The schemas are for a VirtualMachineInstance. The paths start at its .spec.domain.
func TestSchema(t *testing.T) {
	const quantity = `"pattern": "^[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE])?$"`
	tests := []struct {
		name   string
		rules  string
		domain string
		opts   []vmrules.ValidateOption
		want   string // the schema of .spec.domain, and allOf of the root, if it has any
		left   string // what is unexpressed: rule, argument, type
	}{
		{"string", `{"rule": "string", "path": ".s", "minLength": 1, "maxLength": 5, "regex": "^a\\d", "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"type": ["string", "null"], "minLength": 1, "maxLength": 5, "pattern": "^a[0-9]"}}}`, ``},
		{"required", `{"rule": "string", "path": ".s.t"}`, `{}`, nil,
			`{"type": "object", "required": ["s"], "properties": {"s": {"type": "object", "required": ["t"],
				"properties": {"t": {"type": "string"}}}}}`,
			``},
		{"Partial requires nothing", `{"rule": "string", "path": ".s.t"}`, `{}`, []vmrules.ValidateOption{vmrules.Partial()},
			`{"properties": {"s": {"properties": {"t": {"type": ["string", "null"]}}}}}`, ``},
		{"Partial takes an empty string", `{"rule": "string", "path": ".s", "minLength": 2}`, `{}`,
			[]vmrules.ValidateOption{vmrules.Partial()},
			`{"properties": {"s": {"anyOf": [{"type": "null"}, {"anyOf": [{"const": ""}, {"type": "string", "minLength": 2}]}]}}}`, ``},
		{"Partial takes an empty string that is allowed", `{"rule": "string", "path": ".s", "maxLength": 2}`, `{}`,
			[]vmrules.ValidateOption{vmrules.Partial()},
			`{"properties": {"s": {"type": ["string", "null"], "maxLength": 2}}}`, ``},
		{"Partial takes a default that is an empty string", `{"rule": "enum", "path": ".machine.type", "values": ["q35"]}`, `{}`,
			[]vmrules.ValidateOption{vmrules.Partial()},
			`{"properties": {"machine": {"properties": {"type": {"default": "", "anyOf": [{"type": "null"}, {"anyOf": [{"const": ""},
				{"enum": ["q35"]}]}]}}}}}`,
			``},
		{"enum", `{"rule": "enum", "path": ".s", "values": ["a", 1, "1.50", true, "2Gi"], "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"enum": ["a", "1", 1, "1.50", "true", true, "2Gi", null]}}}`, ``},
		{"enum of strings", `{"rule": "string", "path": ".s", "values": ["a", 1], "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"enum": ["a", "1", null]}}}`, ``},
		{"enum that is narrowed",
			`{"rule": "integer", "path": ".s", "values": ["a", 1, "2Ki", 3], "max": 2048, "regex": "[12]", "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"enum": ["1", 1, "2Ki", null]}}}`, ``},
		{"nothing is allowed", `{"rule": "enum", "path": ".s", "values": [], "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"anyOf": [{"type": "null"}, {"not": {}}]}}}`, ``},
		{"integer", `{"rule": "integer", "path": ".n", "min": "1Ki", "max": 1e4, "valid": ".n"}`, `{}`, nil,
			`{"properties": {"n": {"type": ["string", "integer", "null"], "minimum": 1024, "maximum": 10000, ` + quantity + `}}}`,
			`r0  string; r0 min string; r0 max string`},
		{"regex", `{"rule": "regex", "path": ".s", "regex": "^[a-z0-9-]+$", "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"type": ["string", "number", "boolean", "null"], "pattern": "^[\\-0-9a-z]+(?=\\n?$)"}}}`,
			`r0 regex number`},
		{"regex of no number", `{"rule": "regex", "path": ".s", "regex": "^([a-z]|X+)?(p|q)*e", "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"type": ["string", "null"], "pattern": "^(?:[a-z]|X+)?(?:p|q)*e"}}}`, ``},
		{"two patterns",
			`{"rule": "string", "path": ".s", "regex": "a", "valid": ".s"}, {"rule": "string", "path": ".s", "regex": "b", "valid": ".s"}`,
			`{}`, nil,
			`{"properties": {"s": {"type": ["string", "null"], "pattern": "a", "allOf": [{"pattern": "b"}]}}}`, ``},
		{"a pattern that ECMA-262 lacks", `{"rule": "string", "path": ".s", "regex": "(?m)^a", "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"type": ["string", "null"]}}}`, `r0 regex string`},
		{"lengths of numbers", `{"rule": "enum", "path": ".s", "minLength": 1, "maxLength": 4, "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"anyOf": [{"type": "null"}, {"anyOf": [{"type": ["string", "number"], "minLength": 1, "maxLength": 4},
				{"const": true}]}]}}}`,
			`r0 maxLength number`},
		{"a length that some numbers lack", `{"rule": "enum", "path": ".s", "minLength": 2, "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"type": ["string", "number", "boolean", "null"], "minLength": 2}}}`, `r0 minLength number`},
		{"lengths beyond all", `{"rule": "string", "path": ".s", "minLength": 1e30, "valid": ".s"}`, `{}`, nil,
			`{"properties": {"s": {"type": ["string", "null"], "minLength": 9007199254740991}}}`, ``},
		{"items", `{"rule": "string", "path": ".l[*].s", "valid": ".l[*].s"}`, `{}`, nil,
			`{"properties": {"l": {"items": {"properties": {"s": {"type": ["string", "null"]}}}}}}`, ``},
		{"some item", `{"rule": "string", "path": ".l[*].s"}`, `{}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 1,
			"contains": {"type": "object", "required": ["s"], "properties": {"s": {"not": {"type": "null"}}}},
			"items": {"properties": {"s": {"type": ["string", "null"]}}}}}}`, ``},
		{"an index", `{"rule": "string", "path": ".l[1]"}`, `{}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "minItems": 2, "prefixItems": [true,
				{"type": "string"}]}}}`,
			``},
		{"an index beside items",
			`{"rule": "string", "path": ".l[0]", "valid": ".l[0]"}, {"rule": "string", "path": ".l[*]", "minLength": 1, "valid": ".l[*]"}`,
			`{}`, nil,
			`{"properties": {"l": {"allOf": [{"prefixItems": [{"type": ["string", "null"]}]}], "items": {"type": ["string", "null"],
				"minLength": 1}}}}`,
			``},
		{"an object and an array", `{"rule": "string", "path": ".l[0]"}, {"rule": "string", "path": ".l.s"}`, `{}`, nil,
			`{"type": "object", "required": ["l"], "properties": {"l": {"not": {}}}}`, ``},
		{"a value and an object", `{"rule": "string", "path": ".l", "valid": ".l"}, {"rule": "string", "path": ".l.s", "valid": ".l.s"}`,
			`{}`, nil,
			`{"properties": {"l": {"type": ["string", "null"], "allOf": [{"properties": {"s": {"type": ["string", "null"]}}}]}}}`, ``},
		{"a default that will do", `{"rule": "enum", "path": ".cpu.cores", "values": [1, 2]}`, `{}`, nil,
			`{"type": "object", "required": ["cpu"],
				"properties": {"cpu": {"type": "object", "properties": {"cores": {"anyOf": [{"type": "null"}, {"anyOf": [{"const": 0},
				{"enum": ["1", 1, "2", 2]}]}], "default": 1}}}}}`,
			``},
		{"a default that will not do", `{"rule": "enum", "path": ".cpu.cores", "values": [0, 2], "valid": ".cpu.cores"}`, `{}`, nil,
			`{"properties": {"cpu": {"required": ["cores"], "properties": {"cores": {"enum": ["0", 0, "2", 2], "not": {"const": 0},
				"default": 1}}}}}`,
			``},
		{"a condition", `{"rule": "string", "path": ".s", "valid": ".t"}`, `{}`, nil,
			`[{"if": {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["domain"],
				"properties": {"domain": {"type": "object", "required": ["t"], "properties": {"t": {"not": {"type": "null"}}}}}}}},
			"then": {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["domain"],
				"properties": {"domain": {"type": "object", "required": ["s"], "properties": {"s": {"type": "string"}}}}}}}}]`,
			``},
		{"arguments that are read",
			`{"rule": "string", "path": ".s", "maxLength": "jsonpath::.spec.domain.most", "minLength": "jsonpath::.spec.domain.nothing",
				"valid": ".s"}`,
			`{"most": 3}`, nil,
			`{"properties": {"s": {"type": ["string", "null"], "maxLength": 3}}}`, `r0 minLength `},
		{"what cannot be said",
			`{"rule": "string", "path": "..s"}, {"rule": "string", "path": ".s", "valid": ".*"}, {"rule": "string", "path": ".l[-1]"},
				{"rule": "string", "path": ".l[100]"},
			{"rule": "string", "path": ".l[0:1]"}, {"rule": "string", "path": ".l[?(@.a)]"},
				{"rule": "string", "path": "` + strings.Repeat(".a",
				64) + `"}`, `{}`, nil, ``,
			`r0  ; r1  ; r2  ; r3  ; r4  ; r5  ; r6  `},
		{"what is inside a default", `{"rule": "string", "path": ".x.y"}`, `{}`,
			[]vmrules.ValidateOption{defaultOf(t, "jsonpath::.spec.domain.x", map[string]any{"y": 1})}, ``, `r0  `},
		{"a regex without time", `{"rule": "enum", "path": ".s", "values": ["a"], "regex": "(a)\\1|a", "valid": ".s"}`, `{}`,
			[]vmrules.ValidateOption{vmrules.WithBudget(vmrules.Budget{Backtracking: -1})},
			`{"properties": {"s": {"enum": ["a", null]}}}`, `r0 regex `},
		{"rules that reject nothing",
			`{"rule": "string", "path": ".s", "justWarning": true}, {"rule": "range", "path": ".s"}, {"rule": "enum", "path": ".s"}`, `{}`,
			nil, `{"properties": {"s": {}}}`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			object := decodeExactly(json.RawMessage(`{"kind": "VirtualMachineInstance", "spec": {"domain": ` + test.domain + `}}`))
			schema := form.Schema(limitRules(t, test.rules), object, test.opts...)
			got := without(below(schema, "properties", "spec", "properties", "domain"), form.SchemaRules, form.SchemaShould)
			if strings.HasPrefix(test.want, "[") {
				got = without(schema["allOf"], form.SchemaRules)
			}
			if diff := cmp.Diff(decodeAny(orNullText(test.want)), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var left []string
			for _, entry := range schema[form.SchemaUnexpressed].([]any) {
				entry := entry.(map[string]any)
				left = append(left,
					strings.Join([]string{stringIn(entry, "rule"), stringIn(entry, "argument"), stringIn(entry, "type")}, " "))
				if entry["reason"] == "" {
					t.Error("no reason")
				}
			}
			if diff := cmp.Diff(test.left, strings.Join(left, "; ")); diff != "" {
				t.Errorf("unexpressed (-want +got):\n%s", diff)
			}
			checkSchema(t, limitRules(t, test.rules), object, test.opts...)
		})
	}
}

func orNullText(s string) string {
	if s == "" {
		return "null"
	}
	return s
}

// TestSchemaAnnotations checks the keywords that only annotate.
func TestSchemaAnnotations(t *testing.T) {
	rules := limitRules(t,
		`{"rule": "string", "path": ".s", "maxLength": "jsonpath::.spec.domain.most"}, {"rule": "enum", "path": ".s", "values": ["a"],
			"justWarning": true},
		{"rule": "enum", "path": ".s", "values": ["b"], "justWarning": true, "valid": ".nothing"}`)
	object := decodeExactly(json.RawMessage(`{"kind": "List", "items": [{"kind": "VirtualMachineInstance",
		"spec": {"domain": {"most": 3}}}]}`))
	schema := form.Schema(rules, object)
	item := below(schema, "properties", "items", "prefixItems").([]any)[0]
	got := map[string]any{"$schema": schema["$schema"], form.SchemaRead: schema[form.SchemaRead],
		"s": below(item, "properties", "spec", "properties", "domain", "properties", "s")}
	want := decodeAny(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"x-vmrules-read": [{"rule": "r0", "target": "items[0]", "argument": "maxLength", "path": "jsonpath::.spec.domain.most"}],
		"s": {
			"type": "string", "maxLength": 3,
			"x-vmrules-rules": [{"rule": "r0", "message": "m0"}],
			"x-vmrules-should": {"type": "scalar", "required": true, "values": ["a"], "rules": [{"rule": "r1", "message": "m1"}]}
		}}`)
	if diff := cmp.Diff(want, any(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSchemaOfTargets checks what the schema leaves out for a whole target.
func TestSchemaOfTargets(t *testing.T) {
	rules := mustParse(t,
		`[{"name": "r0", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.memory.guest", "values": [1]}]`)
	tests := []struct {
		name, object string
		opts         []vmrules.ValidateOption
		want         []string // the reasons
	}{
		{"a VM", `{"kind": "VirtualMachine"}`, nil, nil},
		{"an instance type", `{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "x"}, "template": {}}}`, nil,
			[]string{"the instance type or the preference may set the field"}},
		{"an instance type, partially", `{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "x"}, "template": {}}}`,
			[]vmrules.ValidateOption{vmrules.Partial()}, []string{"the instance type or the preference may set the field"}},
		{"an instance type that sets it",
			`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "x"}, "template": {"spec": {"domain": {}}}}}`,
			[]vmrules.ValidateOption{vmrules.WithInstancetype(decodeExactly(json.RawMessage(
				`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "x"}, "spec": {"memory": {"guest": "2Gi"}, "cpu": {"guest": 1}}}`)), nil)},
			[]string{"the instance type or the preference may set the field"}},
		{"a preference, which does not set it", `{"kind": "VirtualMachine", "spec": {"preference": {"name": "x"}, "template": {}}}`, nil,
			nil},
		{"no VM", `{"kind": "List"}`, nil, []string{"nothing to validate: the list holds no VirtualMachine"}},
		{"a template", `{"kind": "Template", "objects": [{"kind": "VirtualMachine"}]}`, nil,
			[]string{"a template parameter that is not filled in, in a value or a key, makes a rule Undecided"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, entry := range form.Schema(rules, decodeExactly(json.RawMessage(test.object)),
				test.opts...)[form.SchemaUnexpressed].([]any) {
				got = append(got, stringIn(entry, "reason"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSchemaOfWholeObjects checks that rules about the whole object ignore the defaults of
// a VM's fields, as in Validate.
func TestSchemaOfWholeObjects(t *testing.T) {
	rules := mustParse(t, `[{"name": "r", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores"}]`,
		vmrules.WholeObjects())
	object := decodeExactly(json.RawMessage(`{"kind": "Other", "spec": {"domain": {"cpu": {}}}}`))
	if vmrules.Validate(rules, object).Valid() {
		t.Error("Validate uses a default")
	}
	cpu := below(form.Schema(rules, object), "properties", "spec", "properties", "domain", "properties", "cpu")
	want := decodeAny(`{"type": "object", "required": ["cores"], "properties": {"cores": {"type": ["string", "integer"],
		"pattern": "^[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE])?$"}}}`)
	if diff := cmp.Diff(want, without(cpu, form.SchemaRules)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSchemaOfConflict checks that a schema that is made of a VM in conflict with its instance type accepts the VM
// without the conflict, in which the instance type sets the field.
func TestSchemaOfConflict(t *testing.T) {
	rules := mustParse(t, `[{"name": "r", "rule": "string", "message": "m", "path": "jsonpath::.spec.domain.ioThreadsPolicy"}]`)
	given := vmrules.WithInstancetype(decodeExactly(json.RawMessage(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1"},
		"spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}, "ioThreadsPolicy": "auto"}}`)), nil)
	vm := func(domain string) map[string]any {
		return decodeExactly(json.RawMessage(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "u1"}, "template": {"spec": {"domain": ` + domain + `}}}}`))
	}
	if !vmrules.Validate(rules, vm(`{}`), given).Valid() {
		t.Error("Validate refuses the VM without the conflict")
	}
	domain := []string{"properties", "spec", "properties", "template", "properties", "spec"}
	if schema := below(form.Schema(rules, vm(`{"memory": {"guest": "1Gi"}}`), given), domain...); below(schema, "required") != nil {
		t.Errorf("the schema requires what the instance type sets: %v", schema)
	}
}
