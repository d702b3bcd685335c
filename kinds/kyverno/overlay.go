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

	"github.com/kyverno/kyverno/ext/wildcard"
	"github.com/kyverno/kyverno/pkg/engine/anchor"

	"github.com/vmrules/vmrules"
)

// An overlay is a pattern that was read: in the form that today's Kyverno takes,
// with nothing in it that Kyverno would pass over. It is immutable.
type overlay struct {
	root       *node
	conditions []string // the anchors (name) and <(name), sorted
	expands    bool     // Kyverno writes into the pattern
}

// A node is one value of a pattern, with what is needed to foresee and to
// explain what Kyverno makes of it.
type node struct {
	pattern any // for Kyverno
	size    int // how many nodes there are, itself among them

	isMap  bool
	fields []field // sorted by key

	isList bool
	items  []*node // one, or several below ^(name)

	written    string // of a string: what the author wrote
	conditions []condition
}

// A field is a member of a map in a pattern.
type field struct {
	key, name string // as it is written, and without its anchor
	anchor    anchor.Anchor
	inLabels  bool // the name may have wildcards
	node      *node
}

func (f field) has(t anchor.AnchorType) bool { return anchor.IsOneOf(f.anchor, t) }

func (f field) isWild() bool { return f.inLabels && wildcard.ContainsWildcard(f.name) }

// What reading a pattern takes for each of its bytes, in the units of a
// vmrules.Budget: any of them may begin a comparison.
const byteWork, byteSize = 4_000, 60

// readOverlay reads a pattern, or says all that is wrong with it. What it takes is
// paid for first; where the budget of the call does not suffice, there is no
// overlay.
func readOverlay(s vmrules.RuleSource, raw []byte) (*overlay, []string) {
	if s.Spend(len(raw)*byteWork, len(raw)*byteSize) != nil {
		return nil, nil
	}
	var written any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&written); err != nil {
		return nil, []string{"the pattern is not JSON: " + err.Error()}
	}
	if size := pathsIn(written, 0); s.Spend(size, 2*size) != nil {
		return nil, nil
	}
	r := &overlayReader{conditions: map[string]bool{}}
	resolved := r.resolve(r.numbers(written, ""))
	if r.wrong != nil {
		return nil, r.wrong
	}
	root := r.node(r.existence(resolved, ""), position{})
	if r.wrong != nil {
		return nil, r.wrong
	}
	return &overlay{root, slices.Sorted(maps.Keys(r.conditions)), r.expands}, nil
}

// pathsIn is how long the paths of all values in a value are together: they are
// kept while its references are resolved.
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

// usualIndex is how long an index is in a path.
const usualIndex = 6

type overlayReader struct {
	wrong      []string
	conditions map[string]bool
	expands    bool
}

// A position is where in a pattern a node is.
type position struct {
	at       string // "" at the root
	inList   bool
	metadata bool // it is the value of "metadata"
	labels   bool // it is the value of "labels" or "annotations" in that
}

func (p position) in(name string) position {
	return position{
		at: below(p.at, name), inList: p.inList, metadata: name == "metadata",
		labels: p.metadata && (name == "labels" || name == "annotations"),
	}
}

func (p position) item(i int) position {
	return position{at: fmt.Sprintf("%s[%d]", p.at, i), inList: true}
}

func below(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func (r *overlayReader) refuse(at, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if at != "" {
		message = at + ": " + message
	}
	r.wrong = append(r.wrong, message)
}

// numbers gives every number of a pattern the type that Kyverno's own decoder
// gives it. One that the type does not hold exactly is refused.
func (r *overlayReader) numbers(v any, at string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = r.numbers(v[key], below(at, key))
		}
	case []any:
		for i, item := range v {
			v[i] = r.numbers(item, fmt.Sprintf("%s[%d]", at, i))
		}
	case json.Number:
		n, ok := exactly(string(v))
		if !ok {
			r.refuse(at, "Kyverno cannot compare the number %s exactly", shortened(string(v)))
		}
		return n
	}
	return v
}

// exactly is a number as int64, or else as float64 with the very same decimal
// digits.
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

// existence rewrites the existence anchor inside the item of a list, as the page
// of 2019 has it, to the one of today, which is on the list: the list must be
// there, and one of its items has to be like the pattern.
func (r *overlayReader) existence(v any, at string) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			value := r.existence(v[key], below(at, key))
			if item, ok := r.oneLike(value); ok {
				r.oneOf(m, v, key, item, below(at, key))
				continue
			}
			m[key] = value
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = r.existence(item, fmt.Sprintf("%s[%d]", at, i))
		}
		return list
	}
	return v
}

// oneOf puts the pattern of one item into m.
func (r *overlayReader) oneOf(m, written map[string]any, key string, item map[string]any, at string) {
	name, a := key, anchor.Parse(key)
	switch {
	case a == nil:
		m[name] = "*"
	case anchor.IsEquality(a):
		name = a.Key()
	default:
		r.refuse(at, "a list below %s cannot also have an item with an existence anchor ^(…)", key)
		return
	}
	today := anchor.String(anchor.Existence, name)
	if _, ok := written[today]; ok {
		r.refuse(at, "there is a %s too, and both say what one item is like", today)
		return
	}
	plain := make(map[string]any, len(item))
	for k, value := range item {
		if a := anchor.Parse(k); anchor.IsExistence(a) && !isListOfMaps(value) {
			k = a.Key()
		}
		if _, ok := plain[k]; ok {
			r.refuse(at, "an item has both %s and ^(%s)", k, k)
		}
		plain[k] = value
	}
	m[today] = []any{plain}
}

// oneLike is the item of a list that has an existence anchor as of 2019.
func (r *overlayReader) oneLike(v any) (map[string]any, bool) {
	list, ok := v.([]any)
	if !ok || len(list) != 1 {
		return nil, false
	}
	item, ok := list[0].(map[string]any)
	for key, value := range item {
		if anchor.IsExistence(anchor.Parse(key)) && !isListOfMaps(value) {
			return item, ok
		}
	}
	return nil, false
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
	for _, key := range slices.Sorted(maps.Keys(m)) {
		f, value := r.field(key, m[key], p)
		if names[f.name] && (p.labels || p.metadata || f.name == "metadata") {
			r.refuse(p.at, "%s stands here twice, of which Kyverno takes either", f.name)
		}
		names[f.name] = true
		if f.node = r.valueOf(f, value, p.in(f.name)); f.node == nil {
			continue
		}
		n.fields = append(n.fields, f)
		n.size += f.node.size
		pattern[f.key] = f.node.pattern
	}
	n.pattern = pattern
	r.expands = r.expands || p.labels
	return n
}

// field reads a key of a pattern.
func (r *overlayReader) field(key string, value any, p position) (field, any) {
	f := field{key: key, name: key, inLabels: p.labels, anchor: anchor.Parse(key)}
	at := below(p.at, key)
	if f.anchor != nil {
		f.name = f.anchor.Key()
	}
	switch {
	case f.has(anchor.AddIfNotPresent):
		r.refuse(at, "the anchor +(…) is for mutation, a validation has no use for it")
	case f.anchor == nil && strings.HasSuffix(key, ")") && strings.Contains(key, "("):
		r.refuse(at, "there is no such anchor; those of Kyverno are (name), =(name), ^(name), X(name) and <(name)")
	case f.has(anchor.Condition), f.has(anchor.Global):
		r.conditions[f.anchor.String()] = true
	}
	if wildcard.ContainsWildcard(f.name) {
		r.wildName(f, at, p)
	}
	r.phrases(key, at)
	if p.labels {
		return r.label(f, value, at)
	}
	return f, value
}

func (r *overlayReader) wildName(f field, at string, p position) {
	switch {
	case !p.labels:
		r.refuse(at, "only names of metadata.labels and metadata.annotations may have wildcards")
	case p.inList:
		r.refuse(at, "names of labels or annotations below a list may have no wildcards: Kyverno expands them for the first item alone")
	}
}

// label reads a member of metadata.labels or metadata.annotations. There Kyverno
// drops every member whose pattern is not a string.
func (r *overlayReader) label(f field, value any, at string) (field, any) {
	switch value.(type) {
	case string:
		if value != "" {
			return f, value
		}
	case nil:
	default:
		r.refuse(at, "Kyverno ignores a label or annotation whose pattern is not a string: put it in quotes")
		return f, value
	}
	switch {
	case f.has(anchor.Negation):
		return f, "null"
	case f.anchor == nil:
		f.anchor = anchor.New(anchor.Equality, f.name)
		f.key = f.anchor.String()
	}
	return f, value
}

// valueOf reads what an anchor allows for; nil after a problem.
func (r *overlayReader) valueOf(f field, value any, p position) *node {
	switch {
	case f.has(anchor.Negation):
		if value != nil && value != "null" {
			r.refuse(p.at, `X(%s) says that the field must not be there, whatever its value: write "X(%s)": "null"`, f.name, f.name)
			return nil
		}
		return &node{pattern: "null", size: 1}
	case f.has(anchor.Existence):
		if !isListOfMaps(value) {
			r.refuse(p.at, "^(%s) needs a list of objects, or has to stand in the only item of a list that is below a name", f.name)
			return nil
		}
		return r.list(value.([]any), p, len(value.([]any)))
	}
	n := r.node(value, p)
	if f.inLabels && n.pattern == nil {
		n.pattern = "" // null would be passed over
	}
	return n
}

// list reads a list. All items of the value have to be like the one item of the
// pattern; Kyverno would not look at more.
func (r *overlayReader) list(list []any, p position, most int) *node {
	n := &node{isList: true, size: 1}
	switch {
	case len(list) == 0:
		r.refuse(p.at, "a list needs an item, which says what the items are like")
	case len(list) > most:
		r.refuse(p.at, "of the %d items Kyverno takes the first alone: write one, which all items must be like", len(list))
	}
	var pattern []any
	for i, item := range list {
		if _, ok := item.([]any); ok {
			r.refuse(p.at, "a list of lists cannot be matched item by item")
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

// text reads a pattern that is a string.
func (r *overlayReader) text(s string, p position) *node {
	if s == "" {
		return &node{pattern: nil, size: 1} // which today is the one for "not there, or empty"
	}
	r.phrases(s, p.at)
	conditions, pattern, wrong := readConditions(s)
	for _, message := range wrong {
		r.refuse(p.at, "%s", message)
	}
	return &node{pattern: pattern, size: 1, written: s, conditions: conditions}
}

// phrases refuses what would make Kyverno take a failure for a condition that is
// not met.
func (r *overlayReader) phrases(s, at string) {
	if phrase := phraseIn(s); phrase != "" {
		r.refuse(at, "a pattern cannot hold the words %q, by which Kyverno recognises its own errors", phrase)
	}
	if strings.Contains(s, "{{") {
		r.refuse(at, "variables {{ }} are not evaluated: %s", shortened(strconv.Quote(s)))
	}
}
