package jsonpath

import (
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// An OpenField error says that others may set what a path selects.
type OpenField struct {
	What string
	By   Setters
}

func (e *OpenField) Error() string { return e.What + " may be set by others" }

// setBy returns who may set a field of parent, whose own value next then does not count.
func (w *Search) setBy(f *Implied, parent, next any) Setters {
	switch {
	case f == nil, f.by&w.Open == 0, value.ShapeOf(parent) != value.Object:
		return 0
	case !f.when.Holds(next), f.only != nil && !w.mayHold(f.only, parent):
		return 0
	}
	return f.by & w.Open
}

// mayHold reports whether a condition holds, or may hold because a value is not readable.
func (w *Search) mayHold(only func(Around, any) bool, parent any) bool {
	before := w.unread
	return only(w, parent) || w.unread > before
}

// Look returns the value at a path of members of v, on which it depends whether others set a
// field; nil if there is none.
func (w *Search) Look(v any, names ...string) any {
	found := value.At(v, names...)
	w.reads(found)
	return found
}

// setBelow returns who may set what steps select below a missing field.
func (w *Search) setBelow(f *Implied, steps jp.Expr) Setters {
	if f == nil || f.by&w.Open == 0 || !w.Spend(1) {
		return 0
	}
	if len(steps) == 0 || f.when.isWhole() {
		return f.by & w.Open
	}
	switch step := steps[0].(type) {
	case jp.Child:
		return w.setBelow(f.At(Member(string(step))), steps[1:])
	case jp.Union:
		var found Setters
		for _, key := range step {
			if name, ok := key.(jp.Child); ok {
				found |= w.setBelow(f.At(Member(string(name))), steps[1:])
			}
		}
		return found
	case jp.Wildcard:
		if step == jp.Wildcard('*') {
			return w.setInMembers(f, steps[1:])
		}
	case jp.Descent:
		return w.setBelow(f, steps[1:]) | w.setInMembers(f, steps)
	}
	return 0
}

func (w *Search) setInMembers(f *Implied, steps jp.Expr) Setters {
	found := w.setBelow(f.others, steps)
	for _, member := range f.members {
		found |= w.setBelow(member, steps)
	}
	return found
}

// SetInside returns who may set something inside the visited value, given what the value
// contains.
func (w *Search) SetInside(v any) Setters {
	return w.setInside(w.Implied.Locate(w.at[len(w.Root):]), v)
}

func (w *Search) setInside(f *Implied, v any) Setters {
	if f == nil || w.Open == 0 || !w.Spend(len(f.members)) {
		return 0
	}
	var found Setters
	if f.when == Appended {
		found = f.by & w.Open
	}
	if f.others != nil {
		found |= f.others.by & w.Open
	}
	for name, field := range f.members {
		next, _ := value.Member(v, name)
		found |= w.setBy(field, v, next)
		if next != nil {
			found |= w.setInside(field, next)
		}
	}
	if f.items != nil {
		for i := range value.Len(v) {
			next, _ := value.Item(v, i)
			found |= w.setInside(f.items, next)
		}
	}
	return found
}

// addOpenMember is addOpen for the member of an object that step i names.
func (w *Search) addOpenMember(name string, i int, f *Implied) {
	if w.hasEnough() {
		return
	}
	rest := w.steps[i+1:]
	w.addOpen(w.setBelow(f, rest), func() string {
		return w.at.Join(Members(name)).Join(Fixed(rest)).Shown()
	})
}

// addOpen records that others may set what the path would select.
func (w *Search) addOpen(by Setters, what func() string) {
	switch {
	case by == 0:
	case w.doubt == nil:
		w.doubt = &OpenField{what(), by}
	default:
		w.keepOpen(by)
	}
}

// hasEnough reports whether another doubt about open fields says nothing new.
func (w *Search) hasEnough() bool { return w.doubt != nil && !w.Thorough }

// keepOpen is keepAlso for open fields, unless others may set one already.
func (w *Search) keepOpen(by Setters) {
	for _, err := range append([]error{w.doubt}, w.also...) {
		if known, ok := err.(*OpenField); ok {
			by &^= known.By
		}
	}
	if by != 0 {
		w.keepAlso(&OpenField{"", by})
	}
}

// addOpenMembers is addOpen for the members that step i, which selects all, would select.
func (w *Search) addOpenMembers(v any, i int, f *Implied) {
	if f == nil || w.Open == 0 || w.hasEnough() || value.ShapeOf(v) != value.Object || !w.Spend(len(f.members)) {
		return
	}
	steps := w.steps[i:]
	if steps[0] != jp.Descent('.') {
		steps = steps[1:]
	}
	found := w.setBelow(f.others, steps)
	for name, field := range f.members {
		if next, _ := value.Member(v, name); w.setBy(field, v, next) != 0 {
			found |= w.setBelow(field, steps)
		}
	}
	w.addOpen(found, func() string { return "fields of " + w.at.Shown() })
}

// keepsItems reports whether step i selects the same items of a list after others have
// appended items. An index from the end does not, as it then counts from another item.
func (w *Search) keepsItems(v any, i int, f *Implied) bool {
	if f == nil || f.when != Appended || f.by&w.Open == 0 || value.ShapeOf(v) != value.Array {
		return true
	}
	if k, ok := w.steps[i].(jp.Nth); ok && k >= 0 && int(k) < value.Len(v) {
		return true
	}
	w.addOpen(f.by&w.Open, func() string { return "items of " + w.at.Shown() })
	return !countsFromEnd(w.steps[i])
}

// countsFromEnd reports whether a step has an index that counts from the end.
func countsFromEnd(step any) bool {
	switch step := step.(type) {
	case jp.Nth:
		return step < 0
	case jp.Slice:
		return step[0] < 0 || step[1] < 0
	case jp.Union:
		return slices.ContainsFunc(step, countsFromEnd)
	}
	return false
}

// IsOpen reports whether the visited value would be open if the object did
// not contain it.
func (w *Search) IsOpen() bool {
	if w.Open == 0 || len(w.at) == len(w.Root) {
		return false
	}
	at := w.at[len(w.Root):]
	parent := Lookup(w.object, at[:len(at)-1])
	return w.setBy(w.Implied.Locate(at), parent, nil) != 0
}
