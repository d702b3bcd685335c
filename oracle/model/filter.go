package model

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// An operand selects what a filter looks at: from an item, or a literal.
type operand func(item *node) ([]*node, doubt)

const operandForm = `((?:` + quotes + `|\\.|[^'"\\=!<>])+?)`

var filterForm = regexp.MustCompile(`^ *` + operandForm + ` *(?:(==|!=|<=|>=|<|>) *` + operandForm + ` *)?$`)

// readFilter reads what is between ?( and ).
func readFilter(s string) pick {
	parts := filterForm.FindStringSubmatch(s)
	if parts == nil {
		panic(fmt.Sprintf("the model cannot read the filter %q", s))
	}
	left := readOperand(parts[1])
	if parts[2] == "" {
		return filter(func(item *node) *node { return exists(item, left) })
	}
	right := readOperand(parts[3])
	return filter(func(item *node) *node { return compare(item, left, parts[2], right) })
}

func readOperand(s string) operand {
	if s[0] == '@' {
		steps := readSteps(s[1:])
		return func(item *node) ([]*node, doubt) { return find(item, steps) }
	}
	var literal any
	literal, isString := unquote(s)
	if !isString {
		literal, _ = decode([]byte(s))
	}
	return func(item *node) ([]*node, doubt) {
		return []*node{{value: literal, inTemplate: item.inTemplate}}, 0
	}
}

// filter selects the items that pass, and what nobody knows whether it does.
func filter(passed func(item *node) *node) pick {
	return func(n *node, _ bool) []*node {
		if n.assumed {
			return nil
		}
		found := []*node{n.anyItem}
		for _, item := range n.items {
			if item != nil && item.doubt == 0 {
				found = append(found, passed(item))
			}
		}
		return found
	}
}

// exists returns the item if the operand selects anything from it.
func exists(item *node, o operand) *node {
	found, d := o(item)
	if len(found) > 0 {
		return item
	}
	return d.node()
}

// compare returns the item if the comparison holds for it. Absent operands, several
// values, and values of different types do not match (doc.go: JSONPath).
func compare(item *node, l operand, op string, r operand) *node {
	left, leftDoubt := l(item)
	right, rightDoubt := r(item)
	if never(left, leftDoubt) || never(right, rightDoubt) {
		return nil
	}
	if len(left) == 1 && len(right) == 1 {
		switch {
		case open(left[0], right[0]) || open(right[0], left[0]):
			return anyParameter
		case !holds(left[0].value, op, right[0].value):
			return nil
		}
	}
	if leftDoubt|rightDoubt != 0 {
		return (leftDoubt | rightDoubt).node()
	}
	return item
}

// never reports whether an operand matches nothing, also if it selects more than
// is known.
func never(found []*node, d doubt) bool {
	if len(found) == 1 {
		_, scalar := render(found[0].value)
		return !scalar
	}
	return len(found) > 1 || d == 0
}

// open reports whether nobody knows how a compares with b, since a has a parameter.
// One that stays a string equals nothing of another type.
func open(a, b *node) bool {
	_, both := b.value.(string)
	return a.unfilled() && both || a.unfilledWhole()
}

// relations has, for each operator, how the left operand may compare with the right.
var relations = map[string][]int{"==": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}

// holds reports whether two scalars of one type stand in a relation; booleans are
// only equal or not.
func holds(a any, op string, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	switch a.(type) {
	case bool:
		return op == "==" && a == b || op == "!=" && a != b
	case json.Number:
		return slices.Contains(relations[op], number(a).Cmp(number(b)))
	}
	return slices.Contains(relations[op], strings.Compare(text(a), text(b)))
}
