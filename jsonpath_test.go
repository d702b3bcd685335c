package vmrules_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

func TestParsePathErrors(t *testing.T) {
	tests := []struct{ in, cure string }{
		{".spec.domain", `write "jsonpath::.spec.domain"`},
		{"spec.domain", `write "jsonpath::.spec.domain"`},
		{"/spec.domain", `write "jsonpath::.spec.domain"`},
		{"", `begins with "jsonpath::"`},
		{"jsonpath:.a", `write "jsonpath::.a"`},
		{" jsonpath::.a", `write "jsonpath::.a"`},
		{"JsonPath.a", `write "jsonpath::.a"`},
		{"JSONPATH::.a", `write "jsonpath::.a"`},
		{"jsonpath::", "the path is empty"},
		{"jsonpath::.a b", `write '\ ' if`},
		{"jsonpath::{.a", "the { is never closed"},
	}
	for _, test := range tests {
		p, err := vmrules.ParsePath(test.in)
		if err == nil {
			t.Errorf("ParsePath(%q) = %s", test.in, p)
			continue
		}
		if !strings.Contains(err.Error(), test.cure) {
			t.Errorf("ParsePath(%q): %v; it does not say %q", test.in, err, test.cure)
		}
		if !p.IsZero() {
			t.Errorf("ParsePath(%q): a path beside the error", test.in)
		}
	}
}

func TestPathString(t *testing.T) {
	tests := map[string]string{
		"jsonpath::{$.a.b}":       "jsonpath::.a.b",
		"jsonpath::a":             "jsonpath::.a",
		"jsonpath::$['a'][0]":     "jsonpath::['a'][0]",
		"jsonpath::$..a":          "jsonpath::..a",
		"jsonpath::@":             "jsonpath::$",
		`jsonpath::.a\.b['c\.d']`: `jsonpath::.a\.b['c\.d']`,
	}
	for in, want := range tests {
		p := vmrules.MustParsePath(in)
		if diff := cmp.Diff(want, p.String()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
		text, err := json.Marshal(p)
		var inJSON string
		if json.Unmarshal(text, &inJSON) != nil || inJSON != want || err != nil {
			t.Errorf("%q as JSON: %s, %v; want %q", in, text, err, want)
		}
		var again vmrules.Path
		if err := json.Unmarshal(text, &again); err != nil || !again.Equal(p) {
			t.Errorf("%q read from its JSON: %s, %v", in, again, err)
		}
	}
	read := vmrules.MustParsePath("jsonpath::.a")
	if err := json.Unmarshal([]byte(`""`), &read); err != nil || !read.IsZero() {
		t.Errorf("no path read from JSON: %s, %v", read, err)
	}
}

func TestMustParsePathPanics(t *testing.T) {
	defer func() {
		if got := recover(); got == nil || !strings.Contains(got.(string), `MustParsePath(".a")`) {
			t.Errorf("recovered %v", got)
		}
	}()
	vmrules.MustParsePath(".a")
}

// A quantity has a MarshalJSON, like Kubernetes' resource.Quantity.
type quantity struct{ text string }

func (q quantity) MarshalJSON() ([]byte, error) { return json.Marshal(q.text) }

func TestFindValues(t *testing.T) {
	object := map[string]any{"a": []string{"x", "y"}, "q": quantity{"2Gi"}}
	got, err := vmrules.MustParsePath("jsonpath::$..*").Find(object)
	if err != nil {
		t.Fatal(err)
	}
	want := []vmrules.Match{{"a", []string{"x", "y"}}, {"a[0]", "x"}, {"a[1]", "y"}, {"q", "2Gi"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := (vmrules.Path{}).Find(object); got != nil || err != nil {
		t.Errorf("the zero path finds %v", got)
	}
	if got, err := vmrules.MustParsePath("jsonpath::$").Find(nil); got != nil || err != nil {
		t.Errorf("found in nothing: %v", got)
	}
}

func TestFindBounds(t *testing.T) {
	wide := map[string]any{"a": make([]any, jsonpath.MaxMatches+1)}
	for i := range wide["a"].([]any) {
		wide["a"].([]any)[i] = i
	}
	cyclic := map[string]any{}
	cyclic["a"] = cyclic
	tests := []struct {
		path string
		root any
		want int // 0: an error
	}{
		{".a[*]", wide, 0},
		{".a[1:]", wide, jsonpath.MaxMatches},
		{"..a", cyclic, 0},
		{".a.a.a", cyclic, 1},
		{strings.Repeat("..a", 1000), cyclic, 0},
		{strings.Repeat(".a", value.MaxDepth), cyclic, 1},
		{strings.Repeat(".a", value.MaxDepth+1), cyclic, 0},
	}
	for _, test := range tests {
		got, err := vmrules.MustParsePath("jsonpath::" + test.path).Find(test.root)
		if len(got) != test.want || (err != nil) != (test.want == 0) {
			t.Errorf("%.20s: %d matches, %v, want %d", test.path, len(got), err, test.want)
		}
	}
}
