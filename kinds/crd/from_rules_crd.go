package crd

import (
	"slices"
	"strconv"
	"strings"
)

// Of a CRD's rules the API server estimates the cost, by the bounds in the
// schema, which it loses sight of behind an optional. So in this form, fields are
// asked for by has() and read by their path. There is no null: a field with null
// is absent. KubeVirt's API demands spec.domain, and so does the schema.

// A typedField is how a field with a declared type is read: what must be there
// first, and its path.
type typedField struct {
	there []string
	path  string
}

// typedRead reads what steps of names and indexes lead to.
func (t *translator) typedRead(base string, at, steps []step) (typedField, error) {
	r := typedField{path: base}
	for i, s := range steps {
		above := slices.Concat(at, steps[:i])
		if s.name == "" {
			index := strconv.Itoa(s.index)
			r.there = append(r.there, "size("+r.path+") > "+index)
			r.path += "[" + index + "]"
			continue
		}
		field, err := t.member(above, s.name, "")
		if err != nil {
			return r, err
		}
		switch full := fieldKey(slices.Concat(above, []step{s})); {
		case isMap(fieldKey(above)):
			r.there = append(r.there, strconv.Quote(s.name)+" in "+r.path)
		case full != "spec" && full != "spec.domain":
			r.there = append(r.there, "has("+r.path+field+")")
		}
		r.path += field
	}
	return r, nil
}

// and says that a typedField is there and that something holds for it.
func (r typedField) and(holds string) string {
	holds = grouped(holds, " || ", " ? ")
	if holds == holdsAlways && len(r.there) > 0 {
		return strings.Join(r.there, " && ")
	}
	return strings.Join(append(slices.Clip(r.there), holds), " && ")
}

// or says what becomes of a typedField that is there, and of one that is not.
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

// grouped puts an expression into parentheses that has one of the operators
// outside of all it has itself.
func grouped(expression string, operators ...string) string {
	depth := 0
	for i := 0; i < len(expression); i++ {
		switch c := expression[i]; {
		case c == '"':
			i += literalEnd(expression[i:], i > 0 && expression[i-1] == 'r')
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth == 0 && slices.ContainsFunc(operators, func(o string) bool { return strings.HasPrefix(expression[i:], o) }):
			return "(" + expression + ")"
		}
	}
	return expression
}

// literalEnd is where the string literal ends that an expression begins with.
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

// typedAll is all in this form.
func (t *translator) typedAll(base string, at, rest []step, absent string) (string, error) {
	i := slices.IndexFunc(rest, func(s step) bool { return s.each })
	if i < 0 {
		return t.typedValue(base, at, rest, absent)
	}
	list, err := t.typedRead(base, at, rest[:i])
	if err != nil {
		return "", err
	}
	item := t.itemFor(base, rest[:i])
	each, err := t.typedAll(item, slices.Concat(at, rest[:i+1]), rest[i+1:], holdsAlways)
	if err != nil {
		return "", err
	}
	every := list.path + ".all(" + item + ", " + each + ")"
	if absent != holdsNever {
		return list.or(absent, every), nil
	}
	some, err := t.typedExists(item, slices.Concat(at, rest[:i+1]), rest[i+1:])
	if err != nil {
		return "", err
	}
	if some == holdsAlways {
		return list.and("size(" + list.path + ") > 0 && " + every), nil
	}
	return list.and(list.path + ".exists(" + item + ", " + some + ") && " + every), nil
}

// itemFor is what the items of a list are called inside another's.
func (t *translator) itemFor(base string, list []step) string {
	item := "item"
	if len(list) > 0 {
		item = itemOf(list[len(list)-1].name)
	}
	if item == base {
		item += "item"
	}
	return item
}

// typedExists is exists in this form.
func (t *translator) typedExists(base string, at, rest []step) (string, error) {
	i := slices.IndexFunc(rest, func(s step) bool { return s.each })
	if i < 0 {
		return t.typedPresent(base, at, rest)
	}
	list, err := t.typedRead(base, at, rest[:i])
	if err != nil {
		return "", err
	}
	item := t.itemFor(base, rest[:i])
	some, err := t.typedExists(item, slices.Concat(at, rest[:i+1]), rest[i+1:])
	if err != nil {
		return "", err
	}
	if some == holdsAlways {
		return list.and("size(" + list.path + ") > 0"), nil
	}
	return list.and(list.path + ".exists(" + item + ", " + some + ")"), nil
}

// typedPresent is present in this form.
func (t *translator) typedPresent(base string, at, rest []step) (string, error) {
	if len(rest) > 0 && defaultAt(slices.Concat(at, rest)).Default != nil {
		rest = rest[:len(rest)-1]
	}
	r, err := t.typedRead(base, at, rest)
	return r.and(holdsAlways), err
}

// typedValue is value in this form.
func (t *translator) typedValue(base string, at, rest []step, absent string) (string, error) {
	r, err := t.typedRead(base, at, rest)
	if err != nil {
		return "", err
	}
	full := slices.Concat(at, rest)
	of := t.typeAt(full)
	holds, err := t.constrained(r.path, of)
	if err != nil {
		return "", err
	}
	d := defaultAt(full)
	if d.Default == nil || len(rest) == 0 {
		return r.or(absent, holds), nil
	}
	unset, err := t.byDefault(d, of)
	if err != nil {
		return "", err
	}
	leaf := typedField{there: r.there[len(r.there)-1:], path: r.path}
	if d.ZeroIsDefault && (unset != holdsNever || t.holds(0) != holdsNever) {
		leaf.there = append(slices.Clip(leaf.there), r.path+" != 0")
	}
	r.there = r.there[:len(r.there)-1]
	return r.or(absent, leaf.or(unset, holds)), nil
}
