package model

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A path is a JSONPath in the dialect of kubectl (vmrules: JSONPath).
type path struct {
	steps   []step
	written string // without prefix, braces, $ and leading dot
}

// A step selects with each of its picks. A union has several.
type step []pick

const (
	prefix   = "jsonpath::"
	quotes   = `'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`
	toTheEnd = math.MaxInt // of a slice
)

var (
	// stepForm matches dots, and then a name, a filter, or other content of brackets.
	stepForm = regexp.MustCompile(`^(\.?\.?)(?:((?:[\pL\pM\pN_/-]|\\.)+|\*)|` +
		`\[\?\(((?:` + quotes + `|\\.|[^'"\\])*?)\)\]|\[((?:` + quotes + `|[^\]'"])*)\])`)
	pickForm = regexp.MustCompile(`(?:` + quotes + `|[^,'"])+`)
	escape   = regexp.MustCompile(`\\(.)`)
)

// readPath reads a path of either version. It panics if it cannot: all paths come from
// rules that the library has read.
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
		if parts[1] == ".." {
			steps = append(steps, step{withAllBelow})
		}
		var next step
		switch name, filter, brackets := parts[2], parts[3], parts[4]; {
		case name == "*":
			next = step{everything}
		case name != "":
			next = step{named(readName(name))}
		case filter != "":
			next = step{readFilter(filter)}
		default:
			for _, s := range pickForm.FindAllString(brackets, -1) {
				next = append(next, readPick(strings.TrimSpace(s)))
			}
		}
		steps = append(steps, next)
		s = s[len(parts[0]):]
	}
	return steps
}

// readPick reads a name in quotes, a star, an index or a slice.
func readPick(s string) pick {
	if isQuoted(s) {
		return named(readName(s))
	}
	numbers := [...]int{0, toTheEnd, 1}
	if s == "*" {
		s = ":"
	}
	bounds := strings.Split(s, ":")
	for i, digits := range bounds {
		if digits != "" {
			numbers[i], _ = strconv.Atoi(digits) // the largest int if it is too large
		}
	}
	if len(bounds) == 1 {
		return indexed(numbers[0])
	}
	return sliced(numbers[0], numbers[1], numbers[2])
}

func isQuoted(s string) bool { return strings.HasPrefix(s, "'") || strings.HasPrefix(s, `"`) }

// readName returns a name without quotes and backslashes.
func readName(s string) string {
	if isQuoted(s) {
		s = s[1 : len(s)-1]
	}
	return escape.ReplaceAllString(s, "$1")
}
