package form_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

func TestFill(t *testing.T) {
	const parameters = `[{"name": "TEXT", "value": "b"}, {"name": "GIVEN", "value": "x", "required": true},
		{"name": "NUMBER", "value": "9007199254740993"}, {"name": "BOOLEAN", "value": "true"},
		{"name": "OBJECT", "value": "{\"a\": [1]}"}, {"name": "TWO", "value": "1 2"}, {"name": "BARE", "value": 4},
		{"name": "EMPTY"}, {"name": "MISSING", "required": true}, {"name": "NESTED", "value": "${TEXT}"}]`
	for _, test := range []struct{ written, want string }{
		{`"a ${TEXT}, ${GIVEN}"`, `"a b, 1.5"`},
		{`"${TEXT}${TEXT}"`, `"bb"`},
		{`{"${TEXT}": 1}`, `{"b":1}`},
		{`["${TEXT}", true, null, 1.50]`, `["b",true,null,1.5]`},
		{`"${{NUMBER}}"`, `9007199254740993`},
		{`"${{GIVEN}}"`, `1.5`},
		{`"${{BOOLEAN}}"`, `true`},
		{`"${{OBJECT}}"`, `{"a":[1]}`},
		{`"${{TEXT}}"`, `"b"`},
		{`"${{TWO}}"`, `"1 2"`},
		{`"x${{NUMBER}}"`, `"x${{NUMBER}}"`},
		{`{"${{NUMBER}}": 1}`, `{"${{NUMBER}}":1}`},
		{`"${NUMBER}"`, `"9007199254740993"`},
		{`"${{BARE}}"`, `4`},
		{`"(${EMPTY})"`, `"()"`},
		{`"${MISSING} ${{MISSING}}"`, `"${MISSING} ${{MISSING}}"`},
		{`"${{MISSING}}"`, `"${{MISSING}}"`},
		{`"${OTHER}"`, `"${OTHER}"`},
		{`"${OTHER} ${TEXT}"`, `"${OTHER} b"`},
		{`"${NESTED}"`, `"${TEXT}"`},
	} {
		for _, template := range []string{
			`{"kind": "Template", "objects": [` + test.written + `], "parameters": ` + parameters + `}`,
			`{"kind": "VirtualMachineTemplate", "spec": {"virtualMachine": [` + test.written + `], "parameters": ` + parameters + `}}`,
		} {
			before := decodeExactly(json.RawMessage(template))
			for _, object := range []map[string]any{before, decodeOddly(json.RawMessage(template))} {
				filled, err := form.Fill(object, map[string]any{"GIVEN": json.Number("1.50")})
				if err != nil {
					t.Fatal(err)
				}
				at := below(filled, "objects")
				if at == nil {
					at = below(filled, "spec", "virtualMachine")
				}
				if got := string(mustJSON(at)); got != "["+test.want+"]" {
					t.Errorf("%s: got %s, want %s", test.written, got, test.want)
				}
			}
			if diff := cmp.Diff(decodeExactly(json.RawMessage(template)), before); diff != "" {
				t.Errorf("the template has changed: %s", diff)
			}
		}
	}
}

func TestFillErrors(t *testing.T) {
	template := func(parameters, objects string) string {
		return `{"kind": "Template", "parameters": [` + parameters + `], "objects": [` + objects + `]}`
	}
	const a = `{"name": "A", "value": "a"}`
	for _, test := range []struct {
		template string
		values   map[string]any
		budget   vmrules.Budget
		want     string
	}{
		{`{"kind": "VirtualMachine"}`, nil, vmrules.Budget{}, "only a Template"},
		{template(a, ``), map[string]any{"B": "b"}, vmrules.Budget{}, `the template does not declare the parameter "B"`},
		{template(a, ``), map[string]any{"A": []any{}}, vmrules.Budget{}, "the value of the parameter A must be a string, a number or a boolean"},
		{template(a, ``), map[string]any{"A": nil}, vmrules.Budget{}, "the value of the parameter A must be"},
		{template(a, `{"a": 1, "${A}": 2}`), nil, vmrules.Budget{}, `two fields of one object would have the name "a"`},
		{template(`{"name": "A", "generate": "uuid"}`, ``), nil, vmrules.Budget{}, "write expression"},
		{template(strings.Repeat(`{"name": "A", "generate": "expression", "from": "`+strings.Repeat("[a]{255}", 39)+`"}, `, 1)+a, ``), nil,
			vmrules.Budget{}, ""},
		{template(a, `"`+strings.Repeat("${A}", 1000)+`"`), map[string]any{"A": strings.Repeat("x", 1000)}, vmrules.Budget{Memory: 1 << 20},
			"the budget for memory is used up"},
		{template(a, strings.Repeat(`"${{A}}", `, 1000)+`0`), map[string]any{"A": "[" + strings.Repeat("0,", 1000) + "0]"},
			vmrules.Budget{Memory: 1 << 20}, "the budget for memory is used up"},
		{template(a, strings.Repeat(`"${A}", `, 1000)+`0`), nil, vmrules.Budget{Time: 10 * time.Microsecond}, "the budget for time is used up"},
	} {
		_, err := form.Fill(decodeExactly(json.RawMessage(test.template)), test.values, vmrules.WithBudget(test.budget))
		switch {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%.100s: got %v, want %s", test.template, err, test.want)
		}
	}
	var many []string
	for range 200 {
		many = append(many, `{"name": "A`+strings.Repeat("x", len(many))+`", "generate": "expression", "from": "`+strings.Repeat("[a]{255}", 39)+`"}`)
	}
	_, err := form.Fill(decodeExactly(json.RawMessage(template(strings.Join(many, ","), ``))), nil)
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes would be generated") {
		t.Errorf("got %v", err)
	}
}

// TestFillSharesNothing checks that a change of the result does not change the template.
func TestFillSharesNothing(t *testing.T) {
	template := decodeExactly(json.RawMessage(`{"kind": "Template", "objects": [{"a": {"b": 1}}]}`))
	filled, err := form.Fill(template, nil)
	if err != nil {
		t.Fatal(err)
	}
	below(filled["objects"].([]any)[0], "a").(map[string]any)["b"] = 2
	if got := string(mustJSON(template["objects"])); got != `[{"a":{"b":1}}]` {
		t.Errorf("the template is now %s", got)
	}
}
