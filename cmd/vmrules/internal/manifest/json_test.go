package manifest

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestBeginsJSON(t *testing.T) {
	blank := strings.Repeat(" \n", 100)
	for text, want := range map[string]bool{
		`{"a": 1}`: true, "\uFEFF{}": true, blank + "{" + blank + `"`: true, "{": true, "[": true, "[1]": false, `[ "a"]`: true, "[ {": true, "[a]": false,
		"": false, blank: false, "a: 1": false, "{a: 1}": false, "{{ a }}": false, "{% if a %}": false, "- 1": false, "---\n{}": false,
	} {
		reader := bufio.NewReader(strings.NewReader(text))
		if got := BeginsJSON(reader); got != want {
			t.Errorf("%.20q: %t, want %t", text, got, want)
		}
		left, err := io.ReadAll(reader)
		if want := strings.TrimPrefix(text, byteOrderMark); err != nil || string(left) != want {
			t.Errorf("%.20q: %.20q is left", text, left)
		}
	}
}
