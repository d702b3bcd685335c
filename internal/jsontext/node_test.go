package jsontext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
)

func TestMember(t *testing.T) {
	root, _ := read(`{"a": 1, "null": null, "a": 2}`)
	tests := []struct {
		key        string
		start      int
		ok, isZero bool
	}{
		{"a", 6, true, false},
		{"null", 17, false, false},
		{"A", 0, false, true},
		{"", 0, false, true},
	}
	for _, test := range tests {
		n, ok := root.Member(test.key)
		if n.Start != test.start || ok != test.ok || n.IsZero() != test.isZero {
			t.Errorf("%q: %+v, %v", test.key, n, ok)
		}
	}
	if n, ok := root.Members[0].Value.Member("a"); ok || !n.IsZero() {
		t.Errorf("a number has a member: %+v", n)
	}
}

func TestRaw(t *testing.T) {
	for text, want := range map[string]string{
		`1.50`:                      `1.50`,
		` null `:                    `null`,
		`"\u0041\n<&>\u2028é\/"`:    `"A\n<&>\u2028é/"`,
		`[ ]`:                       `[]`,
		`{ }`:                       `{}`,
		"[ 1e400 ,\ttrue,\nfalse ]": `[1e400,true,false]`,
		`{ "<" : [ { } ] , "a" : -0.0 , "a" : { "b" : "" } }`:          `{"<":[{}],"a":-0.0,"a":{"b":""}}`,
		strings.Repeat("[", maxDepth) + strings.Repeat(" ]", maxDepth): strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	} {
		n, errs := read(text)
		if diff := cmp.Diff(want, string(n.Raw())); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%v", text, diff, errs)
		}
	}
}

func TestMarshal(t *testing.T) {
	if text, err := jsontext.Marshal(map[string]any{"<": []string{"&\n"}}); string(text) != `{"<":["&\n"]}` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := jsontext.Marshal(func() {}); len(text) > 0 || err == nil {
		t.Errorf("a function is %q, %v", text, err)
	}
}

func TestCursor(t *testing.T) {
	c := jsontext.NewCursor("aé\n\n\r\n😀x")
	var got [][2]int
	for _, offset := range []int{0, 1, 3, 3, 4, 5, 7, 11, 12} {
		line, column := c.MoveTo(offset)
		got = append(got, [2]int{line, column})
	}
	want := [][2]int{{1, 1}, {1, 2}, {1, 3}, {1, 3}, {2, 1}, {3, 1}, {4, 1}, {4, 2}, {4, 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
