package value

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/meter"
)

// TestPlain: a value of any decoder is converted to the types of unstructured objects, and
// numbers keep their digits.
func TestPlain(t *testing.T) {
	long := "1" + strings.Repeat("0", 1000) + "1"
	tests := []struct{ in, want any }{
		{nil, nil}, {true, true}, {"a", "a"}, {int64(1), int64(1)}, {1.5, 1.5},
		{1,
			int64(1)}, {uint8(1),
			int64(1)}, {2.0, int64(2)}, {float32(0.1), 0.1}, {uint64(math.MaxUint64), json.Number("18446744073709551615")},
		{json.Number("1e3"),
			int64(1000)}, {json.Number("2.50"), 2.5}, {json.Number("0.1000000000000000000001"), json.Number("0.1000000000000000000001")},
		{json.Number(long), json.Number(long)},
		{map[string]any(nil), nil}, {[]any(nil), nil}, {[]string{"a"}, []any{"a"}}, {[]any{"a", 1, nil}, []any{"a", int64(1), nil}},
		{map[any]any{1: 2, "a": nil},
			map[string]any{"1": int64(2), "a": nil}}, {namedMap{"a": []int{1}}, map[string]any{"a": []any{int64(1)}}},
		{map[string]any{"a": "b", "q": resourceQuantity{"2Gi"}}, map[string]any{"a": "b", "q": "2Gi"}},
	}
	for _, test := range tests {
		m := meter.New(1e6, 0)
		got, err := Plain(test.in, 0, &m)
		if err != nil {
			t.Errorf("%#v: %v", test.in, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", test.in, diff)
		}
	}
}

// TestPlainShares: values that have these types already are not copied, and a conversion does
// not change the original.
func TestPlainShares(t *testing.T) {
	shared := []any{"a"}
	object := map[string]any{"shared": shared, "other": 1}
	m := meter.New(1e6, 0)
	got, err := Plain(object, 0, &m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"shared": []any{"a"}, "other": int64(1)}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"shared": []any{"a"}, "other": 1}, object); diff != "" {
		t.Errorf("the object has changed (-want +got):\n%s", diff)
	}
	if &got.(map[string]any)["shared"].([]any)[0] != &shared[0] {
		t.Error("a list that has the types already is copied")
	}
}

func TestPlainRefuses(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["a"] = cyclic
	tests := []struct {
		name  string
		in    any
		depth int
		work  int
		want  error
	}{
		{"NaN", []any{math.NaN()}, 0, 1e6, errNoJSON}, {"a function", map[string]any{"f": func() {}}, 0, 1e6, errNoJSON},
		{"no number", json.Number("x"), 0, 1e6, errNoJSON},
		{"a cycle", cyclic, 0, 1e6,
			ErrTooDeep}, {"as deep as may be", "a", MaxDepth, 1e6, nil}, {"deeper", "a", MaxDepth + 1, 1e6, ErrTooDeep},
		{"three values", []any{1, 2}, 0, 3 * PlainWork, nil}, {"one too many", []any{1, 2, 3}, 0, 3 * PlainWork, meter.ErrWork},
		{"a long text", strings.Repeat("a", 200), 0, 3 * PlainWork,
			nil}, {"a longer one", strings.Repeat("a", 300), 0, 3 * PlainWork, meter.ErrWork},
		{"a number of 900 zeros", json.Number("1e900"), 0, PlainWork + 900*digitWork, nil},
		{"one of 901", json.Number("1e901"), 0, PlainWork + 900*digitWork, meter.ErrWork},
	}
	for _, test := range tests {
		m := meter.New(test.work, 0)
		if _, err := Plain(test.in, test.depth, &m); err != test.want {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// TestCopy checks that a copy is what Plain returns, and shares nothing.
func TestCopy(t *testing.T) {
	make := func() map[string]any {
		return map[string]any{"list": []any{"a", []any{}}, "object": map[string]any{"a": map[string]any{}}, "odd": namedMap{"a": []int{1}}}
	}
	object := make()
	m := meter.New(1e6, 1e6)
	got, err := Copy(object, 0, &m)
	if err != nil {
		t.Fatal(err)
	}
	want := make()
	want["odd"] = map[string]any{"a": []any{int64(1)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	copied := got.(map[string]any)
	copied["more"] = true
	copied["list"].([]any)[0] = "b"
	copied["object"].(map[string]any)["a"].(map[string]any)["b"] = true
	copied["odd"].(map[string]any)["a"].([]any)[0] = int64(2)
	if diff := cmp.Diff(make(), object); diff != "" {
		t.Errorf("a change to the copy has changed the object (-want +got):\n%s", diff)
	}
}

// TestCopyPays checks that a small object that holds the same part many times costs what the
// copy of it takes.
func TestCopyPays(t *testing.T) {
	for _, test := range []struct {
		name  string
		twice func(any) any
	}{
		{"maps", func(v any) any { return map[string]any{"a": v, "b": v} }},
		{"lists", func(v any) any { return []any{v, v} }},
		{"other maps", func(v any) any { return map[any]any{"a": v, "b": v} }},
		{"other lists", func(v any) any { return []map[string]any{{"a": v}, {"a": v}} }},
	} {
		var v any = "a"
		for range 40 {
			v = test.twice(v)
		}
		m := meter.New(1e9, 1e5)
		if _, err := Copy(v, 0, &m); err != meter.ErrKept {
			t.Errorf("%s: %v, want %v", test.name, err, meter.ErrKept)
		}
	}
}

func TestIsEqual(t *testing.T) {
	for _, test := range []struct {
		name string
		x, y any
		want bool
	}{
		{"the same from different decoders", map[string]any{"a": 1.0, "b": []any{"c"}}, map[any]any{"a": json.Number("1"), "b": []string{"c"}}, true},
		{"another value", map[string]any{"a": 1}, map[string]any{"a": 2}, false},
		{"another key", map[string]any{"a": 1}, map[string]any{"b": 1}, false},
		{"one has no JSON form", map[string]any{"a": func() {}}, map[string]any{"a": func() {}}, false},
	} {
		m := meter.OrDefault(0, 0)
		if got := IsEqual(test.x, test.y, &m); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
	spent := meter.New(1, 1)
	if IsEqual(1, 1, &spent) {
		t.Error("equal, although nothing is left to spend")
	}
}
