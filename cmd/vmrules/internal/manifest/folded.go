package manifest

import (
	"regexp"
	"strings"

	"github.com/vmrules/vmrules/lint"
)

// folded finds strings in the JSON of rules in which YAML's > has turned a line end into a blank.
func (a Annotation) folded() []lint.Finding {
	file := a.Object.File.source
	if !strings.HasPrefix(file.text[a.value.at:], ">") {
		return nil
	}
	text := a.written().written
	places := a.finder()
	var all []lint.Finding
	for _, s := range stringOrEscape.FindAllStringIndex(text, -1) {
		if text[s[0]] == '\\' {
			continue
		}
		begin, isFolded := places.find(s[0]), false
		for at := s[0]; at < s[1] && !isFolded; at++ {
			blanks := at + len(text[at:]) - len(strings.TrimLeft(text[at:], " "))
			if blanks > at && text[at-1] != '\n' && text[blanks] != '\n' {
				isFolded = strings.Contains(file.text[places.find(at):places.find(blanks)], "\n")
			}
			at = max(at, blanks-1)
		}
		if isFolded {
			f := lint.FoldedText()
			file.setPlace(&f, Span{begin, places.findEnd(s[1])})
			all = append(all, f)
		}
	}
	return all
}

// stringOrEscape matches a string of JSON, with its quotes, or an escape outside of strings.
var stringOrEscape = regexp.MustCompile(`\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"`)
