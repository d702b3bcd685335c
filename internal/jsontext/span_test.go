package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEndOf(t *testing.T) {
	tests := []struct{ text, want string }{
		{`"a\"]" , 1`, `"a\"]"`},
		{`"never closed`, `"`},
		{`-1.5e3}`, `-1.5e3`},
		{`[{"]": [1, 2]}, "}"] x`, `[{"]": [1, 2]}, "}"]`},
		{`[1, 2`, `[`},
		{`, 2`, `,`},
		{`} ]`, `}`},
		{"“a” }", "“a”"},
		{" 1", ""},
		{"", ""},
	}
	for _, test := range tests {
		if got := test.text[:EndOf(test.text, 0)]; got != test.want {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestTokenAround(t *testing.T) {
	const text = `{"a\"b": [true,  "“"]}`
	for at := range text {
		start, end := TokenAround(text, at)
		if at < start || end <= at {
			t.Fatalf("%d is not in %d to %d", at, start, end)
		}
	}
	for within, want := range map[string]string{`b": `: `"a\"b"`, "rue": "true", "“": `"“"`, "]}": "]"} {
		start, end := TokenAround(text, strings.Index(text, within))
		if text[start:end] != want {
			t.Errorf("around %s is %s, want %s", within, text[start:end], want)
		}
	}
}

// TestInside checks that a string up to an offset is what its text up to there says.
func TestInside(t *testing.T) {
	for _, text := range []string{`"plain"`, `"a\"b\\\/\n\u0041é\u00e9😀\ud83d\ude00z"`, `"\ud83d!\ude00\ud83d\u0041"`, `""`} {
		var s string
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		for at := range s + "." {
			end := Inside("  "+text+"x", 2, at) - 2
			var before string
			if err := json.Unmarshal([]byte(text[:end]+`"`), &before); err != nil || before != s[:at] {
				t.Errorf("%s: %d bytes are %s: %q, %v", text, at, text[:end], before, err)
			}
		}
	}
}
