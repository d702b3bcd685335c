package manifest

import (
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
	places := newFinder(file.text, a.value.at, text)
	var all []lint.Finding
	for _, s := range stringsIn(text) {
		begin, isFolded := places.find(s.Start), false
		for at := s.Start; at < s.End && !isFolded; at++ {
			blanks := at + len(text[at:]) - len(strings.TrimLeft(text[at:], " "))
			if blanks > at && text[at-1] != '\n' && text[blanks] != '\n' {
				isFolded = strings.Contains(file.text[places.find(at):places.find(blanks)], "\n")
			}
			at = max(at, blanks-1)
		}
		if isFolded {
			f := lint.FoldedText()
			file.setPlace(&f, Span{begin, places.findEnd(s.End)})
			all = append(all, f)
		}
	}
	return all
}

// stringsIn returns the strings of a text of JSON, with their quotes.
func stringsIn(text string) []Span {
	var all []Span
	begin := -1
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\\':
			at++
		case c == '"' && begin < 0:
			begin = at
		case c == '"':
			all = append(all, Span{begin, at + 1})
			begin = -1
		}
	}
	return all
}
