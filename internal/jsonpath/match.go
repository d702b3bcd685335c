package jsonpath

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// holds reports whether a filter selects an item.
func (w *Search) holds(f Filter, v any, k int, i *Implied) bool {
	current, ok := w.resolved(value.RawItem(v, k))
	if !ok {
		return false
	}
	below := i.At(Item(k))
	if f.Operator == "" {
		return len(w.operand(f.Left.Path, current, below, 1)) == 1
	}
	left, ok := w.comparable(f.Left, current, below)
	if !ok {
		return false
	}
	// Different types never match, not even under !=.
	right, ok := w.comparable(f.Right, current, below)
	if !ok || w.couldBeAnything(left.Canonical()) || w.couldBeAnything(right.Canonical()) || left.Shape() != right.Shape() {
		return false
	}
	if err := cmp.Or(w.incomparable(left), w.incomparable(right)); err != nil {
		w.addDoubt(err)
		return false
	}
	return compares(left, f.Operator, right)
}

// comparable returns the scalar that an operand is or selects; false unless it is exactly one.
func (w *Search) comparable(o Operand, current any, f *Implied) (value.Scalar, bool) {
	if o.Path == nil {
		return o.Literal, true
	}
	values := w.operand(o.Path, current, f, 2)
	if len(values) != 1 {
		return value.Scalar{}, false
	}
	s, ok := value.ScalarOf(values[0])
	return s, ok && w.Spend(s.Cost())
}

// operand returns the values that a path selects from the current item, up to most of them.
func (w *Search) operand(path jp.Expr, current any, f *Implied, most int) []any {
	var values []any
	inner := Search{Meter: w.Meter, Placeholders: w.Placeholders, Thorough: w.Thorough, Implied: f, Open: w.Open, object: w.object, steps: path, Visitor: VisitorFunc(func(_ *Search, value any) bool {
		values = append(values, value)
		return len(values) < most
	})}
	inner.from(current, 0, f)
	w.fail(inner.err)
	w.unreadable = cmp.Or(w.unreadable, inner.unreadable)
	for _, err := range inner.also {
		w.keepAlso(err)
	}
	if left, ok := inner.doubt.(*OpenField); ok {
		if len(values) < most { // otherwise it selects too many values already
			values = nil // that could be compared
			w.addOpen(left.By, func() string { return "what a filter compares in " + w.at.Shown() })
		}
		return values
	}
	if inner.doubt != nil {
		w.addDoubt(inner.doubt)
	}
	if inner.Doubt() != nil && len(values) < most { // there may be more or other values
		return nil
	}
	return values
}

// couldBeAnything reports whether a value is a placeholder for a value of any type.
func (w *Search) couldBeAnything(v any) bool {
	if w.Placeholders == nil {
		return false
	}
	s, _ := v.(string)
	err := w.Placeholders.Whole(s)
	if err != nil {
		w.addDoubt(err)
	}
	return err != nil
}

// mayHaveMore reports whether a key of an object contains a placeholder, so that it may become any name.
func (w *Search) mayHaveMore(v any) bool {
	if w.Placeholders == nil || value.ShapeOf(v) != value.Object || !w.Spend(value.ChildCount(v)/4) {
		return false
	}
	for _, name := range value.Names(v) {
		if err := w.Placeholders.Within(name); err != nil {
			w.addDoubt(err)
			return true
		}
	}
	return false
}

// incomparable returns why a comparison with a scalar cannot be decided; nil if it can.
func (w *Search) incomparable(s value.Scalar) error {
	if s.Err() != nil {
		return fmt.Errorf("a value that a filter compares %w", s.Err())
	}
	if w.Placeholders == nil {
		return nil
	}
	return w.Placeholders.Within(s.Text())
}

// compares returns the result of a comparison of two values of the same type. Numbers are
// compared by value and strings by their bytes. Booleans are only compared for equality.
func compares(a value.Scalar, operator string, b value.Scalar) bool {
	order := cmp.Compare(a.Text(), b.Text())
	if a.Shape() == value.Number {
		order = a.Number().Compare(b.Number())
	}
	switch {
	case operator == "!=":
		return order != 0
	case operator != "==" && a.Shape() == value.Boolean:
		return false
	}
	return strings.Contains(operator, "<=>"[order+1:order+2]) // an operator names the orders for which it holds
}
