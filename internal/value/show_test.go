package value

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDescribe(t *testing.T) {
	long := strings.Repeat("ä", MaxShown)
	tests := []struct {
		in   any
		want string
	}{
		{nil, "nothing"}, {map[string]any{}, "an object"}, {[]string{"a"}, "an array"},
		{"a\n\x1b[2J", `"a\n\x1b[2J"`}, {"", `""`}, {long, `"` + long + `"`}, {long + "äb", `"` + long + `…"`},
		{true, "true"}, {2.50, "2.5"}, {json.Number("1e3"), "1000"}, {json.Number("1e1001"), "a number beyond the bounds"},
		{json.Number("1e200"), "1" + strings.Repeat("0", MaxShown-1) + "…"},
		{json.Number("x"), "something that is not a JSON number"}, {math.NaN(), "something that is not a JSON number"},
		{func() {}, "a func() without a JSON form"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, Describe(Resolve(test.in))); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", test.in, diff)
		}
	}
}

func TestOneLine(t *testing.T) {
	long := strings.Repeat("m", MaxLine)
	tests := []struct{ in, want string }{
		{"plain, “quoted” and 漢字", "plain, “quoted” and 漢字"},
		{"two\nlines\r",
			`two\nlines\r`}, {"\x1b[31mred",
			`\x1b[31mred`}, {"\u202egnp", `\u202egnp`}, {"not UTF-8: \xff", "not UTF-8: \ufffd"}, {"\u0085", `\u0085`},
		{long, long}, {long + "m", long + "…"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, OneLine(test.in)); diff != "" {
			t.Errorf("%.20q (-want +got):\n%s", test.in, diff)
		}
	}
}

func TestAppendList(t *testing.T) {
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprint(i))
	}
	tests := []struct {
		in   []string
		want string
	}{
		{nil, "of "}, {many[:1], `of "0"`}, {[]string{"a", "b\n"}, `of "a", "b\n"`},
		{many[:10], `of "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"`},
		{many, `of "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" and 2 more`},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, string(AppendList([]byte("of "), test.in))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.in, diff)
		}
	}
}
