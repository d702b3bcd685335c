package manifest

import (
	"slices"
	"unicode/utf8"
)

// A source is the text of a file, in which lines and columns count from 1, and
// columns in code points.
type source struct {
	text  string
	lines []int // where each begins
}

func newSource(text string) *source {
	s := &source{text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// place is the line and column of a byte.
func (s *source) place(at int) (line, column int) {
	line, found := slices.BinarySearch(s.lines, at)
	if found {
		line++
	}
	return line, utf8.RuneCountInString(s.text[s.lines[line-1]:at]) + 1
}

// offset is the byte at a line and column, or the end of a line that is shorter.
func (s *source) offset(line, column int) int {
	if line < 1 || line > len(s.lines) {
		return 0
	}
	at := s.lines[line-1]
	for range column - 1 {
		if at == len(s.text) || s.text[at] == '\n' {
			break
		}
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at
}

// line is the text of a line.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	end := len(s.text)
	if n < len(s.lines) {
		end = s.lines[n] - len("\n")
	}
	return s.text[s.lines[n-1]:end]
}

func (s *source) fail(at int, cause error) *Error {
	line, column := s.place(at)
	return &Error{Line: line, Column: column, Message: cause.Error(), cause: cause}
}
