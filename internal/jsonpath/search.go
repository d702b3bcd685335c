package jsonpath

import (
	"errors"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// MaxMatches is how many values one path may select.
const MaxMatches = 10_000

var errTooManyMatches = errors.New("the path selects more than 10,000 values")

// NodeWork is what a value costs at which a Search looks, in units of work. A long
// one counts as several. It is measured, and rounded up.
const NodeWork = 500

// branchSize is what a branch of a descent holds, in bytes.
const branchSize = 150

// A Search looks for what one path selects in one value. It goes down step by step
// until a step "..", and from there through everything below, once, with the
// set of steps that may come next: so each location is found once and in
// document order, however many ".." a path has.
//
// The exported fields are set before Run. A Search is used once.
type Search struct {
	Meter        *meter.Meter
	Visitor      Visitor
	Root         Location      // of the value where the search begins
	Implied      *Implied      // what counts without being written; nil: nothing
	Others       Setters       // who may set fields that are not written
	Placeholders *Placeholders // nil: strings are what they are

	object   any // where the search begins, for what depends on all of it
	steps    jp.Expr
	at       Location // of the value that is being looked at
	standIn  StandIn  // whether it is a default
	matches  int
	branches int // that are held on the way down
	doubt    error
	err      error
}

// A Visitor is shown each value that is found. Visit returns false to end the
// search.
type Visitor interface {
	Visit(s *Search, value any) bool
}

// A VisitorFunc is a function as a Visitor.
type VisitorFunc func(s *Search, value any) bool

// Visit calls f.
func (f VisitorFunc) Visit(s *Search, value any) bool { return f(s, value) }

// Placeholders find what is still to be filled in, in a string. Each function
// returns an error that names the placeholder; nil where there is none.
type Placeholders struct {
	// Whole is for a string that may be filled in with a value of any type.
	Whole func(s string) error
	// Within is for a string, or the name of a member, that holds a placeholder.
	Within func(s string) error
}

// A selection is what a step selects in a value.
type selection struct {
	place   Element
	value   any
	standIn StandIn
}

// usualDepth is how many elements most locations have at most.
const usualDepth = 16

// Run searches from a value for what p selects; nil selects nothing. An error says
// that a bound was reached; what was visited is then no answer.
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

// Take visits a value that was found otherwise, as if the search had found it.
func (w *Search) Take(at Location, why StandIn, v any) bool {
	w.at, w.standIn = at, why
	return w.Spend(1) && w.found(v)
}

// At returns the location of the value that is being visited. It is valid until
// Visit returns.
func (w *Search) At() Location { return w.at }

// StandIn returns why that value counts.
func (w *Search) StandIn() StandIn { return w.standIn }

// Object returns the value where the search began.
func (w *Search) Object() any { return w.object }

// Matches returns how many values have been found.
func (w *Search) Matches() int { return w.matches }

// Doubt returns why what was found may not be all, such as a comparison without an
// answer. It is a *LeftOut where others may set what the path selects.
func (w *Search) Doubt() error { return w.doubt }

// Err returns which bound was reached; what was found is then no answer.
func (w *Search) Err() error { return w.err }

// Spend pays for looking at so many values, and ends the search at the bounds.
func (w *Search) Spend(values int) bool {
	w.Pay(meter.Times(values, NodeWork), 0)
	if len(w.at)-len(w.Root) > value.MaxDepth {
		w.fail(value.ErrTooDeep)
	}
	return w.err == nil
}

// Pay pays for a step, and ends the search where the Meter refuses it.
func (w *Search) Pay(work, kept int) bool {
	if err := w.Meter.Spend(work, kept); err != nil {
		w.fail(err)
	}
	return w.err == nil
}

func (w *Search) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Search) found(v any) bool {
	w.matches++
	if w.matches > MaxMatches {
		w.fail(errTooManyMatches)
		return false
	}
	return w.Visitor.Visit(w, v)
}

// from goes on at step i with value v; false ends the search.
func (w *Search) from(v any, i int, f *Implied) bool {
	if !w.Spend(1) {
		return false
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

// enter goes to a selection's location. It returns what leave needs to come back.
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
