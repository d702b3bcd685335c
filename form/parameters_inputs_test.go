package form_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

func TestParameterInputs(t *testing.T) {
	rule := func(path, more string) string {
		return fmt.Sprintf(`{"name": "r", "message": "m", "path": "jsonpath::.spec.domain.%s", %s}`, path, more)
	}
	second := func(path, more string) string {
		return fmt.Sprintf(`, {"name": "q", "message": "n", "path": "jsonpath::.spec.domain.%s", %s}`, path, more)
	}
	for _, test := range []struct {
		name, parameters, domain, rules string
		want                            string // the properties
		required, left                  string
	}{
		{"what is declared", `{"name": "A", "displayName": "a", "description": "d", "value": "1", "required": true}, {"name": "B", "required": true},
			{"name": "C", "required": true, "generate": "expression", "from": "[a-z]{8}"}, {"name": "D"}`, `{}`, ``,
			`{"A": {"type": "string", "title": "a", "description": "d", "default": "1", "minLength": 1}, "B": {"type": "string", "title": "B", "minLength": 1},
				"C": {"type": "string", "title": "C", "minLength": 1}, "D": {"type": "string", "title": "D"}}`, `B`, ``},
		{"an integer", `{"name": "A", "value": "4", "description": "cores"}`, `{"cpu": {"cores": "${{A}}"}}`, rule("cpu.cores", `"rule": "integer", "min": 1, "max": 8`),
			`{"A": {"type": "integer", "minimum": 1, "maximum": 8, "default": 4, "title": "A", "description": "cores; m"}}`, ``, ``},
		{"an integer as a string", `{"name": "A", "value": "4"}`, `{"cpu": {"cores": "${A}"}}`, rule("cpu.cores", `"rule": "integer", "min": 1, "max": 8`),
			`{"A": {"type": "string", "format": "integral-quantity-from-1-to-8", "default": "4", "title": "A", "description": "m"}}`, ``, ``},
		{"a default that will not do", `{"name": "A", "value": "9"}`, `{"cpu": {"cores": "${{A}}"}}`, rule("cpu.cores", `"rule": "integer", "max": 8`),
			`{"A": {"type": "integer", "maximum": 8, "default": 9, "title": "A", "description": "m"}}`, `A`, ``},
		{"an empty value that will not do", `{"name": "A"}`, `{"s": "${A}"}`, rule("s", `"rule": "string", "regex": "^a"`),
			`{"A": {"type": "string", "pattern": "^a", "title": "A", "description": "m"}}`, `A`, ``},
		{"a memory", `{"name": "A", "value": "2Gi"}`, `{"memory": {"guest": "${A}"}}`, rule("memory.guest", `"rule": "integer", "min": "1Gi", "max": "8Gi"`),
			`{"A": {"type": "string", "format": "integral-quantity-from-1Gi-to-8Gi", "default": "2Gi", "title": "A", "description": "m"}}`, ``, ``},
		{"a list", `{"name": "A", "value": "sata"}`, `{"s": "${A}"}`, rule("s", `"rule": "enum", "values": ["virtio", "sata", 1]`),
			`{"A": {"type": "string", "enum": ["virtio", "sata", "1"], "default": "sata", "title": "A", "description": "m"}}`, ``, ``},
		{"a list that is read as JSON", `{"name": "A", "value": "a"}`, `{"s": "${{A}}"}`, rule("s", `"rule": "string", "values": ["a", 1, "null"]`),
			`{"A": {"type": "string", "enum": ["a"], "default": "a", "title": "A", "description": "m"}}`, ``, ``},
		{"a boolean", `{"name": "A", "value": "true"}`, `{"cpu": {"dedicatedCpuPlacement": "${{A}}"}}`, rule("cpu.dedicatedCpuPlacement", `"rule": "enum", "values": [true, false]`),
			`{"A": {"type": "boolean", "enum": [true, false], "default": true, "title": "A", "description": "m"}}`, ``, ``},
		{"a string that is read as JSON", `{"name": "A", "value": "a"}`, `{"s": "${{A}}"}`, rule("s", `"rule": "string"`),
			`{"A": {"type": "string", "default": "a", "title": "A", "description": "m"}}`, ``, `A   string`},
		{"values of a part", `{"name": "A", "value": "b"}`, `{"s": "x-${A}-y"}`, rule("s", `"rule": "enum", "values": ["x-a-y", "x-b-y", "x-y", "c", "x--y"]`),
			`{"A": {"type": "string", "enum": ["a", "b", ""], "default": "b", "title": "A", "description": "m"}}`, ``, ``},
		{"values of two parts", `{"name": "A", "value": "b"}`, `{"s": "x-${A}", "t": "${A}!"}`,
			rule("s", `"rule": "enum", "values": ["x-a", "x-bb", "x-ccc"]`) + second("t", `"rule": "string", "maxLength": 3, "regex": "[abc]!"`),
			`{"A": {"type": "string", "enum": ["a", "bb"], "default": "b", "title": "A", "description": "m; n"}}`, `A`, ``},
		{"no value of a part", `{"name": "A"}`, `{"s": "x-${A}"}`, rule("s", `"rule": "enum", "values": ["y"]`),
			`{"A": {"not": {}, "title": "A", "description": "m"}}`, `A`, ``},
		{"no value of a part, but one of another", `{"name": "A"}`, `{"s": "x-${A}", "t": "z-${A}"}`,
			rule("s", `"rule": "enum", "values": ["y"]`) + second("t", `"rule": "enum", "values": ["z-a"]`),
			`{"A": {"not": {}, "title": "A", "description": "m; n"}}`, `A`, ``},
		{"lengths of a part", `{"name": "A", "value": "abc"}`, `{"s": "é-${A}"}`, rule("s", `"rule": "string", "minLength": 4, "maxLength": 8`),
			`{"A": {"type": "string", "minLength": 2, "maxLength": 6, "default": "abc", "title": "A", "description": "m"}}`, ``, ``},
		{"lengths of a part and of the whole", `{"name": "A", "value": "abc"}`, `{"s": "x-${A}", "t": "${A}"}`,
			rule("s", `"rule": "string", "minLength": 4, "maxLength": 8`) + second("t", `"rule": "string", "minLength": 3, "maxLength": 7`),
			`{"A": {"type": "string", "minLength": 3, "maxLength": 6, "default": "abc", "title": "A", "description": "n; m"}}`, ``, ``},
		{"a part that is too long", `{"name": "A"}`, `{"s": "long-${A}"}`, rule("s", `"rule": "string", "maxLength": 4`),
			`{"A": {"not": {}, "title": "A", "description": "m"}}`, `A`, ``},
		{"what is not known of a part", `{"name": "A", "value": "2"}`, `{"s": "${A}Gi"}`, rule("s", `"rule": "integer", "max": "8Gi", "regex": "^[0-9]"`),
			`{"A": {"type": "string", "default": "2", "title": "A", "description": "m"}}`, ``, `A r  ; A r max ; A r regex `},
		{"several in a field", `{"name": "A"}, {"name": "B"}`, `{"s": "${A}-${B}"}`, rule("s", `"rule": "string", "maxLength": 8`),
			`{"A": {"type": "string", "title": "A", "description": "m"}, "B": {"type": "string", "title": "B", "description": "m"}}`, ``,
			`A r maxLength ; B r maxLength `},
		{"a part that is an integer elsewhere", `{"name": "A", "value": "2"}`, `{"cpu": {"cores": "${{A}}"}, "s": "x-${A}"}`,
			rule("cpu.cores", `"rule": "integer"`) + second("s", `"rule": "string", "maxLength": 3`),
			`{"A": {"type": "integer", "default": 2, "title": "A", "description": "m; n"}}`, ``, `A q maxLength `},
		{"a 0 that is not set", `{"name": "A", "value": "2"}`, `{"cpu": {"cores": "${{A}}"}}`, rule("cpu.cores", `"rule": "enum", "values": [0, 2]`),
			`{"A": {"type": "integer", "enum": [0, 2], "not": {"const": 0}, "default": 2, "title": "A", "description": "m"}}`, ``, ``},
		{"generated", `{"name": "A", "generate": "expression", "from": "[a-z]{8}"}`, `{"s": "${A}"}`, rule("s", `"rule": "string", "maxLength": 4`),
			`{"A": {"type": "string", "maxLength": 4, "title": "A", "description": "m"}}`, ``, `A   `},
		{"in a key and in the rules", `{"name": "A", "value": "4"}`, `{"${A}": "a"}`, rule("s", `"rule": "string", "maxLength": ${A}, "valid": "jsonpath::.spec.domain.s"`),
			`{"A": {"type": "string", "default": "4", "title": "A"}}`, ``, ` r  ; A   ; A   `},
		{"an argument that is not known", `{"name": "A", "value": "4"}, {"name": "B", "value": "5"}`, `{"s": "${A}", "t": "${B}"}`,
			rule("s", `"rule": "string", "maxLength": "jsonpath::.spec.domain.t"`),
			`{"A": {"type": "string", "default": "4", "title": "A", "description": "m"}, "B": {"type": "string", "default": "5", "title": "B"}}`, ``, ` r maxLength `},
		{"what only warns", `{"name": "A", "value": "4"}`, `{"s": "${A}", "t": "x${A}"}`,
			rule("s", `"rule": "string", "maxLength": 2, "justWarning": true`) + second("t", `"rule": "string", "maxLength": 2, "justWarning": true`),
			`{"A": {"type": "string", "default": "4", "title": "A", "description": "m; n"}}`, ``, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			template := openShift(test.parameters, test.domain, test.rules)
			in, err := form.ParameterInputs(decodeExactly(json.RawMessage(template)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decodeAny(test.want), in.Schema["properties"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var required, left []string
			list, _ := in.Schema["required"].([]any)
			for _, name := range list {
				required = append(required, name.(string))
			}
			if diff := cmp.Diff(test.required, strings.Join(required, " ")); diff != "" {
				t.Errorf("required (-want +got):\n%s", diff)
			}
			for _, u := range in.Unexpressed {
				left = append(left, strings.Join([]string{u.Parameter, u.Rule, u.Argument, u.Type}, " "))
			}
			if diff := cmp.Diff(test.left, strings.Join(left, "; ")); diff != "" {
				t.Errorf("unexpressed (-want +got):\n%s\n%s", diff, mustJSON(in.Unexpressed))
			}
			checkStrict(t, in.Schema)
			odd, _ := form.ParameterInputs(decodeOddly(json.RawMessage(template)))
			if string(mustJSON(odd)) != string(mustJSON(in)) {
				t.Errorf("the schema depends on the decoder: %s", mustJSON(odd))
			}
		})
	}
}

// TestParameterInputsErrors checks what is returned beside an error.
func TestParameterInputsErrors(t *testing.T) {
	for _, test := range []struct {
		name, template string
		budget         vmrules.Budget
		want, schema   string
	}{
		{"not a template", `{"kind": "VirtualMachine"}`, vmrules.Budget{}, "only a Template",
			`{"type": "object", "properties": {}, "additionalProperties": false}`},
		{"rules that cannot be read", openShift(`{"name": "A", "value": "a", "description": "d"}`, `{"n": "${A}"}`, `{"name": "n"}`), vmrules.Budget{},
			"the validation rules cannot be used",
			`{"type": "object", "properties": {"A": {"type": "string", "default": "a", "title": "A", "description": "d"}}, "additionalProperties": false}`},
		{"too little budget", openShift(`{"name": "A"}`, `{"n": "${A}"}`, ``), vmrules.Budget{Work: 1000}, "the budget for work is used up",
			`{"type": "object", "properties": {}, "additionalProperties": false}`},
	} {
		in, err := form.ParameterInputs(decodeExactly(json.RawMessage(test.template)), vmrules.WithBudget(test.budget))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		delete(in.Schema, "$schema")
		if diff := cmp.Diff(decodeAny(test.schema), any(in.Schema)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
