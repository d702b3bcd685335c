package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// TestObjectReader checks that values are those of encoding/json.
func TestObjectReader(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `""`, `{}`, `[]`, `[[], {}, [{}]]`, `{"": {"": []}}`,
		`0`, `-0`, `1`, `-1.50`, `1E+3`, `1e999999`, `123456789012345678901234567890.000`,
		`"a\"\\\/\b\f\n\r\t\u0000\u00e9\u20ac"`, `"\ud83d\ude00"`, `"ä€😀"`, "\"\u2028\x7f\"",
		`"\ud800"`, `"\ud800\u0041"`, `"\udc00\ud800\udc00"`, `"\ud800\ud800\udc00"`, `"\ud800x\udc00"`, `"\uD83D\uDE00\ud83d"`,
		"\"\xff\"", "\"\xe2\x82\"", "{\"\xff\": 1}",
		"\"\xe2\x82\xe2\x82\xac\"", "\"\xf0\x9f\x98\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\\n\xf5\"",
	} {
		got, err := new(objectReader).decode([]byte(`{"root": ` + text + `}`))
		if diff := cmp.Diff(decodeAny(t, text), got["root"]); diff != "" || err != nil {
			t.Errorf("%q: error %v (-want +got):\n%s", text, err, diff)
		}
	}
}

// A key that is given twice is an error wherever it is.
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

// What no rule of the format asks for is not kept of a VM, but a mistake in it is found.
func TestReadWhatIsJudged(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"kind": "VirtualMachine", "metadata": {"name": "a", "managedFields": [{}]}, "spec": {"status": 1}, "status": {"x": 1}}`,
			`{"kind":"VirtualMachine","metadata":{"name":"a"},"spec":{"status":1}}`},
		{`{"kind": "VirtualMachineInstance", "metadata": {"managedFields": 1}, "status": {"x": 1}}`,
			`{"kind":"VirtualMachineInstance","metadata":{"managedFields":1},"status":{"x":1}}`},
		{`{"status": {"x": 1}, "kind": "VirtualMachine"}`, `{"kind":"VirtualMachine","status":{"x":1}}`},
		{`{"kind": "VirtualMachine", "status": {"x": 1, "x": 2}}`, `{"kind":"VirtualMachine"} the key "x" is given twice`},
		{`{"kind": "VirtualMachine", "status": {"x": }}`, `{"kind":"VirtualMachine"} the object cannot be read`},
	} {
		r := &objectReader{skips: true}
		decoded, err := r.decode([]byte(test.text))
		got, _ := json.Marshal(decoded)
		if err != nil {
			got = fmt.Append(got, " ", err)
		}
		if !strings.HasPrefix(string(got), test.want) {
			t.Errorf("%s: %s; want %s", test.text, got, test.want)
		}
	}
}
