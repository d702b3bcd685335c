// Package fieldpath takes the paths of rules apart: into names, indexes, filters and the other
// steps that [vmrules.Path] describes.
package fieldpath

import (
	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A Step is one step of a path. It is always a [Name], [Index], [Slice], [Union], [Items],
// [Wildcard], [Descent] or [Filter].
type Step interface {
	// String returns the step as a path has it, always in the same spelling:
	// "jsonpath::$" followed by the texts of all steps is an Equal path.
	String() string

	fragments() jp.Expr
}

// A Name selects the member with this name: .name, or ['name'].
type Name string

// An Index selects the item with this index: [0]. A negative one counts from the
// end: [-1] is the last item.
type Index int

// A Slice selects the items from one index up to, but not including, another: [0:2],
// [0:4:2].
type Slice struct{ slice jp.Slice }

// A Union selects what any of several keys selects: [0,2], ['a','b'].
type Union struct{ keys jp.Union }

// Items selects every item of an array: [*].
type Items struct{}

// A Wildcard selects every member of an object and every item of an array: .*
type Wildcard struct{}

// A Descent selects at any depth: ..name.
type Descent struct{ then jp.Frag }

// A Filter selects the items for which a comparison is true, or in which a path
// selects something: [?(@.name=="x")], [?(@.name)].
type Filter struct{ filter jsonpath.Filter }

// Steps returns the steps of a path, from the root. The root itself and the zero Path have none.
func Steps(p vmrules.Path) []Step {
	return stepsOf(inside.Vmrules.Parsed(p).Steps())
}

// Names returns the names of a path's steps, from the root; false if the path has any step that
// is not a Name.
func Names(p vmrules.Path) ([]string, bool) {
	return inside.Vmrules.Parsed(p).Names()
}

// BeginsWith reports whether the first steps of p are those of q, which then selects
// something wherever p does. Every path begins with the root.
func BeginsWith(p, q vmrules.Path) bool {
	return inside.Vmrules.Parsed(p).BeginsWith(inside.Vmrules.Parsed(q))
}

func stepsOf(fragments jp.Expr) []Step {
	steps := make([]Step, 0, len(fragments))
	for i := 0; i < len(fragments); i++ {
		if fragments[i] == jp.Descent('.') {
			i++ // a step always follows
			steps = append(steps, Descent{fragments[i]})
			continue
		}
		steps = append(steps, stepOf(fragments[i]))
	}
	return steps
}

func stepOf(fragment jp.Frag) Step {
	switch f := fragment.(type) {
	case jp.Child:
		return Name(f)
	case jp.Nth:
		return Index(f)
	case jp.Slice:
		return Slice{f}
	case jp.Union:
		return Union{f}
	case jsonpath.Filter:
		return Filter{f}
	}
	if fragment == jp.Wildcard('#') {
		return Items{}
	}
	return Wildcard{}
}

// Start returns the index of the first item; false if the slice starts where the array
// does. A negative index counts from the end.
func (s Slice) Start() (int, bool) { return s.bound(0) }

// End returns the index after the last item; false if the slice ends where the array
// does. A negative index counts from the end.
func (s Slice) End() (int, bool) { return s.bound(1) }

// By returns the distance from each item to the next: 1 if the path does not say.
func (s Slice) By() int {
	if by, ok := s.bound(2); ok {
		return by
	}
	return 1
}

func (s Slice) bound(i int) (int, bool) {
	if i >= len(s.slice) || s.slice[i] == jp.SliceNotSet {
		return 0, false
	}
	return s.slice[i], true
}

// Keys returns the keys in the order of the path. Each is a Name, Index or Slice.
func (s Union) Keys() []Step {
	keys := make([]Step, len(s.keys))
	for i, key := range s.keys {
		keys[i] = stepOf(key.(jp.Frag))
	}
	return keys
}

// Step returns the step that selects in the value and in everything below it. It is
// never a Descent.
func (s Descent) Step() Step { return stepOf(s.then) }

// Operator returns the comparison: ==, !=, <, <=, > or >=. It returns "" if the filter
// asks whether its Left exists.
func (s Filter) Operator() string { return s.filter.Operator }

// Left returns the first operand. It is a path if there is no Operator.
func (s Filter) Left() Operand { return Operand{s.filter.Left} }

// Right returns the second operand. It is the zero Operand if there is no Operator.
func (s Filter) Right() Operand { return Operand{s.filter.Right} }

// An Operand is what a Filter compares: a literal, or what a path selects from
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

func (s Name) fragments() jp.Expr     { return jp.Expr{jp.Child(s)} }
func (s Index) fragments() jp.Expr    { return jp.Expr{jp.Nth(s)} }
func (s Slice) fragments() jp.Expr    { return jp.Expr{s.slice} }
func (s Union) fragments() jp.Expr    { return jp.Expr{s.keys} }
func (s Items) fragments() jp.Expr    { return jp.Expr{jp.Wildcard('#')} }
func (s Wildcard) fragments() jp.Expr { return jp.Expr{jp.Wildcard('*')} }
func (s Descent) fragments() jp.Expr  { return jp.Expr{jp.Descent('.'), s.then} }
func (s Filter) fragments() jp.Expr   { return jp.Expr{s.filter} }

func (s Name) String() string     { return jsonpath.Write(s.fragments()) }
func (s Index) String() string    { return jsonpath.Write(s.fragments()) }
func (s Slice) String() string    { return jsonpath.Write(s.fragments()) }
func (s Union) String() string    { return jsonpath.Write(s.fragments()) }
func (s Items) String() string    { return jsonpath.Write(s.fragments()) }
func (s Wildcard) String() string { return jsonpath.Write(s.fragments()) }
func (s Descent) String() string  { return jsonpath.Write(s.fragments()) }
func (s Filter) String() string   { return jsonpath.Write(s.fragments()) }
