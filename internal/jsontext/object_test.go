package jsontext_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/value"
)

// A written writes itself, and counts how often.
type written struct {
	text  string
	times *int
}

func (w written) MarshalJSON() ([]byte, error) {
	*w.times++
	return []byte(w.text), nil
}

// TestObjectOf: an object is what encoding/json writes and reads again, whatever ReadObject would
// refuse.
func TestObjectOf(t *testing.T) {
	itself := map[string]any{}
	itself["a"] = itself
	deep := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	texts := []string{
		`{}`, `{"a": {}, "b": [], "c": null, "d": [null, true, false, ""]}`, `{"n": [-0, 1.50, 1e400, 12345678901234567890.10, 1E+2]}`,
		`{"a": 1, "b": {"c": 1, "c": {"d": 2}}, "a": [2]}`, `{"a": {"b": 1}, "a": {"c": 2}}`, `{"": 1, "\u0000": "\u0000", "\u00e9": 1, "é": 2}`,
		`{"a": "\ud800", "\udc00": "\ud83d\ude00"}`, "{\"a\": \"\xff\", \"\xfe\": 1}", "{\"a\": \"<&>\u2028\ufffd\ufeff\\u003c\\/\"}",
		"\t\r\n {\"a\"\n:\t1 } ", deep(999), deep(1000), deep(1001), deep(1002), deep(9000), deep(11_000), `[1]`, `"a"`, `7`, `null`, `{`, `{}}`, `{} {}`, ``,
		`{"a": [` + strings.Repeat("[],", 2_000_000) + `[]]}`,
	}
	var all []any
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	all = append(all,
		itself, map[string]any(nil), map[string]any{"a": itself}, map[string]any{"a": math.NaN()}, map[string]any{"a": math.Inf(1)},
		map[string]any{"a": json.Number("x"), "b": 1}, map[string]any{"a": json.Number("")}, map[string]any{"a": json.Number("1.0")},
		map[string]any{"a": func() {}}, map[string]any{"a": make(chan int)}, map[any]any{"a": 1}, map[int]any{1: "a"}, map[string]any{"a": []byte("a")},
		map[string]any{"a": "\xff<", "\xff": 1, "\xfe": 2}, map[string]any{"a": float32(0.1), "b": 1e21, "c": uint64(math.MaxUint64)},
		map[string]any{"a": json.RawMessage(`{"b": 1, "b": "\ud800"}`)}, map[string]any{"a": json.RawMessage(`{`)},
		map[string]any{"a": json.RawMessage(deep(1001))}, map[string]any{"a": []any(nil), "b": map[string]any(nil), "c": (*int)(nil)},
		struct {
			A any `json:"a,omitempty"`
			B []struct {
				C string `json:"c"`
			}
		}{},
	)
	for i, v := range all {
		want, wantErr := value.ThroughJSON(v)
		object, isObject := want.(map[string]any)
		got, err := jsontext.ObjectOf(v)
		if (err == nil) != (wantErr == nil && isObject) || err != nil && got != nil {
			t.Errorf("%d, a %T: %v, and by encoding/json %v", i, v, err, wantErr)
		} else if err == nil && !reflect.DeepEqual(got, object) {
			t.Errorf("%d, a %T (-want +got):\n%s", i, v, cmp.Diff(object, got))
		}
	}
}

// TestObjectOfWritten: a value is written once, also if ReadObject would refuse the text.
func TestObjectOfWritten(t *testing.T) {
	for _, text := range []string{`{"a": 1}`, `{"a": 1, "a": 2}`, `[]`, `{`} {
		times := 0
		_, _ = jsontext.ObjectOf(written{text, &times})
		if times != 1 {
			t.Errorf("%s: written %d times", text, times)
		}
	}
}
