package typescript

import (
	"regexp"
	"strings"
)

// ofGo matches sentences that are only about Go.
var ofGo = regexp.MustCompile(`(?i)\b(UnmarshalJSON|ParseObject|float64|shares? nothing|share\s+nothing|methods|one byte|unstructured|WithKind)\b`)

// words are what Go calls otherwise than JavaScript.
var words = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\[([A-Z][\w.]*)\]`), "$1"}, // a link
	{regexp.MustCompile(`\b(vmrules|lint|form|instancetype)\.([A-Z])`), "$2"},
	{regexp.MustCompile(`\b(a|plain) bool\b`), "$1 boolean"},
	{regexp.MustCompile(`json\.Number`), "number"},
	{regexp.MustCompile(`a \[\]string\b`), "an array of strings"},
	{regexp.MustCompile(`: ParsePath\("jsonpath::" \+ Field\)\s+selects\s+it, unless it is a default, which\s+the\s+object does not hold`), ""},
	{regexp.MustCompile(`, whatever its\s+Go type in the object`), ""},
	{regexp.MustCompile(`a\s+rule that was built in Go`), "a rule"},
	{regexp.MustCompile(`, and a nil one, say that`), " says that"},
	{regexp.MustCompile(`\bnil: absent`), "absent"},
	{regexp.MustCompile(`\bnil\b`), "missing"},
	{regexp.MustCompile(`within the time that \[?Budget\]? sets`), "within a bound of time"},
	{regexp.MustCompile(`\bReport\.At\b`), "violationsAt"},
	{regexp.MustCompile(`\b(Coverage|Doubt|Outcome)([A-Z]\w*)`), `"$2"`},
	{regexp.MustCompile(`\bReasonInternal\b`), `"InternalError"`},
	{regexp.MustCompile(`\bOriginDefault\b`), `"default"`},
}

// translated returns a comment without what is only about Go.
func translated(text string) string {
	var kept []string
	for _, paragraph := range strings.Split(text, "\n\n") {
		p := paragraph
		for _, w := range words {
			p = w.pattern.ReplaceAllString(p, w.instead)
		}
		if isTable := strings.HasPrefix(p, "\t"); isTable {
			p = without(p, line)
		} else if p = without(p, sentence); p != paragraph {
			p = wrapped(p)
		}
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}

var (
	line     = regexp.MustCompile(`.*\n?`)
	sentence = regexp.MustCompile(`(?s).+?(?:\.\s+|$)`)
)

// without returns a text without those of its parts that are only about Go.
func without(text string, part *regexp.Regexp) string {
	return part.ReplaceAllStringFunc(text, func(s string) string {
		if ofGo.MatchString(s) {
			return ""
		}
		return s
	})
}

// wrapped returns a paragraph in lines of about 90 characters.
func wrapped(paragraph string) string {
	var text strings.Builder
	length := 0
	for _, word := range strings.Fields(paragraph) {
		switch {
		case length == 0:
		case length+len(word) > 90:
			text.WriteByte('\n')
			length = 0
		default:
			text.WriteByte(' ')
		}
		text.WriteString(word)
		length += len(word) + 1
	}
	return text.String()
}
