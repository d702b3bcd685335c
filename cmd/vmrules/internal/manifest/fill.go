package manifest

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/vmrules/vmrules/form"
)

// maxFilled is the largest number of bytes that filling in a template may make: generated
// values, and strings with parameters filled in. maxCopies is the limit for the values that
// replace ${{NAME}}.
const maxFilled = 16 << 20

// Fill fills in the parameters of a template as form.Fill does: with the values given by name, else with the
// template's own, else with generated ones. The same parameter is always given the same
// generated value. The values of the object keep their places in the file. Fill returns any other object
// as it is. It returns an error if a value cannot be generated, or if the result is too large.
func (o Object) Fill(given map[string]string) (Object, error) {
	if !o.IsTemplate() {
		return o, nil
	}
	values, err := form.NewFiller(o.Parameters(), given)
	if err != nil {
		return o, &Error{File: o.File.Name, Line: o.Line, Column: 1, Message: err.Error()}
	}
	f := filler{
		source: o.File.source, room: maxFilled, values: values, typed: map[string]*node{}, shared: map[*node]*node{},
	}
	made := f.fill(o.tree())
	if f.err != nil {
		f.err.File = o.File.Name
		return o, f.err
	}
	o.node, o.Missing = made, values.Missing()
	return o, nil
}

// A filler copies nodes, and replaces the references to parameters that have a value.
type filler struct {
	source *source
	values *form.Filler
	typed  map[string]*node // JSON values, by their texts, for ${{NAME}}
	shared map[*node]*node  // the copies of nodes that aliases refer to
	room   int              // bytes that may still be made
	copies int              // values put in place of ${{NAME}} so far
	err    *Error           // the first; then the result counts for nothing
}

func (f *filler) fail(at int, format string, most int) {
	if f.err == nil {
		f.err = f.source.fail(at, fmt.Errorf(format, most))
	}
}

func (f *filler) spend(bytes, at int) {
	if f.room -= bytes; f.room < 0 {
		f.fail(at, "with its parameters filled in, the template has more than %d bytes up to here: use fewer or shorter values", maxFilled)
	}
}

func (f *filler) fill(n *node) *node {
	made := f.shared[n]
	switch {
	case made != nil:
		return made
	case n.shape == scalar:
		made = f.scalar(n)
	default:
		made = &node{at: n.at, end: n.end, size: 1, shape: n.shape}
		for _, m := range n.members {
			key, _ := f.text(m.key, m.at)
			made.add(member{m.at, key, f.fill(m.value)})
		}
	}
	if n.isShared {
		f.shared[n] = made
	}
	return made
}

// scalar returns the node itself if nothing in it changes.
func (f *filler) scalar(n *node) *node {
	text, ok := n.scalar.(string)
	if !ok {
		return n
	}
	for r := range form.References(text) {
		if json, ok := f.values.Value(r.Name); ok && r.As == form.UsedJSON {
			return f.value(json, n)
		}
	}
	filled, pieces := f.text(text, n.at)
	if pieces == nil {
		return n
	}
	return &node{at: n.at, size: 1, scalar: filled, filled: &filledText{text, pieces}}
}

// text replaces the references ${NAME} in a text, and returns where it did so.
func (f *filler) text(text string, at int) (string, []piece) {
	var filled strings.Builder
	var pieces []piece
	end := 0 // of the part that is copied already
	for r := range form.References(text) {
		value, ok := f.values.Value(r.Name)
		if !ok || r.As == form.UsedJSON {
			continue
		}
		if f.spend(r.Start-end+len(value), at); f.err != nil {
			return text, nil
		}
		filled.WriteString(text[end:r.Start])
		begin := filled.Len()
		filled.WriteString(value)
		end = r.End
		pieces = append(pieces, piece{begin, filled.Len(), r.Start, end})
	}
	if pieces == nil {
		return text, nil
	}
	f.spend(len(text)-end, at)
	filled.WriteString(text[end:])
	return filled.String(), pieces
}

// value returns the JSON value in a text, which replaces ${{NAME}} in a node.
func (f *filler) value(text string, in *node) *node {
	read := f.typed[text]
	if read == nil {
		read = typed(text)
		read.standAt(in.at)
		f.typed[text] = read
	}
	if f.copies += read.size; f.copies > maxCopies {
		f.fail(in.at, "${{NAME}} is replaced with more than %d values up to here: use it less often, or with smaller objects and arrays", maxCopies)
	}
	made := *read
	made.at = in.at
	return &made
}

// typed returns the JSON value that a text contains. A text that is not one value is a string.
func typed(text string) *node {
	s := newSource(text)
	n, err := s.jsonAt(s.behindBlanks(0), 0, false)
	if err != nil || s.behindBlanks(n.end) < len(text) {
		return &node{size: 1, scalar: text}
	}
	return n
}

// standAt places a node, and all nodes in it, where the reference is that they replace.
func (n *node) standAt(at int) {
	n.at, n.end = at, 0
	for i := range n.members {
		n.members[i].at = at
		n.members[i].value.standAt(at)
	}
}

type filledText struct {
	written string  // the text in the file, with its references
	pieces  []piece // in order
}

// A piece is a parameter's value, from begin to end in the filled text, and the reference that
// it replaced, between the offsets from and to in the written text.
type piece struct{ begin, end, from, to int }

// span converts a part of the filled text to one of the written text. Where it begins or ends inside a
// parameter's value, it has all of the reference.
func (t filledText) span(s Span) Span {
	first, last := t.pieceBefore(s.Start+1), t.pieceBefore(s.End)
	start := first.from
	if s.Start >= first.end {
		start = first.to + s.Start - first.end
	}
	return Span{start, last.to + max(s.End-last.end, 0)}
}

// pieceBefore returns the last piece that begins before an offset; if there is none, an empty one at 0.
func (t filledText) pieceBefore(at int) piece {
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].begin >= at })
	if i == 0 {
		return piece{}
	}
	return t.pieces[i-1]
}

// Parameters returns the parameters that a template declares, and nil for other objects.
func (o Object) Parameters() []form.Parameter {
	if !o.IsTemplate() {
		return nil
	}
	path := map[string][]string{kindOpenShift: {"parameters"}, kindKubeVirt: {"spec", "parameters"}}[o.Kind]
	var all []form.Parameter
	for _, m := range o.tree().get(path...).inside(array) {
		n := m.value
		all = append(all, form.Parameter{
			Name: n.text("name"), Value: AsText(n.scalarAt("value")), Generate: n.text("generate"), From: n.text("from"),
			Required: n.scalarAt("required") == true,
		})
	}
	return all
}

// AsText returns a value that was read as the text of a parameter, which need not be in quotes:
// "4" for 4.
func AsText(v any) string {
	if s, ok := v.(string); ok || v == nil {
		return s
	}
	text, _ := json.Marshal(v)
	return string(text)
}
