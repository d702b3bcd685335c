package ssp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
)

// The cost of each value that a step selects.
const (
	nodeWork = 200
	nodeSize = 100
)

var errNotFound = errors.New("it selects nothing")

// find returns what a path selects in a VM.
func find(m *meter.Meter, steps []step, template any) ([]node, error) {
	if steps[1] != step(member("template")) {
		return nil, errNotFound
	}
	whole := &goType{name: "*" + templateType().name, shape: pointer, of: templateType()}
	return all(m, steps[2:], []node{{whole, template}})
}

func all(m *meter.Meter, steps []step, values []node) ([]node, error) {
	for _, step := range steps {
		found, err := step.from(m, values)
		if err == nil {
			err = m.Spend(nodeWork*(len(values)+len(found)), nodeSize*len(found))
		}
		if err != nil {
			return found, err
		}
		values = found
	}
	return values, nil
}

func pointees(values []node) []node {
	var all []node
	for _, v := range values {
		if v, ok := v.indirect(); ok {
			all = append(all, v)
		}
	}
	return all
}

func (m member) from(_ *meter.Meter, values []node) ([]node, error) {
	var found []node
	for _, v := range pointees(values) {
		if inner, ok := v.member(string(m)); ok {
			found = append(found, inner)
		}
	}
	if len(found) == 0 && len(values) > 0 {
		return nil, errNotFound
	}
	return found, nil
}

func (everything) from(_ *meter.Meter, values []node) ([]node, error) {
	var found []node
	for _, v := range pointees(values) {
		found = append(found, v.children()...)
	}
	return found, nil
}

// from selects all that has something inside, at any depth.
func (d descent) from(m *meter.Meter, values []node) ([]node, error) {
	var found []node
	for _, v := range pointees(values) {
		inside := v.children()
		if len(inside) == 0 {
			continue
		}
		if err := m.Spend(nodeWork*len(inside), nodeSize*len(inside)); err != nil {
			return nil, err
		}
		below, err := d.from(m, inside)
		if err != nil {
			return nil, err
		}
		found = append(append(found, v), below...)
	}
	return found, nil
}

func (s slice) from(_ *meter.Meter, values []node) ([]node, error) {
	var found []node
	for _, v := range pointees(values) {
		if v.typ.shape != array {
			return values, fmt.Errorf("%s is not an array", v.typ.name)
		}
		from, to, err := s.bounds(v.length())
		if err != nil {
			return values, err
		}
		if from == to {
			return found, nil // the other arrays are not searched, either
		}
		if s.stride <= 0 {
			return values, errors.New("the step of a slice is not positive")
		}
		for i := from; i < to; i += s.stride {
			found = append(found, v.item(i))
		}
	}
	return found, nil
}

// bounds returns the indexes of the first item, and that after the last.
func (s slice) bounds(length int) (from, to int, err error) {
	from, to = s.first, length
	if s.hasEnd {
		to = s.end
	}
	if s.isIndex {
		to = from + 1
	}
	if to < 0 || to == 0 && s.isIndex {
		to += length
	}
	if from < 0 {
		from += length
	}
	if from != to && (from < 0 || from >= length || to < from || to > length) {
		return 0, 0, fmt.Errorf("an array has only %d items", length)
	}
	return from, to, nil
}

func (u union) from(m *meter.Meter, values []node) ([]node, error) {
	var found []node
	for _, steps := range u {
		of, err := all(m, steps, values)
		if err != nil {
			return values, err
		}
		found = append(found, of...)
	}
	return found, nil
}

func (c constant) from(_ *meter.Meter, values []node) ([]node, error) {
	times := len(values)
	if c.typ.shape == text {
		times = 1
	}
	return slices.Repeat([]node{node(c)}, times), nil
}

func (k keyword) from(_ *meter.Meter, values []node) ([]node, error) {
	return values, fmt.Errorf("%s is not a name there: write a dot before it", string(k))
}

func (f filter) from(m *meter.Meter, values []node) ([]node, error) {
	var found []node
	for _, v := range values {
		v, _ = v.indirect()
		if v.typ.shape != array {
			return values, fmt.Errorf("%s is not an array", v.typ.name)
		}
		for i := range v.length() {
			item := v.item(i)
			passes, err := f.passes(m, item)
			if err != nil {
				return values, err
			}
			if passes {
				found = append(found, item)
			}
		}
	}
	return found, nil
}

func (f filter) passes(m *meter.Meter, item node) (bool, error) {
	var sides [2]node
	for i, steps := range [][]step{f.left, f.right} {
		found, err := all(m, steps, []node{item})
		switch {
		case f.operator == "" && !errors.Is(err, meter.ErrWork):
			return len(found) > 0, nil
		case err != nil || len(found) == 0:
			return false, err
		case len(found) > 1:
			return false, errors.New("a filter compares several values")
		}
		sides[i] = found[0]
	}
	return compare(sides[0], sides[1], f.operator)
}

// compare compares two values of the same sort, and fails for others.
func compare(a, b node, operator string) (bool, error) {
	order, err := orderOf(a, b)
	switch {
	case err != nil:
		return false, err
	case operator == "!=":
		return order != 0, nil
	case operator != "==" && a.typ.shape == boolean:
		return false, errors.New("a filter compares which boolean is less")
	case !slices.Contains([]string{"==", "<", "<=", ">", ">="}, operator):
		return false, fmt.Errorf("a filter has the unknown operator %s", operator)
	}
	return strings.Contains(operator, "<=>"[order+1:order+2]), nil // an operator names the orders for which it holds
}

func orderOf(a, b node) (int, error) {
	switch x, y := a.typ, b.typ; {
	case x.shape == text && y.shape == text:
		return cmp.Compare(a.string(), b.string()), nil
	case x.shape == boolean && y.shape == boolean:
		if (a.json == true) == (b.json == true) { // any other zero value is false
			return 0, nil
		}
		return 1, nil
	case x.isInteger() && y.isInteger():
		i, _ := a.integer()
		j, _ := b.integer()
		return cmp.Compare(i, j), nil
	case x.shape == float && y.shape == float:
		f, _ := a.json.(float64)
		g, _ := b.json.(float64)
		return cmp.Compare(f, g), nil
	}
	return 0, fmt.Errorf("a filter cannot compare %s and %s", a.typ.name, b.typ.name)
}
