package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// readArguments reads the arguments that are JSONPaths. It does so once for all values.
func (j *judgement) readArguments() {
	if j.isRead {
		return
	}
	j.isRead = true
	j.set = j.rule.literal
	if j.rule.paths == nil {
		return
	}
	read := slices.Clone(j.set.All())
	for _, p := range j.rule.paths {
		c, _, err := j.resolveArgument(p)
		if err != nil {
			if e := (*doubtError)(nil); !errors.As(err, &e) { // if it is the budget's, the search fails, too
				err = doubtful(DoubtArgument, err)
			}
			j.addDoubt(p.key, err)
			continue
		}
		read = append(read, c)
	}
	j.set = constraint.NewSet(constraint.OfKind(j.rule.Kind), read)
}

// resolveArgument returns the constraint with the literals that its paths select in the object.
func (j *judgement) resolveArgument(p pathArgument) (constraint.Constraint, []value.Scalar, error) {
	a := constraint.Named(p.key)
	if a.IsList {
		return j.readList(p.of)
	}
	path, _ := p.of.Path()
	found, err := j.find(path)
	if err != nil {
		return nil, nil, err
	}
	if len(found) > 1 {
		return nil, nil, fmt.Errorf("cannot be read: %s selects %d values, but must select one", path.shown(), len(found))
	}
	literal, err := j.usable(path, found[0])
	if err != nil {
		return nil, nil, err
	}
	literals := []value.Scalar{literal}
	c, err := a.New(literals, &j.call.budget)
	if err != nil && j.call.given.partial && found[0] == "" {
		return nil, nil, errLater
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot be read from %s: it %w", path.shown(), err)
	}
	return c, literals, nil
}

// readList collects the allowed values. If one path selects the whole list, it must select
// something. The path of a single item may select nothing, and then allows nothing.
func (j *judgement) readList(argument Argument) (constraint.Constraint, []value.Scalar, error) {
	var all []value.Scalar
	var later error
	for _, item := range argument.items() {
		path, isPath := item.Path()
		if !isPath {
			s, _ := value.ScalarOf(item.literal)
			if err := j.call.budget.Spend(constraint.ListedWork+3*s.RenderedSize(), 0); err != nil {
				return nil, nil, err
			}
			all = append(all, s)
			continue
		}
		found, err := j.find(path)
		if mayCome := j.mayCome(err); argument.list != nil && (mayCome || errors.Is(err, errNotThere)) {
			if mayCome && !isOpen(later) { // what is not given may be looked up
				later = err
			}
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, v := range found {
			if all, err = j.appendItems(all, path, v); err != nil {
				return nil, nil, err
			}
		}
	}
	list := constraint.AllowedOf(all)
	if later != nil {
		list = list.Open(later)
	}
	return list, all, j.call.budget.Spend(0, list.LimitSize())
}

// appendItems appends a value, or the items of an array.
func (j *judgement) appendItems(all []value.Scalar, path Path, v any) ([]value.Scalar, error) {
	if value.ShapeOf(v) != value.Array {
		s, err := j.usable(path, v)
		return append(all, s), err
	}
	for i := range value.Len(v) {
		next, ok := value.Item(v, i)
		if !ok {
			continue
		}
		s, err := j.usable(path, next)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// find returns what an argument's path selects, which is at least one value.
func (j *judgement) find(path Path) ([]any, error) {
	var found []any
	w := j.call.Search(j.target, jsonpath.VisitorFunc(func(_ *jsonpath.Search, v any) bool {
		found = append(found, v)
		return true
	}))
	err := cmp.Or(w.Run(path.parsed, j.target.Root), doubtOf(j.target, &w))
	switch {
	case err != nil:
		return nil, reworded(err, fmt.Errorf("cannot be read from %s: %w", path.shown(), err))
	case len(found) > 0:
		return found, nil
	case j.call.given.partial:
		return nil, errLater
	}
	return nil, fmt.Errorf("cannot be read: %s is %w", path.shown(), errNotThere)
}

// usable returns the scalar that an argument's path selected.
func (j *judgement) usable(path Path, v any) (value.Scalar, error) {
	s, ok := value.ScalarOf(v)
	if err := j.call.budget.Spend(meter.Plus(constraint.ListedWork, meter.Times(lookWork(j.target, &s), jsonpath.NodeWork)), 0); err != nil {
		return value.Scalar{}, err
	}
	if !ok {
		err := fmt.Errorf("cannot be read: %s is %s", path.shown(), value.Describe(v))
		if !value.IsReadable(v) {
			err = doubtful(DoubtBound, err)
		}
		return value.Scalar{}, err
	}
	if s.Err() != nil {
		return value.Scalar{}, fmt.Errorf("cannot be read: %s %w", path.shown(), s.Err())
	}
	if err := unfilled(&s, j.target.HasParameters); err != nil {
		return value.Scalar{}, fmt.Errorf("cannot be read from %s: %w", path.shown(), err)
	}
	return s, nil
}
