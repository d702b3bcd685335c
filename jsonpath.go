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
//     operands have different types. The other items are still judged.
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
// order: items by index, members by sorted name. A null is missing. Find returns an error
// if the path selects more than 10,000 values, if the search goes deeper than 1,000 levels,
// or if the default Budget is too small.
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

// A Step is one step of a Path, as [Path.Steps] returns it. It is always a [NameStep],
// [IndexStep], [SliceStep], [UnionStep], [ItemsStep], [WildcardStep], [DescentStep] or
// [FilterStep].
type Step interface {
	// String returns the step as a path has it, always in the same spelling:
	// "jsonpath::$" followed by the texts of all steps is an Equal path.
	String() string

	fragments() jp.Expr
}

// A NameStep selects the member with this name: .name, or ['name'].
type NameStep string

// An IndexStep selects the item with this index: [0]. A negative one counts from the
// end: [-1] is the last item.
type IndexStep int

// A SliceStep selects the items from one index up to, but not including, another: [0:2],
// [0:4:2].
type SliceStep struct{ slice jp.Slice }

// A UnionStep selects what any of several keys selects: [0,2], ['a','b'].
type UnionStep struct{ keys jp.Union }

// An ItemsStep selects every item of an array: [*].
type ItemsStep struct{}

// A WildcardStep selects every member of an object and every item of an array: .*
type WildcardStep struct{}

// A DescentStep selects at any depth: ..name.
type DescentStep struct{ then jp.Frag }

// A FilterStep selects the items for which a comparison is true, or in which a path
// selects something: [?(@.name=="x")], [?(@.name)].
type FilterStep struct{ filter jsonpath.Filter }

// Steps returns the steps of the path, from the root. The root itself and the zero value
// have none.
func (p Path) Steps() []Step { return stepsOf(p.steps()) }

func stepsOf(fragments jp.Expr) []Step {
	steps := make([]Step, 0, len(fragments))
	for i := 0; i < len(fragments); i++ {
		if fragments[i] == jp.Descent('.') {
			i++ // a step always follows
			steps = append(steps, DescentStep{fragments[i]})
			continue
		}
		steps = append(steps, stepOf(fragments[i]))
	}
	return steps
}

func stepOf(fragment jp.Frag) Step {
	switch f := fragment.(type) {
	case jp.Child:
		return NameStep(f)
	case jp.Nth:
		return IndexStep(f)
	case jp.Slice:
		return SliceStep{f}
	case jp.Union:
		return UnionStep{f}
	case jsonpath.Filter:
		return FilterStep{f}
	}
	if fragment == jp.Wildcard('#') {
		return ItemsStep{}
	}
	return WildcardStep{}
}

// Start returns the index of the first item; false if the slice starts where the array
// does. A negative index counts from the end.
func (s SliceStep) Start() (int, bool) { return s.bound(0) }

// End returns the index after the last item; false if the slice ends where the array
// does. A negative index counts from the end.
func (s SliceStep) End() (int, bool) { return s.bound(1) }

// By returns the distance from each item to the next: 1 if the path does not say.
func (s SliceStep) By() int {
	if by, ok := s.bound(2); ok {
		return by
	}
	return 1
}

func (s SliceStep) bound(i int) (int, bool) {
	if i >= len(s.slice) || s.slice[i] == jp.SliceNotSet {
		return 0, false
	}
	return s.slice[i], true
}

// Keys returns the keys in the order of the path. Each is a NameStep, IndexStep or SliceStep.
func (s UnionStep) Keys() []Step {
	keys := make([]Step, 0, len(s.keys))
	for _, key := range s.keys {
		switch key := key.(type) {
		case string:
			keys = append(keys, NameStep(key))
		case int64:
			keys = append(keys, IndexStep(key))
		case jp.Slice:
			keys = append(keys, SliceStep{key})
		}
	}
	return keys
}

// Step returns the step that selects in the value and in everything below it. It is
// never a DescentStep.
func (s DescentStep) Step() Step { return stepOf(s.then) }

// Operator returns the comparison: ==, !=, <, <=, > or >=. It returns "" if the filter
// asks whether its Left exists.
func (s FilterStep) Operator() string { return s.filter.Operator }

// Left returns the first operand. It is a path if there is no Operator.
func (s FilterStep) Left() Operand { return Operand{s.filter.Left} }

// Right returns the second operand. It is the zero Operand if there is no Operator.
func (s FilterStep) Right() Operand { return Operand{s.filter.Right} }

// An Operand is what a FilterStep compares: a literal, or what a path selects from
// the item. The zero value is neither.
type Operand struct{ operand jsonpath.Operand }

// Steps returns the steps of the path, from the item, which is @; false for a literal.
func (o Operand) Steps() ([]Step, bool) { return stepsOf(o.operand.Path), o.operand.Path != nil }

// Literal returns a string, a bool or a json.Number; false for a path.
func (o Operand) Literal() (any, bool) {
	if o.operand.Literal.Shape() == value.Null {
		return nil, false
	}
	return o.operand.Literal.Canonical(), true
}

// String returns the operand as a path has it.
func (o Operand) String() string { return o.operand.String() }

func (s NameStep) fragments() jp.Expr     { return jp.Expr{jp.Child(s)} }
func (s IndexStep) fragments() jp.Expr    { return jp.Expr{jp.Nth(s)} }
func (s SliceStep) fragments() jp.Expr    { return jp.Expr{s.slice} }
func (s UnionStep) fragments() jp.Expr    { return jp.Expr{s.keys} }
func (s ItemsStep) fragments() jp.Expr    { return jp.Expr{jp.Wildcard('#')} }
func (s WildcardStep) fragments() jp.Expr { return jp.Expr{jp.Wildcard('*')} }
func (s DescentStep) fragments() jp.Expr  { return jp.Expr{jp.Descent('.'), s.then} }
func (s FilterStep) fragments() jp.Expr   { return jp.Expr{s.filter} }

func (s NameStep) String() string     { return jsonpath.Write(s.fragments()) }
func (s IndexStep) String() string    { return jsonpath.Write(s.fragments()) }
func (s SliceStep) String() string    { return jsonpath.Write(s.fragments()) }
func (s UnionStep) String() string    { return jsonpath.Write(s.fragments()) }
func (s ItemsStep) String() string    { return jsonpath.Write(s.fragments()) }
func (s WildcardStep) String() string { return jsonpath.Write(s.fragments()) }
func (s DescentStep) String() string  { return jsonpath.Write(s.fragments()) }
func (s FilterStep) String() string   { return jsonpath.Write(s.fragments()) }
