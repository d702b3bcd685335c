package kyverno

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kyverno/kyverno/pkg/engine/anchor"
	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
)

// A spot is where a value begins in a JSON text.
type spot struct {
	at    int // the offset of the key of a member, or of an item
	value int // the offset of the value

	members map[string]*spot
	names   map[string]*spot // the members with anchors, by their names without them
	items   []*spot
}

// A spotReader reads the spots of a valid JSON text.
type spotReader struct {
	text    []byte
	decoder *json.Decoder
}

func readSpots(text []byte) *spot {
	r := spotReader{text, json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber() // so that no number is too large
	return r.read(r.next())
}

// next returns where the next key or value begins.
func (r spotReader) next() int {
	at := int(r.decoder.InputOffset())
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	return at
}

func (r spotReader) read(at int) *spot {
	s := &spot{at: at, value: r.next()}
	switch token, _ := r.decoder.Token(); token {
	case json.Delim('{'):
		s.members, s.names = map[string]*spot{}, map[string]*spot{}
		for r.decoder.More() {
			key := r.next()
			name, err := r.decoder.Token()
			if err != nil {
				return s
			}
			member := r.read(key)
			s.members[name.(string)] = member
			if a := anchor.Parse(name.(string)); a != nil {
				s.names[a.Key()] = member
			}
		}
		_, _ = r.decoder.Token()
	case json.Delim('['):
		for r.decoder.More() {
			s.items = append(s.items, r.read(r.next()))
		}
		_, _ = r.decoder.Token()
	}
	return s
}

// maxSpotPath is the largest length in bytes of a path that find reads.
const maxSpotPath = 1024

// find returns the spot of a path such as validate.pattern[0].name, or of the nearest value around
// it. Names may contain dots.
func (s *spot) find(path string) *spot {
	if len(path) > maxSpotPath {
		return s
	}
	if s.items != nil {
		digits, rest, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(digits)
		if err != nil || i < 0 || i >= len(s.items) {
			return s
		}
		return s.items[i].find(strings.TrimPrefix(rest, "."))
	}
	for end := len(path); end > 0; end-- {
		if end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		if member := cmp.Or(s.members[path[:end]], s.names[path[:end]]); member != nil {
			return member.find(strings.TrimPrefix(path[end:], "."))
		}
	}
	return s
}

// A yamlPlace is where a value begins in a YAML text.
type yamlPlace struct{ line, column int }

// placesIn returns the places of the spots of a policy in the YAML from which the text was made, by
// their offsets. It is an error if the YAML has more than one document.
func (s *spot) placesIn(doc []byte) (map[int]yamlPlace, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(doc))
	places := map[int]yamlPlace{}
	var first yaml.Node
	if decoder.Decode(&first) != nil || len(first.Content) != 1 {
		return places, nil // they are not known
	}
	s.addPlaces(places, first.Content[0], first.Content[0])
	for {
		var other yaml.Node
		switch err := decoder.Decode(&other); {
		case errors.Is(err, io.EOF):
			return places, nil
		case err != nil, len(other.Content) != 1, other.Content[0].Tag != "!!null":
			return nil, errors.New("the text has more than one document: read each of them separately")
		}
	}
}

// addPlaces adds the places of a value that begins at a node, and of all values in it.
func (s *spot) addPlaces(places map[int]yamlPlace, at, value *yaml.Node) {
	places[s.at] = yamlPlace{at.Line, at.Column}
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	nodes := map[string][2]*yaml.Node{}
	if value.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(value.Content); i += 2 {
			nodes[value.Content[i].Value] = [2]*yaml.Node{value.Content[i], value.Content[i+1]}
		}
	}
	for key, member := range s.members {
		if pair, ok := nodes[key]; ok {
			member.addPlaces(places, pair[0], pair[1])
		} else {
			member.addPlaces(places, at, &yaml.Node{}) // it is merged from another value
		}
	}
	for i, item := range s.items {
		if value.Kind == yaml.SequenceNode && i < len(value.Content) {
			item.addPlaces(places, value.Content[i], value.Content[i])
		} else {
			item.addPlaces(places, at, &yaml.Node{})
		}
	}
}

// setPlaces sets the offset, line and column in doc of problems whose offsets are in the JSON of it. If doc
// is YAML, it takes the places; nil if it is JSON.
func setPlaces(doc []byte, places map[int]yamlPlace, problems []vmrules.Problem) {
	sorted := make([]*vmrules.Problem, len(problems))
	for i := range problems {
		p := &problems[i]
		sorted[i] = p
		if places != nil {
			at := places[p.Offset]
			p.Offset, p.Line, p.Column = 0, at.line, at.column
		}
	}
	slices.SortFunc(sorted, func(a, b *vmrules.Problem) int {
		return cmp.Or(a.Offset-b.Offset, a.Line-b.Line, a.Column-b.Column)
	})
	offset, line, column := 0, 1, 1
	for _, p := range sorted {
		for offset < len(doc) && (offset < p.Offset || line < p.Line || line == p.Line && column < p.Column) {
			_, size := utf8.DecodeRune(doc[offset:])
			column++
			if doc[offset] == '\n' {
				line, column = line+1, 1
			}
			offset += size
		}
		if places != nil && p.Line == 0 {
			continue // it is not known
		}
		p.Offset, p.Line, p.Column = offset, line, column
	}
}
