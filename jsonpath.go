package vmrules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A Path is a JSONPath in kubectl's dialect. The zero Path is not a path and selects
// nothing. A Path is immutable and safe for concurrent use.
//
// # Steps
//
//	.name            a member of an object; the first dot may be left out
//	.a\.b            a name with a dot: every character of a name but letters,
//	                 digits, "_", "-" and "/" needs a backslash
//	['a\.b']         the same, in quotes
//	['a','b']        several members
//	.*               all members of an object, or all items of an array
//	[*]              all items of an array
//	[0] [-1] [0,2]   items by index, a negative one from the end
//	[0:2] [0:4:2]    a slice, perhaps with a step
//	..name           that member at any depth
//	[?(@.name=="x")] the items that match a filter, with == != < <= > or >=
//	[?(@.name)]      the items that have the member
//
// A $ in front and { } around the whole path change nothing.
//
// A name in quotes ends at the closing quote and may hold any character. In it, two
// backslashes stand for one.
//
// # Differences from kubectl
//
// These are on purpose:
//
//   - An empty array, or an empty slice of one, does not end the search in other places.
//   - A wildcard does not enter strings.
//   - Numbers compare by value: 1 equals 1.0, and no digit is lost.
//   - Each location is selected once, also by [0,0] and "..".
//   - A null is absent, in filters too.
//   - A step that cannot apply, such as a name in an array or an index out of range,
//     selects nothing in that place. In kubectl it is an error of the whole path.
//   - A filter does not match an item if an operand selects several values, or if the
//     operands have different types. The other items are still validated.
//   - Matches are in document order: items by index, members by sorted name.
//
// An index or slice beyond the end of its array selects nothing. The page
// oracle/jsonpath_exceptions.md lists every difference that generated paths have shown.
//
// # Refused
//
// [ParsePath] refuses what readers of JSONPath understand differently: a bare dot or a
// name * inside quotes, $, && and || inside a filter, and a filter inside a filter. It
// also refuses kubectl's range and end and any text outside the path.
type Path struct {
	_      [0]func() // paths are compared with Equal, not with ==
	parsed *jsonpath.Path
}

// ParsePath reads a path with its prefix, such as
// "jsonpath::.spec.domain.cpu.cores". Spec: JSONPaths. An error says what to write instead; it has no
// type of its own.
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

// Equal reports whether two paths have the same steps, however they are spelled.
func (p Path) Equal(q Path) bool { return p.parsed.Equal(q.parsed) }

// String returns the path with its prefix, as ParsePath reads it; "" for the zero value.
func (p Path) String() string {
	if p.IsZero() {
		return ""
	}
	return jsonpath.Prefix + jsonpath.LeadingDot(p.parsed.Text())
}

// shown returns String for a message, with a path that is too long for people cut off.
func (p Path) shown() string {
	return jsonpath.Prefix + jsonpath.LeadingDot(value.Clipped(p.parsed.Text(), value.MaxLine))
}

// MarshalText returns String, so that a path is a string in JSON. The error is always nil.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a path as ParsePath does. It reads an empty text as the zero value,
// so that a Report can be read from its JSON. An error is that of ParsePath, which has no type of its
// own; the path is then the zero value.
func (p *Path) UnmarshalText(text []byte) (err error) {
	if p == nil {
		return errNilPointer
	}
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
// order: items by index, members by sorted name. A null is missing, and so is a value without a JSON form.
//
// An error always means that a bound is reached: the path selects more than 10,000 values, the search
// goes deeper than 1,000 levels, or the default Budget is too small. It has no type of its own.
func (p Path) Find(root any) ([]Match, error) {
	var matches []Match
	m := Budget{}.whole().Meter
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
