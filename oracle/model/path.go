package model

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A path is a JSONPath in the dialect of kubectl (design 4: JSONPath).
type path struct {
	steps   []step
	written string // without prefix, braces, $ and first dot
}

// A step selects by each of its picks: several in a union. With descend it
// selects from a value and from everything below it.
type step struct {
	descend bool
	picks   []pick
}

const toTheEnd = math.MaxInt // of a slice

const (
	prefix   = "jsonpath::"
	bareForm = `(?:[\pL\pM\pN_/-]|\\.)+`
	quotes   = `'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`
)

var (
	// stepForm has the dots, and then a name, a star, a filter, or what else is
	// in brackets.
	stepForm = regexp.MustCompile(`^(\.?\.?)(?:(` + bareForm + `)|(\*)|` +
		`\[\?\(((?:` + quotes + `|\\.|[^'"\\])*?)\)\]|\[((?:` + quotes + `|[^\]'"])*)\])`)
	pickForm = regexp.MustCompile(`(?:` + quotes + `|[^,'"])+`)
	escape   = regexp.MustCompile(`\\(.)`)
)

// readPath reads a path of either version. It panics on what it does not know,
// since all paths come from rules that the library accepts.
func readPath(text string) path {
	s, prefixed := strings.CutPrefix(text, prefix)
	s = strings.TrimSpace(s)
	if !prefixed {
		s = strings.TrimPrefix(s, "/")
	}
	if strings.HasPrefix(s, "{") {
		s = strings.TrimSpace(strings.TrimSuffix(s[1:], "}"))
	}
	s = strings.TrimPrefix(s, "$")
	if !strings.HasPrefix(s, "..") {
		s = strings.TrimPrefix(s, ".")
	}
	return path{steps: readSteps(s), written: s}
}

func readSteps(s string) []step {
	var steps []step
	for s != "" {
		parts := stepForm.FindStringSubmatch(s)
		if parts == nil {
			panic(fmt.Sprintf("the model cannot read the path %q", s))
		}
		name, star, filter, brackets := parts[2], parts[3], parts[4], parts[5]
		next := step{descend: parts[1] == ".."}
		switch {
		case name != "":
			next.picks = []pick{named(unescape(name))}
		case star != "":
			next.picks = []pick{everything}
		case filter != "":
			next.picks = []pick{readFilter(filter)}
		default:
			for _, s := range pickForm.FindAllString(brackets, -1) {
				next.picks = append(next.picks, readPick(strings.TrimSpace(s)))
			}
		}
		steps = append(steps, next)
		s = s[len(parts[0]):]
	}
	return steps
}

func unescape(s string) string { return escape.ReplaceAllString(s, "$1") }

// unquote returns what is in quotes.
func unquote(s string) (string, bool) {
	if !strings.HasPrefix(s, "'") && !strings.HasPrefix(s, `"`) {
		return s, false
	}
	return unescape(s[1 : len(s)-1]), true
}

// readPick reads a name in quotes, a star, an index or a slice.
func readPick(s string) pick {
	if name, ok := unquote(s); ok {
		return named(name)
	}
	if s == "*" {
		return sliced(0, toTheEnd, 1)
	}
	bounds := strings.Split(s, ":")
	start := integer(bounds[0], 0)
	switch len(bounds) {
	case 1:
		return indexed(start)
	case 2:
		return sliced(start, integer(bounds[1], toTheEnd), 1)
	}
	return sliced(start, integer(bounds[1], toTheEnd), integer(bounds[2], 1))
}

// integer returns the value of digits; the largest where it is too large.
func integer(digits string, absent int) int {
	if digits == "" {
		return absent
	}
	n, _ := strconv.Atoi(digits)
	return n
}
