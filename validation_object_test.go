package vmrules_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

func TestParseObject(t *testing.T) {
	got, err := vmrules.ParseObject([]byte(` {"n": [12345678901234567890.10, 1e400, -0], "s": "\ud83d\ude00", "o": {"b": true, "n": null}, "e": [{}, []]}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"n": []any{json.Number("12345678901234567890.10"), json.Number("1e400"), json.Number("-0")},
		"s": "😀",
		"o": map[string]any{"b": true, "n": nil},
		"e": []any{map[string]any{}, []any{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseObjectRefuses(t *testing.T) {
	const one = "the text cannot be used as an object: line 1, column "
	tests := []struct{ name, text, want string }{
		{"no text", "", one + "1: the text ends too early: a JSON object is missing"},
		{"an array", " [{}]", one + "2: an array is not an object { … }"},
		{"null", "null", one + "1: null is not an object { … }"},
		{"a number", "7", one + "1: 7 is not an object { … }"},
		{"more after it", "{} {}", one + `4: "{" follows the end of the object: remove it`},
		{"a comma too many", "{\n  \"é\": 1,\n}",
			"the text cannot be used as an object: line 2, column 9: trailing comma before }: remove it"},
		{"YAML", "kind: VirtualMachine", one + `1: "kind" is not allowed here, where a JSON object is expected`},
		{"a byte that is not UTF-8", "{\"a\": \"\xff\"}", one + "8: byte 0xff is not valid UTF-8: save the text as UTF-8"},
		{"a key twice", `{"a": {"b": 1, "b": 1}}`, one + `16: the key "b" is given twice in one object: keep one of them`},
		{"several problems", `{"\ud800": 1, "a": "\udc00", "\ud800": 2}`, `the text cannot be used as an object: 4 problems
- line 1, column 3: \ud800 is half of a surrogate pair: write the character itself, or both halves
- line 1, column 21: \udc00 is half of a surrogate pair: write the character itself, or both halves
- line 1, column 30: the key "�" is given twice in one object: keep one of them
- line 1, column 31: \ud800 is half of a surrogate pair: write the character itself, or both halves`},
		{"too many levels", strings.Repeat(`{"a":`, 1001), one + "5001: arrays and objects are nested deeper than 1000 levels"},
	}
	for _, test := range tests {
		object, err := vmrules.ParseObject([]byte(test.text))
		if object != nil || err == nil {
			t.Errorf("%s: %v, %v", test.name, object, err)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestParseObjectOfGreatestDepth: an object of the greatest allowed depth can be read.
func TestParseObjectOfGreatestDepth(t *testing.T) {
	text := strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)
	object, err := vmrules.ParseObject([]byte(text))
	if again, _ := json.Marshal(object); err != nil || string(again) != text {
		t.Errorf("%v, %.100s", err, again)
	}
}

// A quantity has a MarshalJSON, like Kubernetes' resource.Quantity.
type quantity struct{ text string }

func (q quantity) MarshalJSON() ([]byte, error) { return json.Marshal(q.text) }

// A broken has a MarshalJSON that fails.
type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

// A panicking has a MarshalJSON that panics.
type panicking struct{}

func (*panicking) MarshalJSON() ([]byte, error) { panic("half built") }

func TestToObject(t *testing.T) {
	type spec struct {
		Cores uint64   `json:"cores"`
		Guest quantity `json:"guest"`
		None  *int     `json:"none,omitempty"`
	}
	got, err := vmrules.ToObject(struct {
		Spec spec `json:"spec"`
	}{spec{math.MaxUint64, quantity{"2Gi"}, nil}})
	if err != nil {
		t.Fatal(err)
	}
	rules := rulesOf(t,
		`[{"name": "c", "rule": "integer", "path": "jsonpath::.spec.cores", "message": "m", "values": [18446744073709551615]},
		{"name": "g", "rule": "integer", "path": "jsonpath::.spec.guest", "message": "m", "min": 2147483648, "max": 2147483648}]`)
	if report := vmrules.Validate(rules, got); !report.Valid() {
		t.Error(report)
	}
	for want, bad := range map[string]any{"is an array in JSON": []int{1}, "is nothing in JSON": nil, "no JSON form": func() {},
		"is 7 in JSON": 7} {
		if object, err := vmrules.ToObject(bad); err == nil || object != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %v; want %s", bad, object, err, want)
		}
	}
}

func TestToObjectOfText(t *testing.T) {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	pointerTo := func(m json.RawMessage) *json.RawMessage { return &m }
	for _, test := range []struct {
		in   any
		want string // JSON, or what the error says
	}{
		{raw(` {"a": 12345678901234567890.10, "b": 1e400}`), `{"a":12345678901234567890.10,"b":1e400}`},
		{pointerTo(raw(`{"a": 1}`)), `{"a":1}`}, {raw(`{"a": 1, "b": 2, "a": 3}`), `{"a":3,"b":2}`},
		{raw("not json"), "the text is not JSON: line 1, column 2: invalid character 'o'"},
		{raw("{\n  \"é\": x}"), "the text is not JSON: line 2, column 8: invalid character 'x'"},
		{pointerTo(raw("{]")), "the text is not JSON: line 1, column 2"},
		{raw(`{"a": 1`), "the text is not JSON: line 1, column 7: unexpected end"},
		{raw(`{"a": 1} {"b": 2}`), "the text is not JSON: line 1, column 10"},
		{raw(``), "the text is not JSON: line 1, column 1: unexpected end"},
		{raw(`null`), "is nothing in JSON"}, {json.RawMessage(nil), "is nothing in JSON"}, {(*json.RawMessage)(nil), "is nothing in JSON"},
		{raw(`[1]`), "is an array in JSON"}, {[]byte(`{}`), "pass a json.RawMessage"},
		{&panicking{}, "*vmrules_test.panicking has no JSON form: writing it panics: half built"},
		{map[string]any{"a": []any{&panicking{}}}, "has no JSON form: writing it panics: half built"},
		{broken{}, "vmrules_test.broken has no JSON form"},
	} {
		object, err := vmrules.ToObject(test.in)
		if err != nil {
			if object != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v: %v, want %s", test.in, err, test.want)
			}
			continue
		}
		text, err := json.Marshal(object)
		if diff := cmp.Diff(test.want, string(text)); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", test.in, diff, err)
		}
	}
}
