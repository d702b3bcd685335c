package manifest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint"
)

// place agrees with counting from the beginning of the text, and offset is its inverse.
func TestPlaces(t *testing.T) {
	texts := map[string]string{
		"nothing":                          "",
		"short lines":                      "a\n\nbü\n",
		"a line of many stretches":         strings.Repeat("aü€😀", 3*stretch) + "\n" + strings.Repeat("ü", stretch),
		"a character across two stretches": strings.Repeat("a", stretch-1) + "😀b\nc",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			s := newSource(text)
			line, column := 1, 1
			for at := 0; at <= len(text); at++ {
				if at < len(text) && !utf8.RuneStart(text[at]) {
					continue
				}
				gotLine, gotColumn := s.place(at)
				if gotLine != line || gotColumn != column {
					t.Fatalf("byte %d is at %d:%d, want %d:%d", at, gotLine, gotColumn, line, column)
				}
				if got := s.offset(s.lines[line-1], column); got != at {
					t.Fatalf("%d:%d is byte %d, want %d", line, column, got, at)
				}
				column++
				if at < len(text) && text[at] == '\n' {
					line, column = line+1, 1
				}
			}
		})
	}
}

func TestAround(t *testing.T) {
	long := strings.Repeat("ü", 2*stretch)
	tests := []struct {
		text         string
		line, column int
		want         Excerpt
	}{
		{"", 1, 1, Excerpt{}},
		{"a", 2, 1, Excerpt{}},
		{"x\nabcdefg\ny", 2, 4, Excerpt{"…bc", "de…", 1}},
		{"abcdefg", 1, 3, Excerpt{"ab", "cd…", 1}},
		{"abcdefg", 1, 6, Excerpt{"…de", "fg", 1}},
		{"abcdefg\nh", 1, 99, Excerpt{"…", "", 0}},
		{"      abc   \n", 1, 8, Excerpt{"a", "bc", 1}},
		{long, 1, stretch, Excerpt{"…üü", "üü…", 2}},
		{strings.Repeat(" ", 2*maxBlank) + "a", 1, 2*maxBlank + 1, Excerpt{"", "a", 1}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.20q %d:%d", test.text, test.line, test.column), func(t *testing.T) {
			file := File{source: newSource(test.text)}
			got := file.Around(lint.Finding{Line: test.line, Column: test.column, EndLine: test.line, EndColumn: test.column + 1}, 2)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Finding a million places in one line would not end if each were counted from the beginning of
// the line or of the scalar.
func TestPlacesInALongLine(t *testing.T) {
	const of = 1_000_000
	value := strings.Repeat("ab,", of)
	text := `{"a": "` + value + `"}`
	s := newSource(text)
	f := newFinder(text, len(`{"a": `), value)
	for i := range of {
		line, column := s.place(f.find(3 * i))
		if want := len(`{"a": "`) + 3*i + 1; line != 1 || column != want {
			t.Fatalf("byte %d is at %d:%d, want 1:%d", 3*i, line, column, want)
		}
		if back := s.offset(0, column); back != column-1 {
			t.Fatalf("column %d is byte %d", column, back)
		}
	}
}
