package model

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A constraint is what one argument demands of a value that has its kind's type.
type constraint struct {
	argument, reason string
	holds            func(any) bool
	mayAllow         bool // more values, once they are filled in
}

// A reading is what became of an argument.
type reading int

const (
	usable reading = iota
	unusable
	notYet // filled in, under Partial
)

// constraints returns what the arguments demand. One that cannot be read leaves
// the rule undecided, unless something else is violated.
func (j *judgement) constraints() []constraint {
	var all []constraint
	for _, key := range argumentKeys {
		a, ok := j.rule.arguments[key]
		if !ok {
			continue
		}
		read := j.limit
		if key == "values" {
			read = j.oneOf
		}
		switch c, state := read(key, a); state {
		case usable:
			all = append(all, c)
		case unusable:
			j.unsure = true
			j.undecidedArgument = cmp.Or(j.undecidedArgument, key)
		case notYet:
			j.waiting = true
		}
	}
	return all
}

// selected returns a literal, or what a path selects.
func (j *judgement) selected(a any) ([]*node, reading) {
	p, isPath := a.(path)
	if !isPath {
		return []*node{{value: a}}, usable
	}
	found, d := find(j.root, p.steps)
	switch {
	case j.partial && (d == byReference || d == 0 && len(found) == 0):
		return nil, notYet
	case d != 0 || slices.ContainsFunc(flat(found), (*node).unfilled):
		return nil, unusable
	}
	return found, usable
}

// flat returns nodes with those that are arrays item by item, without nulls.
func flat(nodes []*node) []*node {
	var all []*node
	for _, n := range nodes {
		if _, isArray := n.value.([]any); isArray {
			all = append(all, n.items...)
		} else {
			all = append(all, n)
		}
	}
	return slices.DeleteFunc(all, func(n *node) bool { return n == nil })
}

// oneOf demands one of a list, each rendered as string, case sensitive. All that the
// path of an item selects is allowed, arrays item by item; where it selects nothing
// it allows nothing.
func (j *judgement) oneOf(key string, a any) (constraint, reading) {
	items, isList := a.([]any)
	if !isList {
		items = []any{a}
	}
	allowed := map[string]bool{}
	c := constraint{argument: key, reason: "FieldValueNotSupported", holds: func(v any) bool {
		s, _ := render(v)
		return allowed[s]
	}}
	for _, item := range items {
		found, state := j.selected(item)
		if state == unusable || state == usable && len(found) == 0 && !isList {
			return c, unusable
		}
		c.mayAllow = c.mayAllow || state == notYet
		for _, n := range flat(found) {
			s, ok := render(n.value)
			if !ok {
				return c, unusable
			}
			allowed[s] = true
		}
	}
	return c, usable
}

// limit demands what an argument of one value says.
func (j *judgement) limit(key string, a any) (constraint, reading) {
	found, state := j.selected(a)
	if state == usable && len(found) != 1 {
		state = unusable
	}
	if state != usable {
		return constraint{}, state
	}
	v := found[0].value
	c := constraint{argument: key, reason: "FieldValueInvalid"}
	if key == "maxLength" {
		c.reason = "FieldValueTooLong"
	}
	switch key {
	case "min", "max":
		c.holds = bound(key == "min", v)
	case "minLength", "maxLength":
		c.holds = length(key == "minLength", v)
	case "regex":
		c.holds = matches(v)
	}
	switch {
	case c.holds != nil:
		return c, usable
	case j.partial && v == "":
		return c, notYet
	}
	return c, unusable
}

// bound demands a number that is not below, or not above, a limit; nil if the limit
// is no number.
func bound(least bool, v any) func(any) bool {
	limit := number(v)
	if limit == nil {
		return nil
	}
	return func(v any) bool {
		n := number(v)
		return n != nil && (n.Cmp(limit) == 0 || least == (n.Cmp(limit) > 0))
	}
}

// jsonNumber is the form of a string that may be a length.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// length demands a number of code points, the value rendered as string; nil if the
// limit is not one.
func length(least bool, v any) func(any) bool {
	limit := number(v)
	if s, isString := v.(string); isString && !jsonNumber.MatchString(s) || limit == nil || !limit.IsInt() || limit.Sign() < 0 {
		return nil
	}
	within := bound(least, v)
	return func(v any) bool {
		s, _ := render(v)
		return within(json.Number(strconv.Itoa(utf8.RuneCountInString(s))))
	}
}

// matches demands what a pattern matches anywhere; nil if there is none.
func matches(v any) func(any) bool {
	pattern, isString := v.(string)
	re, err := regexp.Compile(pattern)
	if !isString || err != nil {
		return nil
	}
	return func(v any) bool {
		s, _ := render(v)
		return re.MatchString(s)
	}
}
