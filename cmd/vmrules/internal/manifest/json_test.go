package manifest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBeginsJSON(t *testing.T) {
	blank := strings.Repeat(" \n", 100)
	for text, want := range map[string]bool{
		`{"a": 1}`: true, "\uFEFF{}": true, blank + "{" + blank + `"`: true, "{": true, "[": true, "[1]": false, `[ "a"]`: true, "[ {": true, "[a]": false,
		"": false, blank: false, "a: 1": false, "{a: 1}": false, "{{ a }}": false, "{% if a %}": false, "- 1": false, "---\n{}": false,
	} {
		reader := bufio.NewReader(strings.NewReader(text))
		if got := BeginsJSON(reader); got != want {
			t.Errorf("%.20q: %t, want %t", text, got, want)
		}
		left, err := io.ReadAll(reader)
		if want := strings.TrimPrefix(text, byteOrderMark); err != nil || string(left) != want {
			t.Errorf("%.20q: %.20q is left", text, left)
		}
	}
}

// A List holds only what identifies its items. An item has its values once it is loaded.
func TestHeads(t *testing.T) {
	const list = `{
  "items": [
    {"spec": {"a": [1, "\ud83d\ude00"]}, "kind": "VirtualMachine", "metadata": {"name": "n", "labels": {"b": null}}},
    {"kind": "VirtualMachineList", "apiVersion": "v1", "items": [{"metadata": {"namespace": "s"}, "items": 7}]}
  ],
  "kind": "List"
}
{"kind": "VirtualMachine", "spec": {"c": -0}}`
	file, err := Parse("list.json", list)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range file.Objects() {
		if o.node.get("spec") != nil || o.node.get("metadata", "labels") != nil {
			t.Errorf("%s holds all of its values", o)
		}
		for range 2 { // the second time in memory
			text, err := json.Marshal(o.Content())
			if err != nil {
				t.Fatal(err)
			}
			line, column, _ := NewLocator(o).Place("/spec/a/1")
			got = append(got, fmt.Sprintf("%s %d %d:%d %s", o, o.Line, line, column, text))
			o = o.Loaded()
		}
	}
	want := []string{
		`VirtualMachine n 3 3:24 {"kind":"VirtualMachine","metadata":{"labels":{"b":null},"name":"n"},"spec":{"a":[1,"😀"]}}`,
		`VirtualMachine s/ 4 4:66 {"apiVersion":"v1","items":7,"kind":"VirtualMachine","metadata":{"namespace":"s"}}`,
		`VirtualMachine 8 8:28 {"kind":"VirtualMachine","spec":{"c":-0}}`,
	}
	if diff := cmp.Diff(slices.Concat(want[:1], want[:1], want[1:2], want[1:2], want[2:], want[2:]), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// JSON that is also YAML has the same objects at the same places, however it is read.
func TestJSONAsYAML(t *testing.T) {
	files, err := filepath.Glob("../../../../testdata/*/*.json")
	if err != nil || files == nil {
		t.Fatal("no files", err)
	}
	type found struct {
		Title   string
		Line    int
		Content map[string]any
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list := `{"kind": "List", "items": [` + "\n" + `{"kind": "A", "metadata": {"name": "n"}, "spec":` + string(text) + "},\n" + `{"kind": "List", "items": [{"b":` + string(text) + `}]}]}`
		objects := func(name string) (all []found) {
			file, err := Parse(name, list)
			if err != nil {
				return append(all, found{Title: err.Error()})
			}
			for _, o := range file.Objects() {
				all = append(all, found{o.String(), o.Line, o.Content()})
			}
			return all
		}
		asJSON, asYAML := objects("f.json"), objects("f.yaml")
		if len(asYAML) < 2 { // YAML has other limits
			continue
		}
		if diff := cmp.Diff(asYAML, asJSON); diff != "" {
			t.Errorf("%s (-YAML +JSON):\n%s", name, diff)
		}
	}
}

// Mistakes have the words of the library, wherever they are, unless the text is too long for it.
func TestMistakesInJSON(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	long := strings.Repeat("x", 300_000)
	for text, want := range map[string]string{
		`[{"a":1,"a":2}]`:                      "",
		`{"a":"\ud800","b":1e999999}`:          "",
		`{"a":` + deep(maxDepth-1) + `}`:       "",
		`{"a":"` + deep(maxDepth) + `"}`:       "",
		`{"a":` + deep(maxDepth) + `}`:         "f.json:1:1005: values are nested more than 1000 levels deep",
		`{"items":[{"a":` + deep(998) + `}]}`:  "f.json:1:1013: values are nested more than 1000 levels deep",
		`{"items":[{"a":` + deep(997) + `}]}`:  "",
		`{"items":[{"b":{"a":1,"\u0061":2}}]}`: `f.json:1:23: the key "a" is given twice in one object: keep one of them`,
		`{"\ud800":1,"\udfff":2}`:              "f.json:1:13: the key \"\uFFFD\" is given twice in one object: keep one of them",
		`{} {"a":1,}`:                          "f.json:1:10: trailing comma before }: remove it",
		`{} {"items":[{"a" 1}]}`:               `f.json:1:19: a colon is missing after the key "a"`,
		`{} {"items":[{"a":1}`:                 "f.json:1:21: the text ends too early: a closing bracket, quote or value is missing",
		`{} {"items":[{"a":nul}]}`:             `f.json:1:19: "nul" is not allowed here, where a value is expected: strings need quotes`,
		`{} {"items":[{"a":"\x"}]}`:            `f.json:1:20: the backslash does not begin a JSON escape: write \\ for a backslash`,
		`{} ,{}`:                               `f.json:1:4: "," is not allowed here, where a value is expected`,
		`{} {"a":"` + long + `" 1}`:            "f.json:1:300012: invalid character '1' after object value (expecting ',' or '}')",
		`{} 5`:                                 "f.json:1:4: this value is neither an object nor an array: remove it, or put it in an array",
	} {
		_, err := Parse("f.json", text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.40s: %s, want %s", text, got, want)
		}
	}
}
