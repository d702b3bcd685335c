package manifest

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A source is the text of a file, in which lines and columns count from 1, and
// columns in code points. Its indexes are made once, so that a place is found in
// the same time wherever it is, also in a file that is a single line.
type source struct {
	text   string
	lines  []int // where each begins
	points []int // how many code points begin before each stretch of the text
}

// stretch is the number of bytes from one entry of points to the next.
const stretch = 256

func newSource(text string) *source {
	s := &source{text: text, lines: []int{0}, points: make([]int, 0, len(text)/stretch+1)}
	points := 0
	for i := range len(text) {
		if i%stretch == 0 {
			s.points = append(s.points, points)
		}
		if utf8.RuneStart(text[i]) {
			points++
		}
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// before returns how many code points begin before a byte.
func (s *source) before(at int) int {
	if len(s.text) == 0 {
		return 0
	}
	i := min(at/stretch, len(s.points)-1)
	return s.points[i] + runeStarts(s.text[i*stretch:at])
}

func runeStarts(text string) int {
	n := 0
	for i := range len(text) {
		if utf8.RuneStart(text[i]) {
			n++
		}
	}
	return n
}

// place returns the line and column of a byte.
func (s *source) place(at int) (line, column int) {
	line = sort.SearchInts(s.lines, at+1)
	return line, s.before(at) - s.before(s.lines[line-1]) + 1
}

// offset returns the byte at a column of the line that begins at a byte, or the end
// of a text that is shorter.
func (s *source) offset(begin, column int) int {
	want := s.before(begin) + column - 1
	i := max(sort.SearchInts(s.points, want+1)-1, 0)
	at := i * stretch
	for at < len(s.text) && !utf8.RuneStart(s.text[at]) {
		at++
	}
	for n := s.before(at); n < want && at < len(s.text); n++ {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at
}

// line returns the text of a line.
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

// An Excerpt is the part of a line around a column.
type Excerpt struct {
	Before, Behind       string
	CutBefore, CutBehind bool // the line has text beyond them; blanks do not count
}

// around returns the text at a line and column, with at most so many code points to
// each side.
func (s *source) around(line, column, most int) Excerpt {
	if line < 1 || line > len(s.lines) {
		return Excerpt{}
	}
	begin := s.lines[line-1]
	end := begin + len(s.line(line))
	at := min(s.offset(begin, column), end)
	from := s.offset(begin, max(column-most, 1))
	to := min(s.offset(begin, column+most), end)
	from = min(from, at)
	return Excerpt{s.text[from:at], s.text[at:to], hasText(s.text[begin:from]), hasText(s.text[to:end])}
}

// maxBlank is how far a line is looked at for text: a line of nothing but blanks
// must not be read to its end for each finding in it.
const maxBlank = 1_000

func hasText(s string) bool {
	return strings.Trim(s[:min(len(s), maxBlank)], " \t") != ""
}

func (s *source) fail(at int, cause error) *Error {
	line, column := s.place(at)
	return &Error{Line: line, Column: column, Message: cause.Error(), cause: cause}
}
