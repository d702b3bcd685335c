package plan

import (
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// An Argument is an argument of an entry that is read from the object.
type Argument struct {
	Of   *constraint.Argument
	Path *jsonpath.Path
	slot int // of its value, during a walk
}

// fits reports whether a plan supports the argument: a min or max, from at most one place.
func (a Argument) fits() bool {
	isSingle := len(jsonpath.Fixed(a.Path.Steps())) == len(a.Path.Steps())
	return isSingle && isPlain(a.Path) && (a.Of.Key == constraint.Min || a.Of.Key == constraint.Max)
}

// A later is a value that is judged at the end of a walk, when all arguments are read.
type later struct {
	by      *judged
	value   any
	items   indexes
	standIn jsonpath.StandIn
}

// laterSize is about the size of a later in bytes, in a slice that grows.
const laterSize = 120

// keep keeps a value until the end of the walk.
func (w *walk) keep(r *judged, v any) {
	if w.budget.Spend(Work, laterSize) == nil {
		w.later = append(w.later, later{r, v, w.items, w.standIn})
	}
}

func (w *walk) judgeLater(l *later) {
	if w.admits(l.by, l.value) {
		return
	}
	var all []constraint.Constraint
	for _, a := range l.by.arguments {
		literal, _ := value.ScalarOf(w.slots[a.slot])
		if !w.spend(literal.Cost() + constraint.ListedWork/Work) {
			return
		}
		c, err := a.Of.New([]value.Scalar{literal}, nil)
		if err != nil { // or there is none
			w.found[l.by.index] |= isUnsure
			return
		}
		all = append(all, c)
	}
	demands := l.by.demands.With(all...)
	read := judged{index: l.by.index, textSize: l.by.textSize, demands: &demands, comparesNumbers: true}
	w.items, w.standIn = l.items, l.standIn
	w.judgeScalar([]judged{read}, l.value)
}

// admits reports whether a value certainly satisfies an entry with arguments, for which it need
// not make their constraints.
func (w *walk) admits(r *judged, v any) bool {
	n, ok := whole(v)
	for _, a := range r.arguments {
		limit, isWhole := whole(w.slots[a.slot])
		isMin := a.Of.Key == constraint.Min
		if !isWhole || isMin && n < limit || !isMin && n > limit {
			return false
		}
	}
	return ok && r.others.AdmitsWhole(n)
}

// whole returns the int64 that min and max compare a value with; false if there is none.
func whole(v any) (int64, bool) {
	s, _ := value.ScalarOf(v)
	n, err := s.Quantity()
	i, ok := n.Int64()
	return i, ok && err == nil
}
