package model

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// An operand of a filter is a path in an item, or a literal.
type operand func(item *node) ([]*node, doubt)

const operandForm = `((?:` + quotes + `|\\.|[^'"\\=!<>])+?)`

var filterForm = regexp.MustCompile(`^ *` + operandForm + ` *(?:(==|!=|<=|>=|<|>) *` + operandForm + ` *)?$`)

// readFilter reads the text between ?( and ). The pick selects the items that pass.
func readFilter(s string) pick {
	parts := filterForm.FindStringSubmatch(s)
	if parts == nil {
		panic(fmt.Sprintf("the model cannot read the filter %q", s))
	}
	left, op := readOperand(parts[1]), parts[2]
	passed := func(item *node) *node { return exists(item, left) }
	if op != "" {
		right := readOperand(parts[3])
		passed = func(item *node) *node { return compare(item, left, op, right) }
	}
	return func(n *node) []*node {
		if n.assumed {
			return nil
		}
		found := []*node{n.anyItem}
		for _, item := range n.items {
			if item != nil {
				found = append(found, passed(item))
			}
		}
		return found
	}
}

func readOperand(s string) operand {
	if s[0] == '@' {
		steps := readSteps(s[1:])
		return func(item *node) ([]*node, doubt) { return find(item, steps) }
	}
	var literal any = readName(s)
	if !isQuoted(s) {
		literal, _ = decode(strings.TrimPrefix(s, "+"))
	}
	if literal == nil {
		panic(fmt.Sprintf("the model cannot read the operand %q", s))
	}
	return func(item *node) ([]*node, doubt) {
		return []*node{{value: literal, inTemplate: item.inTemplate}}, certain
	}
}

// exists returns the item if the operand selects anything from it.
func exists(item *node, o operand) *node {
	found, d := o(item)
	if len(found) > 0 {
		return item
	}
	return anything[d]
}

// compare returns the item if the comparison holds for it. Absent operands, several
// values, and values of different types do not match (Path in jsonpath.go).
func compare(item *node, l operand, op string, r operand) *node {
	left, leftDoubt := l(item)
	right, rightDoubt := r(item)
	d := max(leftDoubt, rightDoubt)
	switch {
	case never(left, leftDoubt), never(right, rightDoubt):
		return nil
	case d != certain:
		return anything[d]
	case open(left[0], right[0]), open(right[0], left[0]):
		return anything[unsure]
	case holds(left[0].value, op, right[0].value):
		return item
	}
	return nil
}

// never reports whether a comparison with an operand cannot hold, whatever is added.
func never(found []*node, d doubt) bool {
	return len(found) == 0 && d == certain || len(found) > 1 || len(found) == 1 && !isScalar(found[0].value)
}

// open reports whether the result of comparing a with b is unknown, since a has a
// parameter. If a stays a string, it does not match values of other types.
func open(a, b *node) bool {
	_, both := b.value.(string)
	return a.unfilled() && both || a.has(wholeParameter)
}

// relations has, for each operator, the results of comparing the operands for which it
// holds.
var relations = map[string][]int{"==": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}

// holds reports whether an operator holds for two scalars of one type. Booleans have no
// order.
func holds(a any, op string, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	switch a.(type) {
	case string:
		return slices.Contains(relations[op], strings.Compare(text(a), text(b)))
	case json.Number:
		return slices.Contains(relations[op], number(a).Cmp(number(b)))
	case bool:
		return op == "==" && a == b || op == "!=" && a != b
	}
	return false
}
