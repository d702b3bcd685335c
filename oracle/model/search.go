package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// A match is a value and where it is from the rules' $.
type match struct {
	location location
	value    any
	// settable is the field here that an instance type or a preference may set,
	// or that has such fields below; nil for none.
	settable *settable
	// unknown is for a value that one of them may set or change.
	unknown bool
	// assumed is for a default, of which wildcards and ".." see nothing.
	assumed bool
}

// A search finds what paths select below one $.
type search struct {
	defaults   []existing
	implied    *settable
	inTemplate bool
}

// A doubt is why a path may select more than what was found.
type doubt struct {
	parameter bool // of the template, which is not filled in
	reference bool // the VM's instance type or preference may set it
}

func (d *doubt) add(e doubt) {
	d.parameter = d.parameter || e.parameter
	d.reference = d.reference || e.reference
}

// A walk is one search for one path.
type walk struct {
	*search
	doubt doubt
}

// find returns what a path selects, each location once, in document order, and
// whether there may be more.
func (s *search) find(root any, p path) ([]match, doubt) {
	w := &walk{search: s}
	found := w.follow(match{value: root, settable: s.implied}, p.steps)
	return found, w.doubt
}

func (w *walk) follow(from match, steps []step) []match {
	current := []match{from}
	for _, s := range steps {
		var next []match
		for _, m := range current {
			next = append(next, w.step(m, s)...)
		}
		current = once(next)
	}
	return slices.DeleteFunc(current, func(m match) bool {
		w.doubt.reference = w.doubt.reference || m.unknown
		return m.unknown
	})
}

// once sorts by location and drops what is there twice.
func once(found []match) []match {
	slices.SortStableFunc(found, func(a, b match) int { return a.location.compare(b.location) })
	return slices.CompactFunc(found, func(a, b match) bool { return a.location.compare(b.location) == 0 })
}

func (w *walk) step(m match, s step) []match {
	w.below(m.value)
	from := []match{m}
	if s.descend {
		from = w.withAllBelow(m)
	}
	var found []match
	for _, m := range from {
		for _, p := range s.picks {
			found = append(found, w.pick(m, p, s.descend)...)
		}
	}
	return found
}

func (w *walk) withAllBelow(m match) []match {
	w.below(m.value)
	found := []match{m}
	if m.unknown && m.settable.has("*") {
		return found
	}
	for _, c := range w.children(m) {
		found = append(found, w.withAllBelow(c)...)
	}
	return found
}

func (w *walk) pick(m match, p pick, descending bool) []match {
	switch p.kind {
	case byName:
		return w.member(m, p.name, !descending)
	case allMembers:
		return w.children(m)
	}
	if m.unknown {
		return m.settable.unknownBelow(m, anyItem)
	}
	items, ok := m.value.([]any)
	if !ok {
		return nil
	}
	var found []match
	if w.mayGrow(m, p) && p.fromEnd() {
		return nil
	}
	for _, i := range w.indexes(p, m, items) {
		if items[i] != nil {
			found = append(found, below(m, i, items[i]))
		}
	}
	return found
}

// member returns the member of a name. What the name stands for counts as its
// default if the object does not have it, unless ".." finds it (design 4: Fields
// that always exist).
func (w *walk) member(m match, name string, withDefault bool) []match {
	if m.unknown {
		return m.settable.unknownBelow(m, name)
	}
	members, ok := m.value.(map[string]any)
	if !ok {
		w.mayGrow(m, pick{kind: byName})
		return nil
	}
	v := members[name]
	if v == nil && w.openNames(members) {
		w.doubt.parameter = true
		return nil
	}
	c := below(m, name, v)
	if c.unknown || v == nil && c.settable.appears(members) {
		c.unknown = true
		return []match{c}
	}
	if withDefault {
		c.value = w.orDefault(c.location, v)
		c.assumed = v == nil
	}
	if c.value == nil {
		return nil
	}
	return []match{c}
}

// children returns all members of an object or items of an array, as they are
// written, and the members that an instance type or a preference may add.
func (w *walk) children(m match) []match {
	if m.unknown {
		return m.settable.allUnknownBelow(m)
	}
	if m.assumed {
		return nil
	}
	var found []match
	switch v := m.value.(type) {
	case []any:
		w.mayGrow(m, pick{kind: allItems})
		for i, item := range v {
			if item != nil {
				found = append(found, below(m, i, item))
			}
		}
	case map[string]any:
		w.doubt.parameter = w.doubt.parameter || w.openNames(v)
		for name, value := range v {
			if value != nil {
				found = append(found, below(m, name, value))
			}
		}
		for _, c := range m.settable.allUnknownBelow(m) {
			if name := c.location[len(c.location)-1].(string); v[name] == nil && c.settable.appears(v) {
				found = append(found, c)
			}
		}
	}
	return found
}

// below returns what is at a name or index of m.
func below(m match, part, v any) match {
	c := match{location: m.location.with(part), value: v, settable: m.settable.child(part, m.unknown)}
	if v != nil && c.settable.changes(v, object(m.value)) {
		c.unknown, c.value = true, nil
	}
	return c
}

// openNames reports whether an object in a template has a name with a parameter,
// which may be any name (doc.go: Where rules apply).
func (w *search) openNames(members map[string]any) bool {
	for name := range members {
		if w.unfilled(name) {
			return true
		}
	}
	return false
}

// A parameter in two braces may become a value of any type.
var (
	parameter    = regexp.MustCompile(`\$\{[a-zA-Z0-9_]+\}|\$\{\{[a-zA-Z0-9_]+\}\}`)
	anyParameter = regexp.MustCompile(`^\$\{\{[a-zA-Z0-9_]+\}\}$`)
)

// unfilled reports whether a value is a string with a parameter of the template
// that is not filled in.
func (w *search) unfilled(v any) bool {
	return w.inTemplate && parameter.MatchString(text(v))
}

// below notes that nobody knows what is below a parameter that may become an
// object.
func (w *walk) below(v any) {
	if w.inTemplate && anyParameter.MatchString(text(v)) {
		w.doubt.parameter = true
	}
}

// mayGrow reports, and notes, that items may be added to an array, unless a pick
// is an index from its beginning and the item is there.
func (w *walk) mayGrow(m match, p pick) bool {
	items, isArray := m.value.([]any)
	if !isArray || m.settable == nil || m.settable.members[addedItem] == nil {
		return false
	}
	if p.kind == byIndex && !p.fromEnd() && *p.start < len(items) {
		return false
	}
	w.doubt.reference = true
	return true
}

// fromEnd reports whether a pick counts from the end of the array.
func (p pick) fromEnd() bool {
	return p.start != nil && *p.start < 0 || p.end != nil && *p.end < 0
}

// indexes returns the items of an array that an index, a slice, [*] or a filter
// selects.
func (w *walk) indexes(p pick, m match, items []any) []int {
	n := len(items)
	start, end, stride := 0, n, 1
	switch p.kind {
	case byIndex:
		start = fromEnd(*p.start, n)
		end = start + 1
	case bySlice:
		if p.start != nil {
			start = fromEnd(*p.start, n)
		}
		if p.end != nil {
			end = fromEnd(*p.end, n)
		}
		stride = p.stride
	}
	if start < 0 || end > n { // beyond the array: nothing (doc.go: JSONPath)
		return nil
	}
	var selected []int
	for i := start; i < end; i += stride {
		if p.kind != byFilter || w.passes(below(m, i, items[i]), p.filter) {
			selected = append(selected, i)
		}
	}
	return selected
}

func fromEnd(i, n int) int {
	if i < 0 {
		return i + n
	}
	return i
}

// passes reports whether an item matches a filter. Absent operands, several
// values, and values of different types do not match (doc.go: JSONPath).
func (w *walk) passes(item match, f filter) bool {
	if item.value == nil {
		return false
	}
	left, leftDoubt := w.operand(item, f.left)
	if f.op == "" {
		if len(left) == 0 {
			w.doubt.add(leftDoubt)
		}
		return len(left) > 0
	}
	right, rightDoubt := w.operand(item, f.right)
	if never(left, leftDoubt) || never(right, rightDoubt) {
		return false
	}
	if len(left) == 1 && len(right) == 1 {
		switch {
		case w.open(left[0], right[0]) || w.open(right[0], left[0]):
			w.doubt.parameter = true
			return false
		case !holds(left[0], f.op, right[0]):
			return false
		}
	}
	w.doubt.add(leftDoubt)
	w.doubt.add(rightDoubt)
	return leftDoubt == doubt{} && rightDoubt == doubt{}
}

// never reports whether an operand matches nothing, also if it selects more than
// is known.
func never(values []any, d doubt) bool {
	if len(values) == 1 {
		_, scalar := render(values[0])
		return !scalar
	}
	return len(values) > 1 || d == doubt{}
}

// open reports whether nobody knows how a compares with b, since a has a parameter.
// One that stays a string equals nothing of another type.
func (w *walk) open(a, b any) bool {
	_, both := b.(string)
	return w.unfilled(a) && (both || anyParameter.MatchString(text(a)))
}

func (w *walk) operand(item match, o operand) ([]any, doubt) {
	if !o.isPath {
		return []any{o.literal}, doubt{}
	}
	inner := &walk{search: w.search}
	var values []any
	for _, m := range inner.follow(item, o.steps) {
		values = append(values, m.value)
	}
	return values, inner.doubt
}

// holds reports whether two scalars of one type stand in a relation; booleans are
// only equal or not.
func holds(a any, op string, b any) bool {
	var c int
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		if !ok {
			return false
		}
		c = strings.Compare(x, y)
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		c = number(x).Cmp(number(y))
	case bool:
		y, ok := b.(bool)
		return ok && (op == "==" && x == y || op == "!=" && x != y)
	default:
		return false
	}
	switch op {
	case "==":
		return c == 0
	case "!=":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}
