package vmrules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A leftOut error says that a field depends on an object that is not given.
type leftOut struct {
	what string
	by   setters
}

func (e *leftOut) Error() string { return fmt.Sprintf("%s may be set by %s", e.what, e.by) }

func isLeftOut(err error) bool {
	var e *leftOut
	return errors.As(err, &e)
}

// addSettable adds the fields that are set by others to the tree.
func (f *implied) addSettable() {
	for _, s := range settableFields {
		at := f
		steps := strings.Split(strings.ReplaceAll(s.path, "[*]", ".[*]"), ".")
		made := strings.Count(s.path, "[*]") == 0
		for i, step := range steps {
			at = at.growStep(step)
			if step == "[*]" {
				made = true
				continue
			}
			if i == len(steps)-1 || made && !s.inside {
				at.by |= s.by
			}
		}
		at.when, at.only = s.when, s.only
	}
}

func (f *implied) growStep(step string) *implied {
	switch step {
	case "[*]":
		return f.growItems()
	case "*":
		f.others = &implied{}
		return f.others
	}
	return f.growMember(step)
}

// maySet returns who may set what a path of names and items selects, in some
// object.
func (f *implied) maySet(p Path, by setters) setters {
	for _, step := range p.steps() {
		if f == nil || f.when.isWhole() && f.by&by != 0 {
			break
		}
		f = f.after(step)
	}
	if f == nil {
		return 0
	}
	return f.by & by
}

// setBy returns who may set a field of parent, which has next there.
func (w *walk) setBy(f *implied, parent, next any) setters {
	switch {
	case f == nil, f.by&w.others == 0, value.ShapeOf(parent) != value.Object:
		return 0
	case !f.when.holds(next), f.only != nil && !f.only(w, parent):
		return 0
	}
	return f.by & w.others
}

// setBelow returns who may set what steps select from a field that is not there.
func (w *walk) setBelow(f *implied, steps jp.Expr) setters {
	if f == nil || f.by&w.others == 0 || !w.spend(1) {
		return 0
	}
	if len(steps) == 0 || f.when.isWhole() {
		return f.by & w.others
	}
	switch step := steps[0].(type) {
	case jp.Child:
		return w.setBelow(f.member(string(step)), steps[1:])
	case jp.Union:
		var found setters
		for _, key := range step {
			if name, ok := key.(string); ok {
				found |= w.setBelow(f.member(name), steps[1:])
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

func (w *walk) setInMembers(f *implied, steps jp.Expr) setters {
	found := w.setBelow(f.others, steps)
	for _, member := range f.members {
		found |= w.setBelow(member, steps)
	}
	return found
}

// setInside returns who may set something inside a value, as it is.
func (w *walk) setInside(f *implied, v any) setters {
	if f == nil || w.others == 0 || !w.spend(len(f.members)) {
		return 0
	}
	var found setters
	if f.when == appended {
		found = f.by & w.others
	}
	if f.others != nil {
		found |= f.others.by & w.others
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

// isLeft reports whether a field of parent, which has next there, is left to
// others: what is written does not count then.
func (w *walk) isLeft(f *implied, parent, next any) bool {
	return w.others != 0 && w.setBy(f, parent, next) != 0
}

// leaveOutMember is leaveOut for the member of an object that step i names.
func (w *walk) leaveOutMember(name string, i int, f *implied) {
	if w.doubt != nil {
		return
	}
	rest := w.steps[i+1:]
	w.leaveOut(w.setBelow(f, rest), func() string {
		return w.at.Join(jsonpath.Members(name)).Join(jsonpath.Fixed(rest)).Shown()
	})
}

// leaveOut remembers that others may set what the path would select.
func (w *walk) leaveOut(by setters, what func() string) {
	if by != 0 && w.doubt == nil {
		w.doubt = &leftOut{what(), by}
	}
}

// leaveOutMembers is leaveOut for the members of an object that step i, which
// selects all of them, would select.
func (w *walk) leaveOutMembers(v any, i int, f *implied) {
	if f == nil || w.others == 0 || w.doubt != nil || value.ShapeOf(v) != value.Object || !w.spend(len(f.members)) {
		return
	}
	steps := w.steps[i:]
	if steps[0] != jp.Descent('.') {
		steps = steps[1:]
	}
	found := w.setBelow(f.others, steps)
	for name, field := range f.members {
		if next, _ := value.Member(v, name); w.isLeft(field, v, next) {
			found |= w.setBelow(field, steps)
		}
	}
	w.leaveOut(found, w.fields)
}

func (w *walk) fields() string { return "fields of " + w.at.Shown() }

// keepsItems reports whether what step i selects in a list is there too when
// others have appended items. An index from the end then counts from another.
func (w *walk) keepsItems(v any, i int, f *implied) bool {
	if f == nil || f.when != appended || f.by&w.others == 0 || value.ShapeOf(v) != value.Array {
		return true
	}
	if k, ok := w.steps[i].(jp.Nth); ok && k >= 0 && int(k) < value.Len(v) {
		return true
	}
	w.leaveOut(f.by&w.others, func() string { return "items of " + w.at.Shown() })
	return !countsFromEnd(w.steps[i])
}

// countsFromEnd reports whether a step has an index that counts from the end.
func countsFromEnd(step any) bool {
	switch step := step.(type) {
	case jp.Nth:
		return step < 0
	case int64:
		return step < 0
	case jp.Slice:
		return step[0] < 0 || step[1] < 0
	case jp.Union:
		return slices.ContainsFunc(step, countsFromEnd)
	}
	return false
}

// leftOperand is what an operand of a filter selects where others may add to it:
// nothing that could be compared, unless it is too many values already.
func (w *walk) leftOperand(why error, values []any, most int) []any {
	if len(values) == most {
		return values
	}
	w.leaveOut(why.(*leftOut).by, func() string { return "what a filter compares in " + w.at.Shown() })
	return nil
}

// wouldBeLeft reports whether the value at hand would be left to others if the VM
// did not write it.
func (w *walk) wouldBeLeft() bool {
	if w.others == 0 || len(w.at) == len(w.root) {
		return false
	}
	at := w.at[len(w.root):]
	parent := jsonpath.Lookup(w.object, at[:len(at)-1])
	return w.isLeft(w.implied.locate(at), parent, nil)
}
