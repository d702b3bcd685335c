package export

import (
	"slices"
	"strconv"
	"strings"
)

// This file translates rules for a CRD. The API server estimates the cost of such rules from
// the bounds in the schema. It does not find these bounds behind an optional, so the
// expressions test for fields with has() and read them by their path. There is no null: a
// field that is null is absent. KubeVirt's API requires spec.domain, and so does the schema.

// A typedField is a field with a declared type, as an expression reads it.
type typedField struct {
	there []string // the conditions for the field to exist
	path  string
}

// typedRead returns the field that steps of names and indexes select.
func (t *translator) typedRead(base string, at, steps []step) typedField {
	r := typedField{path: base}
	for i, s := range steps {
		above := slices.Concat(at, steps[:i])
		if s.name == "" {
			index := strconv.Itoa(s.index)
			r.there = append(r.there, "size("+r.path+") > "+index)
			r.path += "[" + index + "]"
			continue
		}
		field := t.member(above, s.name, "")
		switch full := fieldKey(slices.Concat(above, []step{s})); {
		case isMap(fieldKey(above)):
			r.there = append(r.there, strconv.Quote(s.name)+" in "+r.path)
		case full != "spec" && full != "spec.domain":
			r.there = append(r.there, "has("+r.path+field+")")
		}
		r.path += field
	}
	return r
}

// and returns the condition that the field exists and that holds is true.
func (r typedField) and(holds string) string {
	holds = grouped(holds, " || ", " ? ")
	if holds == holdsAlways && len(r.there) > 0 {
		return strings.Join(r.there, " && ")
	}
	return strings.Join(append(slices.Clip(r.there), holds), " && ")
}

// or returns an expression that is holds if the field exists, and absent if it does not.
func (r typedField) or(absent, holds string) string {
	if absent == holdsNever {
		return r.and(holds)
	}
	if absent != holdsAlways {
		return strings.Join(r.there, " && ") + " ? " + grouped(holds, " ? ") + " : " + absent
	}
	var all []string
	for _, condition := range r.there {
		all = append(all, negated(condition))
	}
	return strings.Join(append(all, grouped(holds, " ? ")), " || ")
}

func negated(condition string) string {
	switch {
	case strings.HasPrefix(condition, "has("):
		return "!" + condition
	case strings.HasPrefix(condition, "size("):
		return strings.Replace(condition, " > ", " <= ", 1)
	case strings.HasSuffix(condition, " != 0"):
		return strings.TrimSuffix(condition, " != 0") + " == 0"
	}
	return "!(" + condition + ")"
}

// grouped puts an expression into parentheses if it has one of the operators outside of all
// parentheses, brackets and literals.
func grouped(expression string, operators ...string) string {
	if at, _ := firstOutside(expression, operators...); at >= 0 {
		return "(" + expression + ")"
	}
	return expression
}

// firstOutside returns the index of the first operator outside of all parentheses, brackets and
// literals, and the operator. The index is -1 if there is none.
func firstOutside(expression string, operators ...string) (int, string) {
	depth := 0
	for i := 0; i < len(expression); i++ {
		switch c := expression[i]; {
		case c == '"':
			i += literalEnd(expression[i:], i > 0 && expression[i-1] == 'r')
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		for _, operator := range operators {
			if depth == 0 && strings.HasPrefix(expression[i:], operator) {
				return i, operator
			}
		}
	}
	return -1, ""
}

// literalEnd returns the index of the closing quote of a string literal at the beginning of a
// text.
func literalEnd(literal string, raw bool) int {
	for i := 1; i < len(literal); i++ {
		switch {
		case literal[i] == '\\' && !raw:
			i++
		case literal[i] == '"':
			return i
		}
	}
	return len(literal)
}

// typedAll is all for a CRD.
func (t *translator) typedAll(base string, at, rest []step, absent string) string {
	i := firstEach(rest)
	if i < 0 {
		return t.typedValue(base, at, rest, absent)
	}
	list := t.typedRead(base, at, rest[:i])
	_, item := namesInside(base, rest[:i])
	every := list.path + ".all(" + item + ", " + t.typedAll(item, slices.Concat(at, rest[:i+1]), rest[i+1:], holdsAlways) + ")"
	if absent != holdsNever {
		return list.or(absent, every)
	}
	return list.and(t.typedSome(list, item, at, rest) + " && " + every)
}

// typedExists is exists for a CRD.
func (t *translator) typedExists(base string, at, rest []step) string {
	i := firstEach(rest)
	if i < 0 {
		return t.typedPresent(base, at, rest)
	}
	list := t.typedRead(base, at, rest[:i])
	_, item := namesInside(base, rest[:i])
	return list.and(t.typedSome(list, item, at, rest))
}

// typedSome returns the condition that an item of a list that exists has what the steps behind the
// list select.
func (t *translator) typedSome(list typedField, item string, at, rest []step) string {
	i := firstEach(rest)
	some := t.typedExists(item, slices.Concat(at, rest[:i+1]), rest[i+1:])
	if some == holdsAlways {
		return "size(" + list.path + ") > 0"
	}
	return list.path + ".exists(" + item + ", " + some + ")"
}

// typedPresent is present for a CRD.
func (t *translator) typedPresent(base string, at, rest []step) string {
	if len(rest) > 0 && defaultAt(slices.Concat(at, rest)).Default != nil {
		rest = rest[:len(rest)-1]
	}
	return t.typedRead(base, at, rest).and(holdsAlways)
}

// typedValue is value for a CRD.
func (t *translator) typedValue(base string, at, rest []step, absent string) string {
	r, full := t.typedRead(base, at, rest), slices.Concat(at, rest)
	of := t.typeAt(full)
	holds := t.constrained(r.path, of)
	d := defaultAt(full)
	if d.Default == nil || len(rest) == 0 {
		return r.or(absent, holds)
	}
	unset := t.byDefault(d, of)
	leaf := typedField{there: r.there[len(r.there)-1:], path: r.path}
	if t.zeroMatters(d, unset) {
		leaf.there = append(slices.Clip(leaf.there), r.path+" != 0")
	}
	r.there = r.there[:len(r.there)-1]
	return r.or(absent, leaf.or(unset, holds))
}
