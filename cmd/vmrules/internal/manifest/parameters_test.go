package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
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
			got, err := json.Marshal(filled.Content()["objects"].([]any)[0])
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
			if len(filled.Missing) != 1 || filled.Missing[0] != "MISSING" {
				t.Errorf("missing are %v", filled.Missing)
			}
		})
	}
}

// What filling in makes is counted before it is made.
func TestFillIsBounded(t *testing.T) {
	const (
		bytes  = "file:1:%d: with its parameters filled in, the template has more than 16777216 bytes up to here"
		values = "file:1:%d: with its parameters filled in, the template has more than 100000 values for them"
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
		{"as much as there may be", long, "[" + strings.Repeat(`"${A}", `, 419) + "0]", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := `{"kind": "Template", "objects": ` + test.objects + `, "parameters": [{"name": "A", "value": "` + test.value + `"}]}`
			file, err := Parse("file", []byte(text))
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

// An alias is filled in once, however often it is there.
func TestFillAliases(t *testing.T) {
	text := "kind: Template\nparameters: [{name: A, value: " + strings.Repeat("x", 100_000) + "}]\n" +
		"x: &x {b: \"${A}\"}\nobjects: [" + strings.Repeat("*x, ", 1_000) + "*x]\n"
	file, err := Parse("file", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	filled, err := file.Objects()[0].Fill(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(filled.node.get("objects").items[999].text("b")); got != 100_000 {
		t.Errorf("%d bytes", got)
	}
}

// Findings about an annotation with parameters filled in stand where they do in the
// file: » is before what stands in the annotation where the second » is.
func TestPlaceOfFilled(t *testing.T) {
	const head = "kind: Template\nparameters: [{name: A, value: \"12345\"}, {name: B}, {name: R, value: '\"[1]\"'}]\nobjects:\n- metadata:\n    annotations:\n      vm.kubevirt.io/validations: "
	tests := []struct{ name, file, filled string }{
		{"before", head + "|\n        [»1, ${A}]\n", "[»1, 12345]\n"},
		{"at the beginning", head + "|\n        [1, »${A}]\n", "[1, »12345]\n"},
		{"inside", head + "|\n        [1, »${A}]\n", "[1, 12»345]\n"},
		{"behind", head + "|\n        [1, ${A}»]\n", "[1, 12345»]\n"},
		{"behind several", head + "'[${B}${A},\n          \"it''s\", ${A}, »x ${C}]'\n", "[12345, \"it's\", 12345, »x ${C}]"},
		{"behind an escape", head + `"[\"ü\u00fc\", ${A}, »2]"`, `["üü", 12345, »2]`},
		{"a value as a whole", head + `»"${{R}}"`, "[»1]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("file", []byte(strings.Replace(test.file, "»", "", 1)))
			if err != nil {
				t.Fatal(err)
			}
			filled, err := file.Objects()[0].Fill(nil)
			if err != nil {
				t.Fatal(err)
			}
			a := filled.Annotations()[0]
			if got, want := a.text(), strings.Replace(test.filled, "»", "", 1); got != want {
				t.Fatalf("the annotation is %q, want %q", got, want)
			}
			marked := newSource(test.file)
			wantLine, wantColumn := marked.place(strings.Index(test.file, "»"))
			if line, column := a.place(a.text(), strings.Index(test.filled, "»")); line != wantLine || column != wantColumn {
				t.Errorf("got %d:%d, want %d:%d in\n%s", line, column, wantLine, wantColumn, test.file)
			}
		})
	}
}

// What -p gives may be longer than the file, and hold rules.
func TestPlaceInAGivenValue(t *testing.T) {
	file, err := Parse("file", []byte("kind: Template\nparameters: [{name: A}]\nobjects:\n- ${{A}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	given := `{"metadata": {"annotations": {"vm.kubevirt.io/validations": "` + strings.Repeat(" ", 1_000) + `[1]"}}}`
	filled, err := file.Objects()[0].Fill(map[string]string{"A": given})
	if err != nil {
		t.Fatal(err)
	}
	a := filled.Annotations()[0]
	if line, column := a.place(a.text(), 1_001); line != 4 || column != 3 {
		t.Errorf("got %d:%d, want 4:3", line, column)
	}
}
