package manifest

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	conflict = regexp.MustCompile(`(?m)^(<{7}|={7}|>{7}|\|{7})( .*)?$`)
	// A value in quotes, with text behind its end.
	endedQuote = regexp.MustCompile(`(?m)^[ -]*[^\s"'{\[#][^"'{\[#\n]*: +(?:"(?:[^"\\]|\\[\s\S])*(")|'(?:[^']|'')*('))[^\s#,'\]}]`)
	// A value without quotes, up to a colon in it.
	colonInText = regexp.MustCompile(`^[ -]*[^\s:"'][^:"']*: +[^\s"'|>{\[&*!#].*:$`)
	blockHeader = regexp.MustCompile(`: *[|>][-+0-9]* *$`)
	beginsJSON  = regexp.MustCompile(`^ *["{}\[\],]`)
)

// cause returns what often makes the parser give up at a place of a document, and where it is; "" if that is
// not found.
func (s *source) cause(document string, begin, at int) (message string, where int) {
	if found := conflict.FindStringIndex(document); found != nil {
		return "this marks a merge conflict: keep one of its sides, and remove the marks", begin + found[0]
	}
	n, _ := s.place(at)
	beginOfLine, line := s.lines[n-1], s.line(n)
	for _, found := range endedQuote.FindAllStringSubmatchIndex(s.text[begin:beginOfLine+len(line)], -1) {
		escape, end := `\"`, begin+found[2]
		if found[2] < 0 {
			escape, end = "''", begin+found[4]
		}
		if end >= beginOfLine {
			return fmt.Sprintf("the text in quotes ends here: write %s for a quote in it, or | and the text in the lines below", escape), end
		}
	}
	if colonInText.MatchString(s.text[beginOfLine : at+1]) {
		return "a text with a colon in it needs quotes around it", at
	}
	if n == 1 {
		return "", 0
	}
	outer := s.above(n, indentOf(line))
	header := n - 1
	for header > outer && !blockHeader.MatchString(s.line(header)) {
		header--
	}
	switch {
	case header < n-1 && blockHeader.MatchString(s.line(header)) && beginsJSON.MatchString(line):
		return fmt.Sprintf("the text that begins in line %d ends before this line, which is indented less: indent its lines alike", header+1), s.beginOf(n)
	case strings.HasPrefix(line[indentOf(line):], "- ") && strings.HasSuffix(s.line(outer), ":"):
		return fmt.Sprintf(`line %d begins an item of the array: write "- " before its first item too`, n), s.beginOf(outer + 1)
	}
	return s.misindented(begin, n)
}

// misindented finds the line that is not indented as it should be, if one line is indented less than those
// above it, but not as any line around these.
func (s *source) misindented(begin, n int) (message string, where int) {
	outer := s.above(n, indentOf(s.line(n))-1)
	inner := outer + 1
	if indentOf(s.line(n)) == 0 || inner < n && indentOf(s.line(inner)) == indentOf(s.line(n)) {
		return "", 0
	}
	first, _ := s.place(begin)
	for first < n && indentOf(s.line(first)) == 0 {
		first++
	}
	step := indentOf(s.line(first))
	wrong, other := outer, n
	switch {
	case indentOf(s.line(n))%step != 0 && inner == n:
		wrong, other = n, outer
	case indentOf(s.line(n))%step != 0:
		wrong, other = n, inner
	case indentOf(s.line(inner))%step != 0:
		wrong = inner
	}
	return fmt.Sprintf("this line is indented by %d, and line %d by %d: indent them alike, or write the key that is missing around one of them",
		indentOf(s.line(wrong)), other, indentOf(s.line(other))), s.beginOf(wrong)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// beginOf returns where the text of a line begins.
func (s *source) beginOf(n int) int { return s.lines[n-1] + indentOf(s.line(n)) }

// above returns the nearest line above another that has a text and is indented by no more than that, or the first.
func (s *source) above(n, most int) int {
	for n--; n > 1; n-- {
		text := strings.TrimLeft(s.line(n), " ")
		if text != "" && text[0] != '#' && indentOf(s.line(n)) <= most {
			break
		}
	}
	return n
}
