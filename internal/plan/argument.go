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

// fits reports whether a plan supports the argument among some: a min, a max or an only list, from at
// most one place.
func (a Argument) fits(among []Argument) bool {
	isSingle := a.Path != nil && len(jsonpath.Fixed(a.Path.Steps())) == len(a.Path.Steps())
	return isSingle && isPlain(a.Path) && (a.Of.Key == constraint.Min || a.Of.Key == constraint.Max || a.Of.IsList && len(among) == 1)
}

// bounds are the arguments of an entry that are read from the object.
type bounds struct {
	arguments []Argument
	others    constraint.Shortcut // of what the entry demands besides
}

// A later is a value that is checked when the walk is over, and all arguments are read.
type later struct {
	by      *judged
	value   any
	items   indexes
	standIn jsonpath.StandIn
}

// laterSize is about the size of a later in bytes, in a slice that grows.
const laterSize = 120

// finish checks what has waited for arguments.
func (w *walk) finish() {
	w.isOver = true
	for _, l := range w.later {
		w.items, w.standIn = l.items, l.standIn
		w.judgeBounded(l.by, l.value)
	}
}

// judgeBounded checks a value by an entry with arguments, now or when these are read.
func (w *walk) judgeBounded(r *judged, v any) {
	for _, a := range r.bounds.arguments {
		if w.slots[a.slot] == nil && !w.isOver {
			if w.budget.Spend(Work, laterSize) == nil {
				w.later = append(w.later, later{r, v, w.items, w.standIn})
			}
			return
		}
	}
	broken, isSure := w.breaks(r, v)
	if !isSure {
		w.found[r.index] |= isUnsure
	} else if broken != nil {
		w.remember(r, broken, v)
	}
}

// breaks returns what a value breaks, and whether that is sure. It makes the constraint of an
// argument only if a value breaks that, and compares only whole numbers.
func (w *walk) breaks(r *judged, v any) (broken constraint.Constraint, isSure bool) {
	if r.bounds.arguments[0].Of.IsList {
		return w.breaksList(r, v)
	}
	n, ok := whole(v)
	admits, broken := r.bounds.others.JudgeWhole(n)
	ok = ok && (admits || broken != nil)
	for _, a := range r.bounds.arguments {
		limit, isWhole := whole(w.slots[a.slot])
		isMin := a.Of.Key == constraint.Min
		if ok = ok && isWhole; !ok || isMin && n >= limit || !isMin && n <= limit {
			continue
		}
		literal, _ := value.ScalarOf(w.slots[a.slot])
		c, err := a.Of.NewBound(literal)
		ok = broken == nil && err == nil
		broken = c
	}
	return broken, ok
}

// breaksList is breaks for a text whose only argument is a list, of which it reads no more than one text.
func (w *walk) breaksList(r *judged, v any) (broken constraint.Constraint, isSure bool) {
	listed, _ := w.slots[r.bounds.arguments[0].slot].(string)
	text, isText := v.(string)
	if !isText || listed == "" || len(listed) > shortText {
		return nil, false
	}
	if admits, _ := r.bounds.others.Judge(text, &w.budget); !admits || text == listed {
		return nil, admits
	}
	return constraint.NewAllowed([]string{listed}), true
}

// whole returns the int64 that min and max compare a value with; false if there is none that is quick to find.
func whole(v any) (int64, bool) {
	if text, _ := v.(string); len(text) > shortText {
		return 0, false
	}
	var s value.Scalar
	s.Set(v)
	n, err := s.Quantity()
	i, ok := n.Int64()
	return i, ok && err == nil
}

// shortText is the length in bytes of the longest text that is read without paying for it.
const shortText = 100
