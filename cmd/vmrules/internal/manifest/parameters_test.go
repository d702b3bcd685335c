package manifest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
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
		{"a text that is not JSON", `"${{TEXT}}"`, `"b"`},
		{"two JSON values", `"${{TWO}}"`, `"1 2"`},
		{"double braces in a longer string", `"x${{NUMBER}}"`, `"x${{NUMBER}}"`},
		{"a number as a string", `"${NUMBER}"`, `"9007199254740993"`},
		{"a value without quotes in the template", `"${{BARE}}"`, `4`},
		{"no value", `"(${EMPTY})"`, `"()"`},
		{"no value, but required", `"${MISSING} ${{MISSING}}"`, `"${MISSING} ${{MISSING}}"`},
		{"not declared", `"${OTHER}"`, `"${OTHER}"`},
		{"a reference in a value", `"${NESTED}"`, `"${TEXT}"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := manifest.Parse("file", `{"kind": "Template", "objects": [`+test.written+`], "parameters": [
				{"name": "TEXT", "value": "b"}, {"name": "GIVEN", "value": "x", "required": true},
				{"name": "NUMBER", "value": "9007199254740993"}, {"name": "BOOLEAN", "value": "true"},
				{"name": "OBJECT", "value": "{\"a\": [1]}"}, {"name": "TWO", "value": "1 2"}, {"name": "BARE", "value": 4},
				{"name": "EMPTY"}, {"name": "MISSING", "required": true}, {"name": "NESTED", "value": "${TEXT}"}
			]}`)
			if err != nil {
				t.Fatal(err)
			}
			filled, err := file.Objects()[0].Fill(given)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(filled.Content()["objects"].([]any)[0])
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
			if len(filled.Missing) != 1 || filled.Missing[0] != "MISSING" {
				t.Errorf("got missing parameters %v, want MISSING", filled.Missing)
			}
		})
	}
}

// Fill refuses values that would make the template too large.
func TestFillIsBounded(t *testing.T) {
	const (
		bytes  = "file:1:%d: with its parameters filled in, the template has more than 16777216 bytes up to here"
		values = "file:1:%d: ${{NAME}} is replaced with more than 100000 values up to here"
	)
	long := strings.Repeat("x", 40_000)
	array := "[" + strings.Repeat("0,", 20_000) + "0]"
	tests := []struct {
		name, value, objects string
		want                 string
		at                   int
	}{
		{"a text", long, `["` + strings.Repeat("${A}", 40_000) + `"]`, bytes, 33},
		{"texts", long, "[" + strings.Repeat(`"${A}", `, 40_000) + "0]", bytes, 33 + 419*len(`"${A}", `)},
		{"keys", long, "[" + strings.Repeat(`{"${A}": 0}, `, 40_000) + "0]", bytes, 34 + 419*len(`{"${A}": 0}, `)},
		{"values", array, "[" + strings.Repeat(`"${{A}}", `, 40_000) + "0]", values, 33 + 4*len(`"${{A}}", `)},
		{"the most that is allowed", long, "[" + strings.Repeat(`"${A}", `, 419) + "0]", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := `{"kind": "Template", "objects": ` + test.objects + `, "parameters": [{"name": "A", "value": "` + test.value + `"}]}`
			file, err := manifest.Parse("file", text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = file.Objects()[0].Fill(nil)
			if test.want == "" && err == nil {
				return
			}
			if want := fmt.Sprintf(test.want, test.at+1); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got error %v, want %s", err, want)
			}
		})
	}
}

// A value with many aliases is filled in once: copies of it would be too large.
func TestFillAliases(t *testing.T) {
	text := "kind: Template\nparameters: [{name: A, value: " + strings.Repeat("x", 100_000) + "}]\n" +
		"x: &x {b: \"${A}\"}\nobjects: [" + strings.Repeat("*x, ", 1_000) + "*x]\n"
	file, err := manifest.Parse("file", text)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := file.Objects()[0].Fill(nil)
	if err != nil {
		t.Fatal(err)
	}
	last := filled.Content()["objects"].([]any)[1_000].(map[string]any)
	if got := len(last["b"].(string)); got != 100_000 {
		t.Errorf("got %d bytes, want 100000", got)
	}
}
