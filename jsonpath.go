package vmrules

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A Path is a JSONPath in the dialect of Kubernetes (kubectl). The zero value
// is no path at all and selects nothing. A Path is immutable and safe for
// concurrent use.
//
// The dialect: a leading dot (forgiven where it is missing), names separated
// by dots, in which any character but letters, digits, "_", "-" and "/" takes
// a backslash ("\." is a dot); ['name'], [0], [-1], [0:2], [0:4:2], [0,2],
// ['a','b'], [*] for every item of an array, .* for every member of an object
// or item of an array, ..name for that name at any depth, and the filters
// [?(@.name=="x")] with == != < <= > >= and [?(@.name)] for existence. A $ in
// front and { } around the whole change nothing.
//
// What kubectl and other readers of JSONPath understand differently is
// refused: a bare dot inside quotes, $ inside a filter.
type Path struct {
	_      [0]func() // paths are compared with Equal, not with ==
	parsed *jsonpath.Path
}

// ParsePath reads a path with its prefix, such as
// "jsonpath::.spec.domain.cpu.cores". Spec: JSONPaths.
func ParsePath(s string) (Path, error) {
	expression, ok := strings.CutPrefix(s, jsonpath.Prefix)
	if !ok {
		return Path{}, fmt.Errorf("a JSONPath begins with %q: write %q", jsonpath.Prefix, jsonpath.WithPrefix(s))
	}
	return parseExpression(expression)
}

// MustParsePath is ParsePath for paths that are constants of a program. It panics where
// ParsePath returns an error.
func MustParsePath(s string) Path {
	p, err := ParsePath(s)
	if err != nil {
		panic("vmrules: MustParsePath(" + strconv.Quote(s) + "): " + err.Error())
	}
	return p
}

// IsZero reports whether the path is absent.
func (p Path) IsZero() bool { return p.parsed == nil }

func (p Path) steps() jp.Expr { return p.parsed.Steps() }

// text returns the path as it was written; "" for the zero value.
func (p Path) text() string { return p.parsed.Text() }

// Names returns the names of the path's steps, from the root; false if the path has any
// step that is not a name.
func (p Path) Names() ([]string, bool) {
	names := []string{}
	for _, step := range p.steps() {
		name, ok := step.(jp.Child)
		if !ok {
			return nil, false
		}
		names = append(names, string(name))
	}
	return names, true
}

// Equal reports whether two paths have the same steps, however they are spelled.
func (p Path) Equal(q Path) bool { return p.parsed.Equal(q.parsed) }

// BeginsWith reports whether the first steps of p are those of q, which then selects
// something wherever p does. Every path begins with the root.
func (p Path) BeginsWith(q Path) bool {
	steps, first := p.steps(), q.steps()
	return len(first) <= len(steps) && reflect.DeepEqual(steps[:len(first)], first)
}

// key returns a text that two paths share if, and only if, they are Equal, so that a map
// can find the rules of a path.
func (p Path) key() string { return p.parsed.Key() }

// String returns the path with its prefix, as ParsePath reads it; "" for the zero value.
func (p Path) String() string {
	if p.IsZero() {
		return ""
	}
	return jsonpath.Prefix + jsonpath.LeadingDot(p.text())
}

// shown returns String for a message, with a path that is too long for people cut off.
func (p Path) shown() string {
	if p.IsZero() {
		return ""
	}
	return jsonpath.Prefix + jsonpath.LeadingDot(value.Clipped(p.text(), value.MaxLine))
}

// MarshalText returns String, so that a path is a string in JSON.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a path as ParsePath does. It reads an empty text as the zero value,
// so that a Report can be read from its JSON.
func (p *Path) UnmarshalText(text []byte) (err error) {
	*p = Path{}
	if len(text) > 0 {
		*p, err = ParsePath(string(text))
	}
	return err
}

// A Match is a value that a path selected, with its location.
type Match struct {
	// Field is the location from the root, in the dialect of paths:
	// ParsePath("jsonpath::" + Field) selects this value.
	Field string `json:"field"`
	// Value is the value as it is in the object. A value that has its own JSON methods
	// is what its JSON says.
	Value any `json:"value"`
}

// Find returns what the path selects from root, which is a map[string]any or any other
// value that a decoder of JSON or YAML returns. It returns each location once, in document
// order: items by index, members by sorted name. A null is missing. Find returns an error
// if the path selects more than 10,000 values, if the search goes deeper than 1,000 levels,
// or if the default Budget does not suffice.
func (p Path) Find(root any) ([]Match, error) {
	var matches []Match
	m := Budget{}.meter()
	w := jsonpath.Search{Meter: &m, Visitor: jsonpath.VisitorFunc(func(w *jsonpath.Search, value any) bool {
		if !w.Pay(matchWork, w.At().TextSize()+matchSize) {
			return false
		}
		matches = append(matches, Match{Field: w.At().String(), Value: value})
		return true
	})}
	if err := w.Run(p.parsed, root); err != nil {
		return nil, fmt.Errorf("%s cannot be searched: %w", p.shown(), err)
	}
	return matches, nil
}

// parseExpression reads a path without its prefix.
func parseExpression(s string) (Path, error) {
	parsed, err := jsonpath.Parse(s)
	return Path{parsed: parsed}, err
}
