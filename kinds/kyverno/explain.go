package kyverno

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	"github.com/kyverno/kyverno/pkg/engine/anchor"
	"github.com/kyverno/kyverno/pkg/engine/pattern"
	"github.com/kyverno/kyverno/pkg/engine/validate"

	"github.com/vmrules/vmrules"
)

// A place is a place in a value, and the node of the pattern for it.
type place struct {
	below steps // from the value that is checked
	field field // the field of the pattern that led here; zero at the root and in lists
	node  *node
	value any
}

// explain returns the steps from a value to the place that Kyverno's error is about, and what is wrong
// there.
func (n *node) explain(failed *validate.PatternError, value any) (below steps, reason vmrules.Reason, detail string) {
	root := place{node: n, value: value}
	path := failed.Path
	if path == "" { // for an anchor whose field is missing, the path is only in the text
		path = pathIn(failed.Error())
	}
	at, ok := root.follow(strings.TrimPrefix(path, "/"))
	if !ok {
		return nil, "", vague
	}
	at = at.closer()
	reason, detail = at.mismatch()
	return at.below, reason, detail
}

// vague is the detail if the place cannot be found.
const vague = "the value does not match the pattern"

// pathIn returns the path in the text of an error of Kyverno, or "" if it has none.
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

// follow returns the place of a path of Kyverno, in which each name and index ends with a slash.
// Names may contain slashes: the fields of the pattern show where a name ends.
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
		rest, ok := strings.CutPrefix(path, f.name+"/")
		if !ok {
			continue
		}
		if found, ok := p.child(f, m).follow(rest); ok {
			return found, true
		}
	}
	return p, false
}

// holds reports whether the value at the place matches a string pattern. Kyverno's error must
// then be about another place.
func (p place) holds() bool {
	_, isText := p.node.pattern.(string)
	return isText && !p.field.has(anchor.Negation) && pattern.Validate(logr.Discard(), p.value, p.node.pattern)
}

func (p place) child(f field, m map[string]any) place {
	return place{p.below.to(f.name), f, f.node, m[f.name]}
}

func (p place) item(i int, n *node, v any) place {
	return place{p.below.to(i), field{}, n, v}
}

// closer returns the exact place of an error. Kyverno's path ends above it if a field for "*" is
// missing, or if an item of a list does not match.
func (p place) closer() place {
	m, isMap := p.value.(map[string]any)
	if p.node.isMap && isMap {
		for _, f := range p.node.fields {
			if f.anchor == nil && f.node.pattern == "*" && m[f.name] == nil {
				return p.child(f, m)
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

func (p place) mismatch() (vmrules.Reason, string) {
	_, isMap := p.value.(map[string]any)
	_, isList := p.value.([]any)
	n := p.node
	switch {
	case p.field.has(anchor.Negation):
		return vmrules.ReasonForbidden, "must not be set"
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
	case n.pattern == nil:
		return vmrules.ReasonForbidden, "must be empty or not set"
	}
	return vmrules.ReasonInvalid, fmt.Sprintf("%s does not match the pattern %s", show(p.value), n.show())
}

// wish returns what the pattern asks of a field that is not set.
func (n *node) wish() string {
	if n.isMap || n.isList || n.pattern == nil || n.pattern == "*" {
		return ""
	}
	return ", but the pattern asks for " + n.show()
}

// show returns the pattern as its author wrote it.
func (n *node) show() string {
	if n.written != "" {
		return show(n.written)
	}
	return show(n.pattern)
}

// show returns the beginning of a value as JSON. It encodes only that part.
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

// beginning returns a value with only the first of the values in it. Each of them takes at least
// one character of what is left.
func beginning(v any, left *int) any {
	*left--
	switch v := v.(type) {
	case string:
		return shortened(v)
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
			m[shortened(name)] = beginning(v[name], left)
		}
		return m
	}
	return v
}
