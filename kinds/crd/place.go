package crd

import (
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
)

// maxPath is the largest length in bytes of a field path that locate reads.
const maxPath = 1024

// maxTries is the number of names that locate looks up: names may contain dots, so that a
// long path can be read in more ways than can be tried.
const maxTries = 2000

// locate returns the place of a field path of Kubernetes, as names and indexes. Such a path
// is ambiguous, because names may contain dots and brackets: spec.a[b].c may be one name or
// several. So locate tries each way to read the path: on the value, and for fields that the
// value does not have, on the schema.
//
// If the path has several places, locate prefers those in the value. If missing is true,
// which means that the error is about a missing field, it prefers those in the schema only.
// If there is still more than one place, it returns the steps that all of them begin with,
// and ambiguous is true. If there is none, it returns the longest part of the path that is in the
// value and, for a missing field, its name.
func locate(path string, value any, s *apiextensions.JSONSchemaProps, missing bool) (steps []any, ambiguous bool) {
	if path == "" || path == "<nil>" || len(path) > maxPath {
		return nil, len(path) > maxPath
	}
	l := locator{found: map[kind][][]any{}, rest: "." + strings.TrimPrefix(path, ".")}
	l.walk(l.rest, spot{value: value, schema: s}, nil)
	if l.tries > maxTries {
		return nil, true
	}
	kinds := []kind{there, declared, possible}
	if missing {
		kinds = []kind{declared, there, possible}
	}
	for _, kind := range kinds {
		if places := l.found[kind]; len(places) > 0 {
			return common(places), len(places) > 1
		}
	}
	if missing && l.rest[0] == '.' {
		return append(l.far[:len(l.far):len(l.far)], l.rest[1:]), false
	}
	return l.far, false
}

// A kind says where a place was found.
type kind int

const (
	there    kind = iota // in the value
	declared             // in the properties of the schema
	possible             // below additionalProperties, which allow any name
)

// A spot is a place in a value, or a place that only the schema of the value has.
type spot struct {
	kind   kind
	value  any
	schema *apiextensions.JSONSchemaProps
}

// A locator finds all places of a path.
type locator struct {
	found map[kind][][]any
	tries int
	far   []any  // the steps of the longest part of the path that is in the value
	rest  string // the rest of the path behind far
}

// walk continues at a spot with the rest of the path. It tries each prefix of the rest that
// may be a name or an index.
func (l *locator) walk(rest string, at spot, steps []any) {
	if rest == "" {
		l.found[at.kind] = append(l.found[at.kind], steps)
		return
	}
	if at.kind == there && len(rest) < len(l.rest) {
		l.far, l.rest = steps, rest
	}
	if rest[0] == '[' {
		for end := 1; end < len(rest); end++ {
			if rest[end] == ']' {
				l.step(rest[1:end], rest[end+1:], at, steps)
			}
		}
	}
	if rest[0] == '.' {
		for end := 1; end <= len(rest); end++ {
			if end == len(rest) || rest[end] == '.' || rest[end] == '[' {
				l.step(rest[1:end], rest[end:], at, steps)
			}
		}
	}
}

// step continues walking if the spot has a member or an item with a name.
func (l *locator) step(name, rest string, at spot, steps []any) {
	if l.tries++; l.tries > maxTries || rest != "" && rest[0] != '.' && rest[0] != '[' {
		return
	}
	next := append(steps[:len(steps):len(steps)], name)
	switch v := at.value.(type) {
	case map[string]any:
		if member, ok := v[name]; ok {
			l.walk(rest, spot{there, member, property(at.schema, name)}, next)
			return
		}
	case []any:
		i, err := strconv.Atoi(name)
		if err == nil && i >= 0 && i < len(v) {
			next[len(next)-1] = i
			l.walk(rest, spot{there, v[i], itemsOf(at.schema)}, next)
		}
		return
	}
	if s := property(at.schema, name); s != nil {
		kind := max(at.kind, declared)
		if _, ok := at.schema.Properties[name]; !ok {
			kind = possible
		}
		l.walk(rest, spot{kind: kind, schema: s}, next)
	}
}

func property(s *apiextensions.JSONSchemaProps, name string) *apiextensions.JSONSchemaProps {
	if s == nil {
		return nil
	}
	if p, ok := s.Properties[name]; ok {
		return &p
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema
	}
	return nil
}

func itemsOf(s *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	if s == nil || s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// common returns the steps that all places begin with.
func common(places [][]any) []any {
	first := places[0]
	for _, p := range places[1:] {
		n := 0
		for n < min(len(first), len(p)) && first[n] == p[n] {
			n++
		}
		first = first[:n]
	}
	return first
}
