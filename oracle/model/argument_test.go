package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// argumentKeys has the keys in the order in which arguments are judged (vmrules:
// Arguments).
var argumentKeys = []string{"min", "max", "minLength", "maxLength", "values", "regex"}

// reasons has the reason of each argument whose violations are not FieldValueInvalid.
var reasons = map[string]string{"maxLength": "FieldValueTooLong", "values": "FieldValueNotSupported"}

// A constraint is the demand of one argument on a value that satisfies the rule's kind.
type constraint struct {
	key     string
	values  []any // a single value; for the key values, those that are allowed
	pending bool  // it is not completely filled in yet, under Partial
}

// read reads an argument, and reports whether it is usable. Only a path in a list may
// select nothing: it allows nothing.
func (c *constraint) read(j *judgement, argument any) bool {
	items, isList := argument.([]any)
	if !isList {
		items = []any{argument}
	}
	for _, item := range items {
		found, d := []*node{{value: item}}, certain
		if p, isPath := item.(path); isPath {
			found, d = j.find(p)
		}
		itemByItem := flat(found)
		switch {
		case d == waiting:
			c.pending = true
			continue
		case d == unsure, len(found) == 0 && !isList, slices.ContainsFunc(itemByItem, (*node).unfilled):
			return false
		case c.key == "values":
			found = itemByItem
		}
		for _, n := range found {
			c.values = append(c.values, n.value)
		}
	}
	if !c.usable() && j.target.options.Partial && slices.Equal(c.values, []any{""}) {
		c.pending, c.values = true, nil
	}
	return c.usable()
}

// flat replaces each array among the nodes with its items, and leaves out nulls.
func flat(nodes []*node) []*node {
	var all []*node
	for _, n := range nodes {
		if _, isArray := n.value.([]any); !isArray {
			all = append(all, n)
		}
		all = append(all, n.items...)
	}
	return slices.DeleteFunc(all, func(n *node) bool { return n == nil })
}

// jsonNumber matches a string that may be a length.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (c *constraint) usable() bool {
	if c.key == "values" {
		return !slices.ContainsFunc(c.values, func(v any) bool { return !isScalar(v) })
	}
	if len(c.values) != 1 {
		return c.pending
	}
	v := c.values[0]
	n := number(v)
	switch c.key {
	case "min", "max":
		return n != nil
	case "regex":
		pattern, isString := v.(string)
		_, err := regexp.Compile(pattern)
		return isString && err == nil
	}
	return (isNumber(v) || jsonNumber.MatchString(text(v))) && n.IsInt() && n.Sign() >= 0
}

// holds reports whether a value satisfies the constraint. A value that is not filled in
// does not.
func (c *constraint) holds(v any) bool {
	if len(c.values) == 0 {
		return false
	}
	rendered, _ := render(v)
	switch c.key {
	case "values":
		return slices.ContainsFunc(c.values, func(allowed any) bool {
			s, _ := render(allowed)
			return s == rendered
		})
	case "regex":
		return regexp.MustCompile(text(c.values[0])).MatchString(rendered)
	case "minLength", "maxLength":
		v = json.Number(strconv.Itoa(utf8.RuneCountInString(rendered)))
	}
	n, limit := number(v), number(c.values[0])
	return n != nil && (n.Cmp(limit) == 0 || n.Cmp(limit) > 0 == strings.HasPrefix(c.key, "min"))
}
