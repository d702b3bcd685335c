package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
)

// TestTextsSize: the size of a text is the number of bytes that encoding/json writes.
func TestTextsSize(t *testing.T) {
	texts := []string{"", "plain", `a "quoted" \ one`, "<a&b>", "é€😀", "\u2028\u2029", "a\xffb\xc3", "\uFFFD"}
	for c := range rune(0x100) {
		texts = append(texts, string(c))
	}
	for _, s := range texts {
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, most := jsontext.TextsSize(s)-len(","), len(written); got < most || got > most+5*strings.Count(s,
			"\n")+5*strings.Count(s, "\r")+5*strings.Count(s, "\t")+10 {
			t.Errorf("%q: %d, written %d", s, got, most)
		}
	}
}

func TestValueSize(t *testing.T) {
	for _, test := range []struct {
		v    any
		want int
	}{
		{"a\n", len(`"a` + `\u000a` + `",`)},
		{[]string{"a", `"`}, len(`"a","\"",`)},
		{[]string{}, 0},
		{json.Number("1.50"), len(`1.50`)},
		{true, 0},
		{nil, 0},
	} {
		if diff := cmp.Diff(test.want, jsontext.ValueSize(test.v)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.v, diff)
		}
	}
}
