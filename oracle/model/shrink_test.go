package model_test

import (
	"maps"
	"slices"
)

// shrink returns a smaller case on which model and library still differ.
func shrink(c testCase) testCase {
	for {
		smaller, found := firstDifferent(c)
		if !found {
			return c
		}
		c = smaller
	}
}

func firstDifferent(c testCase) (testCase, bool) {
	for _, smaller := range c.smaller() {
		want, got, err := smaller.judge()
		if err == nil && !same(want, got) && !smaller.listed() {
			return smaller, true
		}
	}
	return c, false
}

// smaller returns cases with one part less.
func (c testCase) smaller() []testCase {
	var all []testCase
	add := func(change func(*testCase)) {
		d := c
		d.options.Defaults = slices.Clone(c.options.Defaults)
		change(&d)
		all = append(all, d)
	}
	if c.decoding != 0 {
		add(func(d *testCase) { d.decoding = 0 })
	}
	if c.options.Partial {
		add(func(d *testCase) { d.options.Partial = false })
	}
	for i := range c.options.Defaults {
		add(func(d *testCase) { d.options.Defaults = slices.Delete(d.options.Defaults, i, i+1) })
	}
	for i, r := range c.rules {
		add(func(d *testCase) { d.rules = slices.Delete(slices.Clone(c.rules), i, i+1) })
		for _, key := range sortedNames(r) {
			for _, smaller := range smallerArgument(key, r[key]) {
				add(func(d *testCase) {
					d.rules = slices.Clone(c.rules)
					d.rules[i] = maps.Clone(r)
					d.rules[i][key] = smaller
				})
			}
		}
	}
	for _, o := range smallerValues(c.object) {
		if o, ok := o.(map[string]any); ok {
			add(func(d *testCase) { d.object = o })
		}
	}
	return all
}

// smallerArgument returns smaller values for a key: null, which is absent, or a shorter
// list.
func smallerArgument(key string, v any) []any {
	if key == "name" || key == "rule" || key == "path" || key == "message" || v == nil {
		return nil
	}
	all := []any{nil}
	if items, ok := v.([]any); ok {
		for i := range items {
			all = append(all, slices.Delete(slices.Clone(items), i, i+1))
		}
	}
	return all
}

// smallerValues returns values with one member or item less, anywhere in them.
func smallerValues(v any) []any {
	var all []any
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(v) {
			without := maps.Clone(v)
			delete(without, name)
			all = append(all, without)
		}
		for _, name := range sortedNames(v) {
			for _, smaller := range smallerValues(v[name]) {
				with := maps.Clone(v)
				with[name] = smaller
				all = append(all, with)
			}
		}
	case []any:
		for i := range v {
			all = append(all, slices.Delete(slices.Clone(v), i, i+1))
		}
		for i := range v {
			for _, smaller := range smallerValues(v[i]) {
				with := slices.Clone(v)
				with[i] = smaller
				all = append(all, with)
			}
		}
	}
	return all
}
