package manifest

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules/lint"
)

// A source is the text of a file, with its lines and columns. They count from 1, and columns
// count code points. The indexes make finding a place equally fast in all of the file, even if
// the file is a single line.
type source struct {
	text   string
	lines  []int // the offset of each line
	points []int // how many code points begin before byte 0, stretch, 2*stretch, ...
}

const stretch = 256

func newSource(text string) *source {
	s := &source{text: text, lines: make([]int, 1, strings.Count(text, "\n")+1), points: make([]int, 0, len(text)/stretch+1)}
	points := 0
	for i := 0; i <= len(text); i += stretch {
		s.points = append(s.points, points)
		points += runeStarts(text[i:min(i+stretch, len(text))])
	}
	end := 0
	for line := range strings.Lines(text) {
		end += len(line)
		if strings.HasSuffix(line, "\n") {
			s.lines = append(s.lines, end)
		}
	}
	return s
}

func (s *source) before(at int) int {
	return s.points[at/stretch] + runeStarts(s.text[at-at%stretch:at])
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

func (s *source) place(at int) (line, column int) {
	line = sort.SearchInts(s.lines, at+1)
	return line, s.before(at) - s.before(s.lines[line-1]) + 1
}

// setPlace sets the lines and columns of a finding. A Span that ends before it begins is empty.
func (s *source) setPlace(f *lint.Finding, span Span) {
	f.Line, f.Column = s.place(span.Start)
	f.EndLine, f.EndColumn = s.place(max(span.Start, span.End))
}

// offset returns the offset of a column, for a line that begins at the offset begin. If the text
// is shorter, it returns the end of the text.
func (s *source) offset(begin, column int) int {
	want := s.before(begin) + column - 1
	i := max(sort.SearchInts(s.points, want+1)-1, 0)
	at := runeEnd(s.text, i*stretch)
	for n := s.before(at); n < want && at < len(s.text); n++ {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at
}

// line returns the text of a line without its line end, or "" if there is no such line.
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

// An Excerpt is the part of a line around a finding, with … in place of more text. Behind begins with what
// the finding is about, which has Marked bytes.
type Excerpt struct {
	Before, Behind string
	Marked         int
}

// Around returns the text around the beginning of a finding. It has at most the
// given number of code points on each side.
func (f *File) Around(found lint.Finding, most int) Excerpt {
	s := f.source
	if found.Line < 1 || found.Line > len(s.lines) {
		return Excerpt{}
	}
	begin := s.lines[found.Line-1]
	end := begin + len(s.line(found.Line))
	at := min(s.offset(begin, found.Column), end)
	from := min(s.offset(begin, max(found.Column-most, 1)), at)
	to := min(s.offset(begin, found.Column+most), end)
	marked := len(strings.TrimRight(s.text[at:to], " \t\r"))
	if found.EndLine <= found.Line {
		marked = min(marked, max(s.offset(begin, found.EndColumn)-at, 0))
	}
	before, behind := strings.TrimLeft(s.text[from:at], " \t"), strings.TrimRight(s.text[at:to], " \t")
	if hasText(s.text[begin:from]) {
		before = "…" + s.text[from:at]
	}
	if hasText(s.text[to:end]) {
		behind = s.text[at:to] + "…"
	}
	return Excerpt{before, behind, marked}
}

// maxBlank is the number of bytes that hasText reads: a long line of blanks must not be read to
// its end for each finding in it.
const maxBlank = 1_000

// hasText reports whether a text has anything but blanks near its beginning.
func hasText(s string) bool {
	return strings.Trim(s[:min(len(s), maxBlank)], " \t") != ""
}

func (s *source) fail(at int, err error) *Error {
	line, column := s.place(at)
	return &Error{Line: line, Column: column, Message: err.Error()}
}
