package manifest

import (
	"regexp"
	"slices"
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
		at := places.span(Span{s[0], s[1]})
		isFolded := func(line []int) bool {
			inFile := places.span(Span{s[0] + line[0], s[0] + line[1]})
			return strings.Contains(file.text[inFile.Start:max(inFile.Start, inFile.End)], "\n")
		}
		if slices.ContainsFunc(lineOfText.FindAllStringIndex(text[s[0]:s[1]], -1), isFolded) {
			f := lint.FoldedText()
			file.setPlace(&f, at)
			all = append(all, f)
		}
	}
	return all
}

// stringOrEscape matches a string of JSON, with its quotes, or an escape outside of strings.
var stringOrEscape = regexp.MustCompile(`\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"`)

// lineOfText matches what is in a line, from its first character to its last one, blanks apart.
var lineOfText = regexp.MustCompile(`\S.*\S`)
