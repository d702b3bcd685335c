package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// readParts reads what rules with these paths need of what they call $.
func readParts(t *testing.T, text string, paths ...string) any {
	t.Helper()
	s := &selection{}
	for _, path := range paths {
		s.addPath(vmrules.MustParsePath("jsonpath::" + path))
	}
	r := newPartReader()
	r.begin([]byte(`{"root": ` + text + `}`))
	if _, err := r.text(); err != nil {
		t.Fatal(err)
	}
	v, err := r.read(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPartReader(t *testing.T) {
	const object = `{"a": {"b": {"c": 1, "d": 2}, "e": {}}, "list": [{"x": 1, "y": [2]}, 3, null, {"y": "z"}], "n": null}`
	for _, test := range []struct {
		paths      []string
		text, want string
	}{
		{nil, object, `{}`},
		{[]string{"$"}, object, object},
		{[]string{".a.b.c"}, object, `{"a": {"b": {"c": 1}}}`},
		{[]string{".a.b.c", ".a.b.d", ".n.x"}, object, `{"a": {"b": {"c": 1, "d": 2}}, "n": null}`},
		{[]string{".a.b.c", ".a.b"}, object, `{"a": {"b": {"c": 1, "d": 2}}}`},
		{[]string{".a.b", ".a.b.c"}, object, `{"a": {"b": {"c": 1, "d": 2}}}`},
		{[]string{".a.e.none", ".a.none.none"}, object, `{"a": {"e": {}}}`},
		{[]string{".list[*].x"}, object, `{"list": [{"x": 1}, 3, null, {}]}`},
		{[]string{".list[-1].x"}, object, `{"list": [{"x": 1}, 3, null, {}]}`},
		{[]string{".list[0:1].x"}, object, `{"list": [{"x": 1}, 3, null, {}]}`},
		{[]string{".list[0,1].x"}, object, `{"list": [{"x": 1, "y": [2]}, 3, null, {"y": "z"}]}`},
		{[]string{`.list[?(@.y=="z")].x`}, object, `{"list": [{"x": 1, "y": [2]}, 3, null, {"y": "z"}]}`},
		{[]string{`.list[?(@.x)]`}, object, `{"list": [{"x": 1, "y": [2]}, 3, null, {"y": "z"}]}`},
		{[]string{`.list[?(@.x==@.y[0])].v`}, `{"list": [{"v": 1, "w": 2, "x": 3, "y": [4, {}]}]}`, `{"list": [{"v": 1, "x": 3, "y": [4, {}]}]}`},
		{[]string{`.list[?(@>2)].v`}, `{"list": [5, {"w": 1}]}`, `{"list": [5, {"w": 1}]}`},
		{[]string{".a.*.c"}, object, `{"a": {"b": {"c": 1, "d": 2}, "e": {}}}`},
		{[]string{".a..c"}, object, `{"a": {"b": {"c": 1, "d": 2}, "e": {}}}`},
		{[]string{".a['b','e'].c"}, object, `{"a": {"b": {"c": 1, "d": 2}, "e": {}}}`},
		// What is not as expected is kept: how many members it has may count.
		{[]string{".a[*].c"}, object, `{"a": {"b": {"c": 1, "d": 2}, "e": {}}}`},
		{[]string{".list.x"}, object, `{"list": [{"x": 1, "y": [2]}, 3, null, {"y": "z"}]}`},
		{[]string{".list.x", ".list[*].x"}, object, `{"list": [{"x": 1}, 3, null, {}]}`},
		{[]string{".a.x"}, `{"a": "s", "b": 1}`, `{"a": "s"}`},
		{[]string{".a"}, `[1, {"a": 2}]`, `[1, {"a": 2}]`},
		{[]string{".a[*]"}, `{"a": [], "b": 1}`, `{"a": []}`},
		// Names, however they are written.
		{[]string{".a"}, `{"\u0061": 1, "A": 2, "b": 3}`, `{"a": 1}`},
		{[]string{`.a\"`}, `{"a\"": 1, "a": 2}`, `{"a\"": 1}`},
		{[]string{"['ä']"}, `{"\u00e4": 2}`, `{"ä": 2}`},
		{[]string{"['a\ufffd']"}, "{\"a\xff\": 1}", "{\"a\ufffd\": 1}"},
	} {
		if diff := cmp.Diff(decodeAny(t, test.want), readParts(t, test.text, test.paths...)); diff != "" {
			t.Errorf("%q of %s (-want +got):\n%s", test.paths, test.text, diff)
		}
	}
}

func decodeAny(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// TestPartReaderReadsValues checks that values are those of encoding/json.
func TestPartReaderReadsValues(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `""`, `{}`, `[]`, `[[], {}, [{}]]`, `{"": {"": []}}`,
		`0`, `-0`, `1`, `-1.50`, `1E+3`, `1e999999`, `123456789012345678901234567890.000`,
		`"a\"\\\/\b\f\n\r\t\u0000\u00e9\u20ac"`, `"\ud83d\ude00"`, `"ä€😀"`, "\"\u2028\x7f\"",
		`"\ud800"`, `"\ud800\u0041"`, `"\udc00\ud800\udc00"`, `"\ud800\ud800\udc00"`, `"\ud800x\udc00"`, `"\uD83D\uDE00\ud83d"`,
		"\"\xff\"", "\"\xe2\x82\"", "{\"\xff\": 1}",
		"\"\xe2\x82\xe2\x82\xac\"", "\"\xf0\x9f\x98\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\\n\xf5\"",
	} {
		if diff := cmp.Diff(decodeAny(t, text), readParts(t, text, "$")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// A key that is given twice is an error wherever it is, also in parts that no rule needs.
func TestAuditOfKeysTwice(t *testing.T) {
	vm := func(name, more string) string {
		return `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "` + name + `"}` + more + "}"
	}
	const twice = `"the key \"a\" is given twice in one object: keep one of them"`
	for _, test := range []struct{ more, want string }{
		{"", `"valid"`},
		{`, "a": 1, "a": 1`, twice},
		{`, "spec": {"template": {}, "a": 1, "\u0061": 2}`, twice},
		{`, "status": [{"a": {}, "b": 1, "a": {}}]`, twice},
	} {
		var got []string
		err := newTestAuditor(t).stream(strings.NewReader(`{"items": [`+vm("x", test.more)+","+vm("y", "")+"]}"), func(vm audited) error {
			verdict := "valid"
			if vm.err != nil {
				verdict = vm.err.Error()
			}
			got = append(got, fmt.Sprintf("%s: %q", vm.Name, verdict))
			return nil
		})
		if diff := cmp.Diff([]string{"x: " + test.want, `y: "valid"`}, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", test.more, err, diff)
		}
	}
}

// TestSelectionIsBounded checks that hostile rules do not make a selection that is large or
// slow, and that such a selection keeps more instead of less.
func TestSelectionIsBounded(t *testing.T) {
	var many []string
	for i := range maxNames + 1 {
		many = append(many, ".a.n"+strings.Repeat("x", i))
	}
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + `{"b": 1, "c": 2}` + strings.Repeat("}", n) }
	for _, test := range []struct {
		name       string
		paths      []string
		text, want string
	}{
		{"names", many[:maxNames], `{"a": {"n": 1, "other": 2}}`, `{"a": {"n": 1}}`},
		{"too many names", many, `{"a": {"n": 1, "other": 2}}`, `{"a": {"n": 1, "other": 2}}`},
		{"levels", []string{strings.Repeat(".a", maxLevels-1) + ".b"}, deep(maxLevels - 1),
			strings.ReplaceAll(deep(maxLevels-1), `, "c": 2`, "")},
		{"too many levels", []string{strings.Repeat(".a", maxLevels) + ".b"}, deep(maxLevels), deep(maxLevels)},
	} {
		if diff := cmp.Diff(decodeAny(t, test.want), readParts(t, test.text, test.paths...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
