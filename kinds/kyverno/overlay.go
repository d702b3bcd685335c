package kyverno

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kyverno/kyverno/ext/wildcard"
	"github.com/kyverno/kyverno/pkg/engine/anchor"

	"github.com/vmrules/vmrules"
)

// An overlay is a pattern in the form for today's Kyverno, without anything that Kyverno would
// ignore. It is immutable.
type overlay struct {
	root       *node
	conditions []string // the anchors (name) and <(name), sorted
	expands    bool     // whether Kyverno writes into the pattern
}

// A node is one value of a pattern, with what is needed to predict and to explain the result of
// Kyverno.
type node struct {
	pattern any // the value for Kyverno
	size    int // the number of nodes, with this one

	isEmpty bool // whether the pattern is ""

	isMap  bool
	fields []field // sorted by key

	isList bool
	items  []*node // one, or several below ^(name)

	written    string // a string pattern as its author wrote it
	conditions []condition
}

// A field is a member of a map in a pattern.
type field struct {
	key, name string // with and without the anchor
	anchor    anchor.Anchor
	node      *node
}

func (f field) has(t anchor.AnchorType) bool { return anchor.IsOneOf(f.anchor, t) }

// The price of reading a byte of a pattern, in nanoseconds and bytes of a vmrules.Budget. It is high
// because each byte may begin a comparison.
const byteWork, byteSize = 4_000, 60

// readOverlay reads a pattern, and returns all that is wrong with it. It pays for reading first.
// If the budget of the call is spent, it returns nothing.
func readOverlay(s vmrules.RuleSource, raw []byte) (*overlay, []mistake) {
	if s.Spend(time.Duration(len(raw))*byteWork, int64(len(raw))*byteSize) != nil {
		return nil, nil
	}
	var written any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&written) // the text is valid
	if size := pathsIn(written, 0); s.Spend(time.Duration(size), 2*int64(size)) != nil {
		return nil, nil
	}
	r := &overlayReader{conditions: map[string]bool{}, targets: map[string]target{}, room: maxResolved}
	resolved := r.resolve(r.collect(written, nil, ""), nil, "")
	if r.wrong != nil {
		return nil, r.wrong
	}
	root := r.node(resolved, position{})
	if r.wrong != nil {
		return nil, r.wrong
	}
	return &overlay{root, slices.Sorted(maps.Keys(r.conditions)), r.expands}, nil
}

// pathsIn returns the length of the paths of all values in a value together. They are kept in
// memory while references are resolved.
func pathsIn(v any, length int) int {
	size := length
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			size += pathsIn(member, length+len(name)+1)
		}
	case []any:
		for _, item := range v {
			size += pathsIn(item, length+usualIndex)
		}
	}
	return size
}

// usualIndex is the usual length of an index in a path.
const usualIndex = 6

type overlayReader struct {
	wrong      []mistake
	conditions map[string]bool
	expands    bool
	targets    map[string]target // by their paths for Kyverno, without anchors
	room       int               // bytes that resolving references may still write
}

// A position is where in a pattern a node is.
type position struct {
	at       steps // as written
	metadata bool  // whether the node is the value of "metadata"
	labels   bool  // whether it is the value of "labels" or "annotations" in metadata
	isOne    bool  // whether isOneLike, or an item of such a list
}

// in returns the position of a member, by its name without an anchor.
func (p position) in(at steps, name string) position {
	return position{at: at, metadata: name == "metadata", labels: p.metadata && (name == "labels" || name == "annotations")}
}

func (p position) item(i int) position { return position{at: p.at.to(i), isOne: p.isOne} }

func (r *overlayReader) refuse(at steps, format string, args ...any) {
	r.wrong = append(r.wrong, mistake{at: at, message: fmt.Sprintf(format, args...)})
}

// collect converts each number of a pattern to the type that Kyverno's own decoder gives it, and
// collects what references may refer to. It refuses a number that is not exact in that type.
func (r *overlayReader) collect(v any, at steps, path string) any {
	if number, ok := v.(json.Number); ok {
		if v, ok = exactly(string(number)); !ok {
			r.refuse(at, "Kyverno cannot compare the number %s exactly", shortened(string(number)))
		}
	}
	replaceIn(v, at, path, r.collect)
	to := anchor.RemoveAnchorsFromPath(path)
	r.targets[to] = target{v, r.targets[to].count + 1}
	return v
}

// replaceIn replaces each value in a map or list by what a function returns for it. The function gets the
// steps to the value, and its path as Kyverno's references have it.
func replaceIn(v any, at steps, path string, f func(v any, at steps, path string) any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = f(v[key], at.to(key), path+"/"+strings.ReplaceAll(key, "/", `\/`))
		}
	case []any:
		for i, item := range v {
			v[i] = f(item, at.to(i), fmt.Sprintf("%s/%d", path, i))
		}
	}
}

// exactly returns a number as an int64 or else as a float64. It returns false if neither has
// exactly its value.
func exactly(text string) (any, bool) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) > maxNumberLength || f > 1e15 || f < -1e15 {
		return nil, false
	}
	got, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'f', -1, 64))
	want, ok := new(big.Rat).SetString(text)
	return f, ok && got.Cmp(want) == 0
}

// isOneLike reports whether a value is a list whose only item has an existence anchor, in the form of 2019.
func isOneLike(v any) bool {
	list, ok := v.([]any)
	if !ok || len(list) != 1 {
		return false
	}
	item, _ := list[0].(map[string]any)
	for key, value := range item {
		if anchor.IsExistence(anchor.Parse(key)) && !isListOfMaps(value) {
			return true
		}
	}
	return false
}

func isListOfMaps(v any) bool {
	list, ok := v.([]any)
	for _, item := range list {
		_, isMap := item.(map[string]any)
		ok = ok && isMap
	}
	return ok && len(list) > 0
}

func (r *overlayReader) node(v any, p position) *node {
	switch v := v.(type) {
	case map[string]any:
		return r.object(v, p)
	case []any:
		return r.list(v, p, 1)
	case string:
		return r.text(v, p)
	}
	return &node{pattern: v, size: 1}
}

func (r *overlayReader) object(m map[string]any, p position) *node {
	n := &node{isMap: true, size: 1}
	pattern := make(map[string]any, len(m))
	names := map[string]bool{}
	for _, member := range r.membersOf(m, p) {
		f := r.field(member, p)
		if _, ok := pattern[f.key]; ok {
			r.refuse(p.at, "%s is given twice, in different forms: write only one of them", f.name)
			continue
		}
		if names[f.name] && (p.labels || p.metadata || f.name == "metadata") {
			r.refuse(p.at, "%s is given twice, and Kyverno takes any of them: write it once", f.name)
		}
		names[f.name] = true
		if f.node = r.valueOf(f, member.value, p.in(member.at, f.name)); f.node == nil {
			continue
		}
		n.fields = append(n.fields, f)
		n.size += f.node.size
		pattern[f.key] = f.node.pattern
	}
	slices.SortFunc(n.fields, func(a, b field) int { return strings.Compare(a.key, b.key) })
	n.pattern = pattern
	r.expands = r.expands || p.labels
	return n
}

// A member is a member of an object in the form for today's Kyverno.
type member struct {
	key   string
	value any
	at    steps // as written
}

// membersOf returns the members of an object. It moves the existence anchor from the item of a list,
// where the page of 2019 has it, to the list. It means that the list must exist, and that one of its
// items must match the pattern.
func (r *overlayReader) membersOf(m map[string]any, p position) (all []member) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value, at := m[key], p.at.to(key)
		switch a := anchor.Parse(key); {
		case p.isOne && anchor.IsExistence(a) && !isListOfMaps(value):
			all = append(all, member{a.Key(), value, at}) // the list has the anchor
		case !isOneLike(value):
			all = append(all, member{key, value, at})
		case a == nil:
			all = append(all, member{key, "*", at}, member{anchor.String(anchor.Existence, key), value, at})
		case anchor.IsEquality(a):
			all = append(all, member{anchor.String(anchor.Existence, a.Key()), value, at})
		default:
			r.refuse(at, "a list with the anchor of %s cannot also have an item with an existence anchor ^(…): write only one of them", key)
		}
	}
	return all
}

func (r *overlayReader) field(m member, p position) field {
	f := field{key: m.key, name: m.key, anchor: anchor.Parse(m.key)}
	if f.anchor != nil {
		f.name = f.anchor.Key()
	}
	switch {
	case f.has(anchor.AddIfNotPresent):
		r.refuse(m.at, "the anchor +(…) has no effect, because it is for mutation: remove it")
	case f.anchor == nil && strings.HasSuffix(m.key, ")") && strings.Contains(m.key, "("):
		r.refuse(m.at, "the anchor is not known: write (name), =(name), ^(name), X(name) or <(name)")
	case f.has(anchor.Condition), f.has(anchor.Global):
		r.conditions[f.anchor.String()] = true
	}
	if wildcard.ContainsWildcard(f.name) {
		r.refuse(m.at, "wildcards in a name are not supported, also not in that of a label or annotation: write the whole name")
	}
	r.phrases(m.key, m.at)
	if text, _ := m.value.(string); p.labels && text == "" && !f.has(anchor.Negation) {
		r.refuse(m.at, "Kyverno ignores a label or annotation whose pattern is not a text, and an empty one matches more: "+
			"put it in quotes, or write X(%s) for one that must not be set", f.name)
	}
	return f
}

// valueOf reads the value of a field, which depends on its anchor. It returns nil after a
// problem.
func (r *overlayReader) valueOf(f field, value any, p position) *node {
	switch {
	case f.has(anchor.Negation):
		if value != nil && value != "null" {
			r.refuse(p.at, `X(%s) means that the field must not be set to any value: write "X(%s)": "null"`, f.name, f.name)
			return nil
		}
		return &node{pattern: "null", size: 1}
	case f.has(anchor.Existence):
		if !isListOfMaps(value) {
			r.refuse(p.at, "^(%s) needs a list of objects, or must be in the only item of a list", f.name)
			return nil
		}
		p.isOne = isOneLike(value)
		return r.list(value.([]any), p, len(value.([]any)))
	}
	return r.node(value, p)
}

// list reads a list. It has one item, which all items of the value must match. Kyverno would
// ignore further items.
func (r *overlayReader) list(list []any, p position, most int) *node {
	n := &node{isList: true, size: 1}
	switch {
	case len(list) == 0:
		r.refuse(p.at, "the list is empty: write one item, which all items must match")
	case len(list) > most:
		r.refuse(p.at, "the list has %d items, of which Kyverno reads only the first: write one item, which all items must match", len(list))
	}
	var pattern []any
	for i, item := range list {
		if _, ok := item.([]any); ok {
			r.refuse(p.at, "a list of lists is not supported: write a list of objects or scalars")
			continue
		}
		made := r.node(item, p.item(i))
		n.items = append(n.items, made)
		n.size += made.size
		pattern = append(pattern, made.pattern)
	}
	n.pattern = pattern
	return n
}

func (r *overlayReader) text(s string, p position) *node {
	if s == "" {
		return &node{pattern: nil, size: 1, isEmpty: true} // today's form of "missing or empty"
	}
	r.phrases(s, p.at)
	conditions, pattern, wrong := readConditions(s)
	for _, message := range wrong {
		r.refuse(p.at, "%s", message)
	}
	return &node{pattern: pattern, size: 1, written: s, conditions: conditions}
}

// phrases refuses a text that would make Kyverno read a failure as an unmet condition. It also
// refuses variables.
func (r *overlayReader) phrases(s string, at steps) {
	if phrase := phraseIn(s); phrase != "" {
		r.refuse(at, "a pattern must not contain %q, by which Kyverno recognizes its own errors", phrase)
	}
	if strings.Contains(s, "{{") {
		r.refuse(at, "variables {{ }} are not evaluated: %s", shortened(strconv.Quote(s)))
	}
}
