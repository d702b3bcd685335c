package manifest

import (
	"encoding/json"
	"testing"
)

func TestFill(t *testing.T) {
	given := map[string]string{"GIVEN": "from outside"}
	tests := []struct{ name, written, want string }{
		{"a string", `"a ${TEXT}, ${GIVEN}"`, `"a b, from outside"`},
		{"the same twice", `"${TEXT}${TEXT}"`, `"bb"`},
		{"a key", `{"${TEXT}": 1}`, `{"b":1}`},
		{"an item", `["${TEXT}", true, null, 1.50]`, `["b",true,null,1.50]`},
		{"a number", `"${{NUMBER}}"`, `9007199254740993`},
		{"a boolean", `"${{BOOLEAN}}"`, `true`},
		{"an object", `"${{OBJECT}}"`, `{"a":[1]}`},
		{"what is no JSON stays a string", `"${{TEXT}}"`, `"b"`},
		{"two values are no JSON", `"${{TWO}}"`, `"1 2"`},
		{"a value inside of more", `"x${{NUMBER}}"`, `"x${{NUMBER}}"`},
		{"a number as string", `"${NUMBER}"`, `"9007199254740993"`},
		{"without quotes in the template", `"${{BARE}}"`, `4`},
		{"without a value", `"(${EMPTY})"`, `"()"`},
		{"required, without a value", `"${MISSING} ${{MISSING}}"`, `"${MISSING} ${{MISSING}}"`},
		{"one that is not declared", `"${OTHER}"`, `"${OTHER}"`},
		{"a value is not filled in again", `"${NESTED}"`, `"${TEXT}"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("file", []byte(`{"kind": "Template", "objects": [`+test.written+`], "parameters": [
				{"name": "TEXT", "value": "b"}, {"name": "GIVEN", "value": "x", "required": true},
				{"name": "NUMBER", "value": "9007199254740993"}, {"name": "BOOLEAN", "value": "true"},
				{"name": "OBJECT", "value": "{\"a\": [1]}"}, {"name": "TWO", "value": "1 2"}, {"name": "BARE", "value": 4},
				{"name": "EMPTY"}, {"name": "MISSING", "required": true}, {"name": "NESTED", "value": "${TEXT}"}
			]}`))
			if err != nil {
				t.Fatal(err)
			}
			filled, err := file.Objects()[0].Fill(given)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(filled.Content["objects"].([]any)[0])
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
			if len(filled.Missing) != 1 || filled.Missing[0] != "MISSING" {
				t.Errorf("missing are %v", filled.Missing)
			}
		})
	}
}
