package vmrules

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		{"jsonpath::.a b", `write '\ ' where`},
		{"jsonpath::{.a", "the { is never closed"},
	}
	for _, test := range tests {
		p, err := ParsePath(test.in)
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

func parsedOrZero(t *testing.T, s string) Path {
	t.Helper()
	if s == "" {
		return Path{}
	}
	p, err := ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
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
		p := MustParsePath(in)
		if diff := cmp.Diff(want, p.String()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
		text, err := json.Marshal(p)
		if diff := cmp.Diff(string(mustJSON(want)), string(text)); diff != "" || err != nil {
			t.Errorf("%q as JSON (-want +got):\n%s%v", in, diff, err)
		}
		var again Path
		if err := json.Unmarshal(text, &again); err != nil || !again.Equal(p) {
			t.Errorf("%q read from its JSON: %s, %v", in, again, err)
		}
	}
	read := MustParsePath("jsonpath::.a")
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
	MustParsePath(".a")
}

const findObject = `{
	"a": {"a": {"a": 1, "b": 2}, "b": [{"n": "x", "v": 1}, {"n": "y", "v": 2.0}, {"n": "z", "v": "2"}, {"n": null}]},
	"b": [0, 1, 2, 3],
	"vm.kubevirt.io/os": "linux",
	"we ird": {"it's": {"back\\slash": 1}},
	"": {"*": 1, "~1/": 2},
	"end": true, "null": null, "empty": [], "flag": [true, false]
}`

func TestFind(t *testing.T) {
	tests := []struct {
		path string
		want []string // fields
	}{
		{"$", []string{"$"}},
		{".a.a.b", []string{"a.a.b"}},
		{".null", nil}, {".nothing", nil}, {".a.b.n", nil}, {".a.a.a.a", nil}, {".b[0].x", nil}, {".end[0]", nil},
		{`.vm\.kubevirt\.io/os`, []string{`vm\.kubevirt\.io/os`}},
		{`['we ird']['it\'s'].*`, []string{`['we ird']['it\'s']['back\\slash']`}},
		{`[''].*`, []string{`['']['\*']`, `['']['~1/']`}},
		{`['end']`, []string{"['end']"}},
		{".b[0]", []string{"b[0]"}}, {".b[-1]", []string{"b[3]"}}, {".b[4]", nil}, {".b[-5]", nil},
		{".b[*]", []string{"b[0]", "b[1]", "b[2]", "b[3]"}}, {".b.*", []string{"b[0]", "b[1]", "b[2]", "b[3]"}},
		{".a[*]", nil}, {".end.*", nil}, {".empty[*]", nil},
		{".b[1:3]", []string{"b[1]", "b[2]"}}, {".b[:2]", []string{"b[0]", "b[1]"}}, {".b[-2:]", []string{"b[2]", "b[3]"}},
		{".b[::3]", []string{"b[0]", "b[3]"}}, {".b[1:-1]", []string{"b[1]", "b[2]"}},
		{".b[2:2]", nil}, {".b[3:1]", nil}, {".b[2:5]", nil}, {".b[4:]", nil}, {".b[-5:2]", nil},
		{".b[3,0,0,-1]", []string{"b[0]", "b[3]"}}, {".b[2:4,0,9]", []string{"b[0]", "b[2]", "b[3]"}},
		{".a['b','a','x'].a", []string{"a.a.a"}},
		{"..a", []string{"a", "a.a", "a.a.a"}},
		{"..a..a", []string{"a.a", "a.a.a"}},
		{"..a..a..a..a", nil},
		{"..n", []string{"a.b[0].n", "a.b[1].n", "a.b[2].n"}},
		{".a..b", []string{"a.a.b", "a.b"}},
		{"..[0]", []string{"a.b[0]", "b[0]", "flag[0]"}},
		{"..['n','v']", []string{"a.b[0].n", "a.b[0].v", "a.b[1].n", "a.b[1].v", "a.b[2].n", "a.b[2].v"}},
		{".a.a..*", []string{"a.a.a", "a.a.b"}},
		{"..b[1:2]", []string{"a.b[1]", "b[1]"}},
		{"..[?(@.n)].v", []string{"a.b[0].v", "a.b[1].v", "a.b[2].v"}},
		{`.a.b[?(@.n=="y")].v`, []string{"a.b[1].v"}}, {`.a.b[?("y"==@.n)].v`, []string{"a.b[1].v"}},
		{".a.b[?(@.v==2)].n", []string{"a.b[1].n"}}, {".a.b[?(@.v=='2')].n", []string{"a.b[2].n"}},
		{".a.b[?(@.v!=1)].n", []string{"a.b[1].n"}}, {".a.b[?(@.v<2)].n", []string{"a.b[0].n"}},
		{".a.b[?(@.v<=2)].n", []string{"a.b[0].n", "a.b[1].n"}}, {".a.b[?(@.v>1)].n", []string{"a.b[1].n"}},
		{".a.b[?(@.v>=1)].n", []string{"a.b[0].n", "a.b[1].n"}}, {`.a.b[?(@.n>"x")].n`, []string{"a.b[1].n", "a.b[2].n"}},
		{".a.b[?(@.v==@.v)].n", []string{"a.b[0].n", "a.b[1].n", "a.b[2].n"}},
		{".a.b[?(@.*==1)].n", nil}, {".a.b[?(@.n)].n", []string{"a.b[0].n", "a.b[1].n", "a.b[2].n"}},
		{".b[?(@>1)]", []string{"b[2]", "b[3]"}}, {".b[?(@==1e1000)]", nil}, {".b[?(@<1e1000)]", []string{"b[0]", "b[1]", "b[2]", "b[3]"}},
		{".flag[?(@==true)]", []string{"flag[0]"}}, {".flag[?(@!=true)]", []string{"flag[1]"}}, {".flag[?(@<true)]", nil},
		{".a[?(@.a)]", nil}, {".a.b[?(@==1)]", nil},
	}
	for _, odd := range []bool{false, true} {
		object := decodeExactly(json.RawMessage(findObject))
		if odd {
			object = decodeOddly(json.RawMessage(findObject))
		}
		for _, test := range tests {
			var got []string
			for _, m := range MustParsePath("jsonpath::" + test.path).Find(object) {
				got = append(got, m.Field)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (odd %v) (-want +got):\n%s", test.path, odd, diff)
			}
		}
	}
}

func TestFindValues(t *testing.T) {
	object := map[string]any{"a": []string{"x", "y"}, "q": resourceQuantity{"2Gi"}}
	got := MustParsePath("jsonpath::$..*").Find(object)
	want := []Match{{"a", []string{"x", "y"}}, {"a[0]", "x"}, {"a[1]", "y"}, {"q", "2Gi"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (Path{}).Find(object); got != nil {
		t.Errorf("the zero path finds %v", got)
	}
	if got := MustParsePath("jsonpath::$").Find(nil); got != nil {
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
		want int
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
		if got := len(MustParsePath("jsonpath::" + test.path).Find(test.root)); got != test.want {
			t.Errorf("%.20s: %d matches, want %d", test.path, got, test.want)
		}
	}
}
