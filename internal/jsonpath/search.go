package jsonpath

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// MaxMatches is the largest number of values that one path may select.
const MaxMatches = 10_000

// What a Search pays, in units of work and in bytes.
const (
	NodeWork   = 500          // a value at which it looks, measured and rounded up; a long one counts as several
	branchWork = NodeWork / 2 // a branch of a descent
	branchSize = 150          // the same
)

// A Search finds what one path selects in one value. It follows the path step by step up to
// the first "..". From there it walks once through everything below, with the set of steps
// that may come next. So it finds each location once and in document order, however many
// ".." the path has.
//
// Set the exported fields before Run. Use a Search only once.
type Search struct {
	Meter        *meter.Meter
	Visitor      Visitor
	Root         Location      // the location of the value where the search begins
	Implied      *Implied      // fields that count even if they are missing, or nil
	Open         Setters       // who may set missing fields
	Placeholders *Placeholders // nil if strings contain no placeholders
	Thorough     bool          // whether all doubts are wanted, and not only one

	object  any // the value where the search begins, which some conditions need
	steps   jp.Expr
	at      Location // the location of the current value
	standIn StandIn  // whether the current value is a default
	matches int

	unreadable error   // that a value on the way, or at the end, is not readable
	unread     int     // how many there are
	doubt      error   // any other
	also       []error // if Thorough: those that doubt is not
	err        error
}

// A Visitor visits each value that is found. Visit returns false to end the search.
type Visitor interface {
	Visit(s *Search, value any) bool
}

// A VisitorFunc is a function that is a Visitor.
type VisitorFunc func(s *Search, value any) bool

// Visit calls f.
func (f VisitorFunc) Visit(s *Search, value any) bool { return f(s, value) }

// Placeholders finds what is not filled in yet in strings. Each function returns an error
// that names the placeholder; nil if there is none.
type Placeholders struct {
	Whole  func(s string) error // finds one that may become a value of any type
	Within func(s string) error // finds one in a string, or in the name of a member
}

// A selection is a value that a step selects.
type selection struct {
	place   Element
	value   any
	standIn StandIn
}

// usualDepth is a length that is enough for most locations.
const usualDepth = 16

// Run visits what p selects from a value; nil selects nothing. An error says that a bound
// was reached: then ignore what was visited.
func (w *Search) Run(p *Path, from any) error {
	if p == nil {
		return nil
	}
	w.steps = p.steps
	w.at = append(make(Location, 0, len(w.Root)+min(len(w.steps), usualDepth)), w.Root...)
	if from = value.Resolve(from); from != nil {
		w.object = from
		w.from(from, 0, w.Implied)
	}
	return w.err
}

// At returns the location of the visited value. It is valid until Visit returns.
func (w *Search) At() Location { return w.at }

// StandIn returns why the visited value counts.
func (w *Search) StandIn() StandIn { return w.standIn }

// Object returns the value where the search began.
func (w *Search) Object() any { return w.object }

// Matches returns the number of values found.
func (w *Search) Matches() int { return w.matches }

// Doubt returns why there may be more or other values than those found, such as a value that
// is not readable or a comparison that cannot be decided. It is a *OpenField if others may set
// what the path selects.
func (w *Search) Doubt() error { return cmp.Or(w.unreadable, w.doubt) }

// Doubts returns all doubts of a Thorough search: Doubt and those that are about something else.
func (w *Search) Doubts() []error {
	if w.Doubt() == nil {
		return nil
	}
	return append([]error{w.Doubt()}, w.also...)
}

// addDoubt replaces the doubt.
func (w *Search) addDoubt(err error) {
	if w.doubt != nil {
		w.keepAlso(w.doubt)
	}
	w.doubt = err
}

const maxDoubts = 16

// keepAlso keeps one more doubt of a Thorough search.
func (w *Search) keepAlso(err error) {
	switch {
	case !w.Thorough || len(w.also) > maxDoubts:
	case len(w.also) == maxDoubts:
		w.also = append(w.also, errors.New("there are too many doubts"))
	default:
		w.also = append(w.also, err)
	}
}

// Err returns which bound was reached, or nil. If one was, ignore what was found.
func (w *Search) Err() error { return w.err }

// Spend pays for looking at a number of values. It ends the search if a bound is reached.
func (w *Search) Spend(values int) bool {
	w.Pay(meter.Times(values, NodeWork), 0)
	if len(w.at)-len(w.Root) > value.MaxDepth {
		w.fail(value.ErrTooDeep)
	}
	return w.err == nil
}

// Pay pays for work and memory. It ends the search if the Meter refuses.
func (w *Search) Pay(work, kept int) bool {
	if err := w.Meter.Spend(work, kept); err != nil {
		w.fail(err)
	}
	return w.err == nil
}

// fail ends the search, unless err is nil.
func (w *Search) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Search) found(v any) bool {
	w.matches++
	if w.matches > MaxMatches {
		w.fail(errors.New("the path selects more than 10,000 values"))
		return false
	}
	return w.Visitor.Visit(w, v)
}

// reads reports whether a value is readable. If not, the search cannot know what is there:
// another value, an object with members, or nothing.
func (w *Search) reads(v any) bool {
	if value.IsReadable(v) {
		return true
	}
	w.Spend(value.CostOfReading(v))
	if w.unread++; w.unreadable == nil {
		w.unreadable = fmt.Errorf("%s cannot be read: it is %s", w.at.Shown(), value.Describe(v))
	}
	return false
}

// from continues at step i with value v. It returns false to end the search.
func (w *Search) from(v any, i int, f *Implied) bool {
	if !w.Spend(1) {
		return false
	}
	if !w.reads(v) {
		return true
	}
	if i == len(w.steps) {
		return w.found(v)
	}
	if _, ok := w.steps[i].(jp.Descent); ok {
		return w.below(v, w.reach(nil, i), f)
	}
	return w.each(v, i, f, func(s selection) bool {
		before := w.enter(s)
		more := w.from(s.value, i+1, f.At(s.place))
		w.leave(before)
		return more
	})
}

// enter moves to a selection's location. It returns what leave needs to move back.
func (w *Search) enter(s selection) StandIn {
	before := w.standIn
	if s.standIn != Written {
		w.standIn = s.standIn
	}
	w.at = append(w.at, s.place)
	return before
}

func (w *Search) leave(before StandIn) {
	w.at = w.at[:len(w.at)-1]
	w.standIn = before
}
