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
	hasContent  = regexp.MustCompile(`^ *[^ #]`)
	beginsJSON  = regexp.MustCompile(`^ *["{}\[\],]`)
)

// cause returns what often makes the parser give up at a place of a document, and where; "" if it finds nothing.
func (s *source) cause(document string, begin, at int) (message string, where int) {
	if found := conflict.FindStringIndex(document); found != nil {
		return "this marks a merge conflict: keep one of its sides, and remove the marks", begin + found[0]
	}
	n, _ := s.place(at)
	beginOfLine, line := s.lines[n-1], s.line(n)
	for _, found := range endedQuote.FindAllStringSubmatchIndex(s.text[begin:beginOfLine+len(line)], -1) {
		if end := begin + max(found[2], found[4]); end >= beginOfLine {
			return `the text in quotes ends here: write \" or '' for a quote in it, or | and the text in the lines below`, end
		}
	}
	if colonInText.MatchString(s.text[beginOfLine : at+1]) {
		return "a text with a colon in it needs quotes around it", at
	}
	outer := s.above(n, indentOf(line))
	switch {
	case beginsJSON.MatchString(line) && indentOf(line) < indentOf(s.line(n-1)): // it ends the text above
		return s.misindented(n, n-1)
	case strings.HasPrefix(line[indentOf(line):], "- ") && strings.HasSuffix(s.line(outer), ":"):
		return fmt.Sprintf(`line %d begins an item of the array: write "- " before its first item too`, n), s.beginOf(outer + 1)
	}
	return s.betweenLevels(n)
}

// betweenLevels finds the line that is not indented as it should be, if one is indented less than those above
// it, but not as any line around these. Most people indent by 2.
func (s *source) betweenLevels(n int) (message string, where int) {
	own := indentOf(s.line(n))
	outer := s.above(n, max(own-1, 0))
	inner := outer + 1
	switch {
	case own == 0, outer == 0, inner < n && indentOf(s.line(inner)) == own:
		return "", 0
	case own%2 != 0:
		return s.misindented(n, min(inner, n-1))
	case indentOf(s.line(inner))%2 != 0:
		return s.misindented(inner, n)
	}
	return s.misindented(outer, n)
}

func (s *source) misindented(wrong, other int) (message string, where int) {
	return fmt.Sprintf("this line is indented by %d, and line %d by %d: indent them alike, or write the key that is missing around one of them",
		indentOf(s.line(wrong)), other, indentOf(s.line(other))), s.beginOf(wrong)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func (s *source) beginOf(n int) int { return s.lines[n-1] + indentOf(s.line(n)) }

// above returns the nearest line above another that has a text and is indented by no more than most; 0 if none is.
func (s *source) above(n, most int) int {
	n--
	for n > 0 && (!hasContent.MatchString(s.line(n)) || indentOf(s.line(n)) > most) {
		n--
	}
	return n
}
