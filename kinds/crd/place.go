package crd

import (
	"strconv"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// maxPath is how many bytes of a field path are looked at; a longer one is of
// names that nobody writes.
const maxPath = 1024

// maxTries is how often a name is looked for: where any name may be, a path with
// many dots can be read in more ways than can be tried.
const maxTries = 2000

// locate finds the value that a field path of Kubernetes is about, as names and
// indexes. Such a path is a text for people: spec.a[b].c may be a name or three.
// So each way to read it is tried on the value, and on the schema for what the
// value does not have. Where several places have one path, those that the error
// can be about count: missing tells that it is about a field that is not there.
// What then is left to choose from gives the place that all have in common; the
// path is ambiguous.
func locate(path string, value any, s *structural.Structural, missing bool) (steps []any, ambiguous bool) {
	if path == "" || path == "<nil>" || len(path) > maxPath {
		return nil, len(path) > maxPath
	}
	l := locator{found: map[kind][][]any{}}
	l.walk("."+strings.TrimPrefix(path, "."), spot{value: value, schema: s}, nil)
	if l.tries > maxTries {
		return nil, true
	}
	for _, kind := range kindsOfPlaces(missing) {
		if places := l.found[kind]; len(places) > 0 {
			return common(places), len(places) > 1
		}
	}
	return l.nearest(missing), false
}

// A kind says whether a place is in the value, only in the properties of its
// schema, or only one that any name would have.
type kind int

const (
	there kind = iota
	declared
	possible
)

func kindsOfPlaces(missing bool) []kind {
	if missing {
		return []kind{declared, there, possible}
	}
	return []kind{there, declared, possible}
}

// A spot is a place in a value, or one that its schema has and the value lacks.
type spot struct {
	kind   kind
	value  any
	schema *structural.Structural
}

type locator struct {
	found map[kind][][]any
	tries int
	far   []any  // the steps of the longest part of the path that is in the value
	rest  string // what is left of the path there
	begun bool
}

func (l *locator) walk(rest string, at spot, steps []any) {
	if rest == "" {
		l.found[at.kind] = append(l.found[at.kind], steps)
		return
	}
	if at.kind == there && (!l.begun || len(rest) < len(l.rest)) {
		l.far, l.rest, l.begun = steps, rest, true
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

// step goes on where a part of the path names something.
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

func property(s *structural.Structural, name string) *structural.Structural {
	if s == nil {
		return nil
	}
	if p, ok := s.Properties[name]; ok {
		return &p
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}

func itemsOf(s *structural.Structural) *structural.Structural {
	if s == nil {
		return nil
	}
	return s.Items
}

// nearest is the place nearest to one that is neither in the value nor in the
// schema: a name that is missing, in the last object that is there.
func (l *locator) nearest(missing bool) []any {
	if !missing || l.rest == "" || l.rest[0] != '.' {
		return l.far
	}
	return append(l.far[:len(l.far):len(l.far)], l.rest[1:])
}

// common is what all places begin with.
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
