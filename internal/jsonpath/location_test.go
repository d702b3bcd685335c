package jsonpath_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

func TestLocation(t *testing.T) {
	member, item := jsonpath.Member, jsonpath.Item
	tests := []struct {
		at            jsonpath.Location
		text, pointer string
	}{
		{nil, "$", ""},
		{jsonpath.Members("spec", "cpu"), "spec.cpu", "/spec/cpu"},
		{jsonpath.Location{member("a"), item(0), item(12), member("b-c/d")}, "a[0][12].b-c/d", "/a/0/12/b-c~1d"},
		{jsonpath.Location{item(1), member("a")}, "[1].a", "/1/a"},
		{jsonpath.Members("vm.io/os"), `vm\.io/os`, "/vm.io~1os"},
		{jsonpath.Members("range", "end"), "['range'].end", "/range/end"},
		{jsonpath.Members("we ird", `it's\.*`), `['we ird']['it\'s\\\.\*']`, `/we ird/it's\.*`},
		{jsonpath.Members("", "~1/"), "['']['~1/']", "//~01~1"},
		{jsonpath.Members("größe"), "größe", "/größe"},
	}
	for _, test := range tests {
		if got := test.at.String(); got != test.text {
			t.Errorf("String: %s, want %s", got, test.text)
		}
		if got := test.at.Shown(); got != test.text {
			t.Errorf("Shown: %s, want %s", got, test.text)
		}
		if got := test.at.Pointer(); got != test.pointer {
			t.Errorf("%s: the pointer is %s, want %s", test.text, got, test.pointer)
		}
		if got, least := test.at.TextSize(), len(test.text)+len(test.pointer); len(test.at) > 0 && got < least {
			t.Errorf("%s: takes %d bytes, not %d", test.text, least, got)
		}
		if got := jsonpath.Fixed(mustParse(t, test.text).Steps()); !slices.Equal(got, test.at) {
			t.Errorf("%s is read as %s", test.text, got)
		}
	}
}

func TestShownIsShort(t *testing.T) {
	at := jsonpath.Members("a", strings.Repeat("b", 10_000), "c")
	if got := at.Shown(); len(got) > value.MaxLine+20 || !strings.HasPrefix(got, "a['bbb") || !strings.HasSuffix(got, "…") {
		t.Errorf("shown as %s", got)
	}
	if at[1] != jsonpath.Member(strings.Repeat("b", 10_000)) {
		t.Error("Shown has changed the location")
	}
}

func TestFixed(t *testing.T) {
	tests := map[string]string{
		"$": "$", ".a[0].b": "a[0].b", ".a[-1].b": "a", ".a[*].b": "a", "..a": "$", ".a['b','c']": "a", ".a[?(@.b)]": "a", "[1:2]": "$",
	}
	for path, want := range tests {
		if got := jsonpath.Fixed(mustParse(t, path).Steps()).String(); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestField(t *testing.T) {
	target := jsonpath.Members("spec", "template")
	tests := []struct {
		root       jsonpath.Location
		path, want string
	}{
		{nil, ".a.b", "a.b"},
		{nil, "$", "$"},
		{nil, ".end", ".end"},
		{nil, "['a']", "['a']"},
		{target, ".a.b", "spec.template.a.b"},
		{target, "$", "spec.template"},
		{target, "[*]", "spec.template[*]"},
		{target, "..a", "spec.template..a"},
	}
	for _, test := range tests {
		if got := test.root.Field(mustParse(t, test.path)); got != test.want {
			t.Errorf("%s behind %s: %s, want %s", test.path, test.root, got, test.want)
		}
	}
}

func TestJoin(t *testing.T) {
	root := append(make(jsonpath.Location, 0, 8), jsonpath.Member("a"))
	first, second := root.Join(jsonpath.Members("b")), root.Join(jsonpath.Members("c"))
	if diff := cmp.Diff([]string{"a", "a.b", "a.c"}, []string{root.String(), first.String(), second.String()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompare(t *testing.T) {
	want := []jsonpath.Element{jsonpath.Item(0), jsonpath.Item(2), jsonpath.Item(10), jsonpath.Member("a"), jsonpath.Member("b")}
	got := []jsonpath.Element{want[3], want[2], want[0], want[4], want[1]}
	slices.SortFunc(got, jsonpath.Element.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %v, want %v", got, want)
	}
}

func TestLookup(t *testing.T) {
	object := map[string]any{"a": []any{"x", map[string]any{"b": "y"}}}
	tests := []struct {
		at   string
		want any
	}{
		{"$", object}, {".a[0]", "x"}, {".a[1].b", "y"}, {".a[2]", nil}, {".a.b", nil}, {"[0]", nil}, {".x.y[0]", nil},
	}
	for _, test := range tests {
		got := jsonpath.Lookup(object, jsonpath.Fixed(mustParse(t, test.at).Steps()))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.at, diff)
		}
	}
}
