package kyverno

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-logr/logr"
	"github.com/kyverno/kyverno/pkg/engine/anchor"
	"github.com/kyverno/kyverno/pkg/engine/pattern"
	"github.com/kyverno/kyverno/pkg/engine/validate"

	"github.com/vmrules/vmrules"
)

// A place is where in value and pattern Kyverno gave up.
type place struct {
	below []any
	field field // by which the pattern came there; none at the root and in lists
	node  *node
	value any
}

// explain says in the user's words what Kyverno's error is about.
func (n *node) explain(failed *validate.PatternError, value any) finding {
	root := place{node: n, value: value}
	path := failed.Path
	if path == "" { // where an anchor's field is not there either, the path is only in the text
		path = pathIn(failed.Error())
	}
	at, ok := root.follow(strings.TrimPrefix(path, "/"))
	if !ok {
		return finding{outcome: vmrules.Violated, detail: vague}
	}
	at = at.closer()
	reason, detail := at.mismatch()
	return finding{outcome: vmrules.Violated, below: at.below, reason: reason, detail: detail}
}

// vague is said where the place cannot be found.
const vague = "the value does not match the pattern"

func pathIn(text string) string {
	if rest, ok := strings.CutSuffix(text, " not found"); ok {
		return strings.Replace(rest, "//", "/", 1) + "/"
	}
	for _, around := range [][2]string{
		{" at path ", ", resource does not satisfy the expected overlay pattern"}, {" Path: ", ". Expected "}, {" at path ", ""},
	} {
		before, after := around[0], around[1]
		if i := strings.LastIndex(text, before); i >= 0 {
			path := text[i+len(before):]
			if end := strings.LastIndex(path, after); end >= 0 {
				return path[:end]
			}
		}
	}
	return ""
}

// follow finds the place that a path of Kyverno's leads to, in which names and
// indexes end with a slash. Names may hold slashes themselves, so the pattern
// decides where they end.
func (p place) follow(path string) (place, bool) {
	if path == "" {
		return p, !p.holds()
	}
	if p.node.isList {
		digits, rest, _ := strings.Cut(path, "/")
		i, err := strconv.Atoi(digits)
		list, _ := p.value.([]any)
		if err != nil || i < 0 || i >= len(list) {
			return p, false
		}
		return p.item(i, p.node.items[0], list[i]).follow(rest)
	}
	m, _ := p.value.(map[string]any)
	for _, f := range p.node.fields {
		for _, name := range f.names(m) {
			rest, ok := strings.CutPrefix(path, name+"/")
			if !ok {
				continue
			}
			if found, ok := p.child(f, name, m).follow(rest); ok {
				return found, true
			}
		}
	}
	return p, false
}

// holds reports whether a text is at the place that is right, so that the path must
// mean another one.
func (p place) holds() bool {
	_, isText := p.node.pattern.(string)
	return isText && !p.field.has(anchor.Negation) && pattern.Validate(logr.Discard(), p.value, p.node.pattern)
}

// names are those by which Kyverno may have come to a field.
func (f field) names(m map[string]any) []string {
	names := []string{f.name}
	if f.isWild() {
		for name := range m {
			names = append(names, name)
		}
	}
	return names
}

func (p place) child(f field, name string, m map[string]any) place {
	return place{append(slices.Clip(p.below), name), f, f.node, m[name]}
}

func (p place) item(i int, n *node, v any) place {
	return place{append(slices.Clip(p.below), i), field{}, n, v}
}

// closer goes on to where the error is, which Kyverno's path stops short of: a
// field that "*" does not find, and the item of a list.
func (p place) closer() place {
	m, isMap := p.value.(map[string]any)
	if p.node.isMap && isMap {
		for _, f := range p.node.fields {
			if f.anchor == nil && f.node.pattern == "*" && m[f.name] == nil {
				return p.child(f, f.name, m)
			}
		}
	}
	list, isList := p.value.([]any)
	n := p.node
	if n.isList && !p.field.has(anchor.Existence) {
		n = n.items[0]
	}
	if isList && !n.isMap && !n.isList {
		for i, item := range list {
			if !pattern.Validate(logr.Discard(), item, n.pattern) {
				return p.item(i, n, item)
			}
		}
	}
	return p
}

// mismatch says what is wrong at a place.
func (p place) mismatch() (vmrules.Reason, string) {
	_, isMap := p.value.(map[string]any)
	_, isList := p.value.([]any)
	n := p.node
	switch {
	case p.field.has(anchor.Negation):
		return vmrules.ReasonForbidden, "must not be set"
	case p.value == nil && p.field.isWild():
		return vmrules.ReasonRequired, fmt.Sprintf("no name is like %s", p.field.name)
	case p.value == nil:
		return vmrules.ReasonRequired, "not set" + n.wish()
	case n.isMap && !isMap:
		return vmrules.ReasonTypeInvalid, show(p.value) + " is not an object"
	case n.isList && !isList:
		return vmrules.ReasonTypeInvalid, show(p.value) + " is not a list"
	case p.field.has(anchor.Existence):
		return vmrules.ReasonInvalid, "no item matches the pattern " + show(n.items[0].pattern)
	case n.isMap || n.isList:
		return vmrules.ReasonInvalid, "does not match the pattern " + show(n.pattern)
	case n.pattern == nil || n.pattern == "":
		return vmrules.ReasonForbidden, "must not be set, or be empty"
	}
	return vmrules.ReasonInvalid, fmt.Sprintf("%s does not match the pattern %s", show(p.value), n.show())
}

// wish is what a field that is not set would have to be.
func (n *node) wish() string {
	if n.isMap || n.isList || n.pattern == nil || n.pattern == "" || n.pattern == "*" {
		return ""
	}
	return ", the pattern asks for " + n.show()
}

// show is the pattern as its author wrote it.
func (n *node) show() string {
	if n.written != "" {
		return show(n.written)
	}
	return show(n.pattern)
}

// show is the beginning of a value as JSON. No more of it is written than is shown.
func show(v any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	left := maxShown
	if err := encoder.Encode(beginning(v, &left)); err != nil {
		return "the value"
	}
	return shortened(strings.TrimSpace(text.String()))
}

// beginning is a value with the first of the values in it, of which each takes a
// character at least.
func beginning(v any, left *int) any {
	*left--
	switch v := v.(type) {
	case string:
		return cut(v)
	case json.Number:
		return json.Number(v[:min(len(v), maxShown+1)])
	case []any:
		list := []any{}
		for i := 0; i < len(v) && *left > 0; i++ {
			list = append(list, beginning(v[i], left))
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *left <= 0 {
				break
			}
			m[cut(name)] = beginning(v[name], left)
		}
		return m
	}
	return v
}

// cut is a text, or more of it than is shown.
func cut(text string) string {
	const most = utf8.UTFMax * (maxShown + 1)
	if len(text) <= most {
		return text
	}
	return text[:most]
}
