package manifest

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
)

// A template's parameters are filled in as OpenShift does it: ${NAME} anywhere
// in a string, and ${{NAME}} as a whole string, which becomes a value of any
// type.
var (
	reference      = regexp.MustCompile(`\$\{([a-zA-Z0-9_]+)\}`)
	valueReference = regexp.MustCompile(`^\$\{\{([a-zA-Z0-9_]+)\}\}$`)
)

// maxFilled is how many bytes the texts of a template may have with the parameters
// filled in, and the values that are made up for them. How many values of other
// types they may stand for is maxCopies.
const maxFilled = 16 << 20

// A Filled template has values in place of its parameters, and stands where it
// did in the file.
type Filled struct {
	Object
	Missing []string // required parameters that have no value, and stand as they were
}

// Fill fills in the parameters of a template: with the values given by name, with
// its own, or with generated ones, which are always the same. Any other object
// stays as it is. An error says what cannot be generated, or what is too large.
func (o Object) Fill(given map[string]string) (Filled, error) {
	filled := Filled{Object: o}
	if !o.IsTemplate() {
		return filled, nil
	}
	f := filler{
		source: o.file.source, room: maxFilled, values: map[string]string{}, typed: map[string]*node{},
		shared: map[*node]*node{}, texts: map[*node]filledText{},
	}
	for _, p := range o.Parameters() {
		value, err := p.fill(given)
		if err == nil && p.generate != "" {
			err = f.spend(len(value))
		}
		if err != nil {
			return filled, &Error{File: o.file.Name, Line: o.Line, Column: 1, Message: err.Error(), cause: err}
		}
		if value == "" && p.required {
			filled.Missing = append(filled.Missing, p.Name)
			continue
		}
		f.values[p.Name] = value
	}
	made, err := f.fill(o.node)
	if wrong := (*Error)(nil); errors.As(err, &wrong) {
		wrong.File = o.file.Name
		return filled, wrong
	}
	filled.node, filled.filled = made, f.texts
	return filled, nil
}

// A filler makes a copy of nodes with the references in them replaced. What refers
// to no parameter that has a value stays as it is.
type filler struct {
	source *source
	values map[string]string
	typed  map[string]*node // the values of ${{NAME}} that were read
	shared map[*node]*node  // the copies of nodes that are there more than once
	texts  map[*node]filledText
	room   int // bytes that may still be made
	copies int // values that were put in place of ${{NAME}}
}

func (f *filler) spend(bytes int) error {
	f.room -= bytes
	if f.room < 0 {
		return fmt.Errorf("with its parameters filled in, the template has more than %d bytes up to here: use fewer or shorter values", maxFilled)
	}
	return nil
}

func (f *filler) fill(n *node) (*node, error) {
	if made := f.shared[n]; made != nil {
		return made, nil
	}
	made, err := f.copyOf(n)
	if n.isShared {
		f.shared[n] = made
	}
	return made, err
}

// copyOf returns the node itself where nothing in it changes.
func (f *filler) copyOf(n *node) (*node, error) {
	if n.shape == scalar {
		return f.scalar(n)
	}
	made := &node{at: n.at, size: 1, shape: n.shape}
	changes := false
	for _, m := range n.members {
		key, _, err := f.text(m.key, m.at)
		if err != nil {
			return nil, err
		}
		value, err := f.fill(m.value)
		if err != nil {
			return nil, err
		}
		changes = changes || key != m.key || value != m.value
		made.add(m.at, key, value)
	}
	for _, item := range n.items {
		value, err := f.fill(item)
		if err != nil {
			return nil, err
		}
		changes = changes || value != item
		made.addItem(value)
	}
	if !changes {
		return n, nil
	}
	return made, nil
}

func (f *filler) scalar(n *node) (*node, error) {
	text, ok := n.scalar.(string)
	if !ok || !strings.Contains(text, "${") {
		return n, nil
	}
	if found := valueReference.FindStringSubmatch(text); found != nil {
		if _, ok := f.values[found[1]]; ok {
			return f.value(found[1], n)
		}
	}
	filled, pieces, err := f.text(text, n.at)
	if err != nil || pieces == nil {
		return n, err
	}
	made := &node{at: n.at, size: 1, scalar: filled}
	f.texts[made] = filledText{text, pieces}
	return made, nil
}

// text replaces the references in a text.
func (f *filler) text(text string, at int) (string, []piece, error) {
	if !strings.Contains(text, "${") {
		return text, nil, nil
	}
	var filled strings.Builder
	var pieces []piece
	end := 0 // of what was copied
	for _, found := range reference.FindAllStringSubmatchIndex(text, -1) {
		value, ok := f.values[text[found[2]:found[3]]]
		if !ok {
			continue
		}
		if err := f.spend(found[0] - end + len(value)); err != nil {
			return "", nil, f.source.fail(at, err)
		}
		filled.WriteString(text[end:found[0]])
		begin := filled.Len()
		filled.WriteString(value)
		end = found[1]
		pieces = append(pieces, piece{begin, filled.Len(), found[0], end})
	}
	if pieces == nil {
		return text, nil, nil
	}
	if err := f.spend(len(text) - end); err != nil {
		return "", nil, f.source.fail(at, err)
	}
	filled.WriteString(text[end:])
	return filled.String(), pieces, nil
}

// value returns the JSON value that the text of a parameter is, or else the text.
func (f *filler) value(name string, in *node) (*node, error) {
	read := f.typed[name]
	if read == nil {
		read = typed(f.values[name])
		read.standAt(in.at)
		f.typed[name] = read
	}
	f.copies += read.size
	if f.copies > maxCopies {
		return nil, f.source.fail(in.at, fmt.Errorf("with its parameters filled in, the template has more than %d values for them: use fewer or shorter ones", maxCopies))
	}
	made := *read
	made.at = in.at
	return &made, nil
}

func typed(text string) *node {
	r := newJSONReader(newSource(text))
	n, err := r.read()
	if err == nil {
		_, err = r.decoder.Token()
	}
	if err != io.EOF {
		return &node{size: 1, scalar: text}
	}
	return n
}

// standAt says that a value stands where a reference does, as all in it.
func (n *node) standAt(at int) {
	n.at, n.end = at, 0
	for i := range n.members {
		n.members[i].at = at
		n.members[i].value.standAt(at)
	}
	for _, item := range n.items {
		item.standAt(at)
	}
}

// A filledText is what a text was before parameters were filled in, and where.
type filledText struct {
	written string
	pieces  []piece
}

// A piece is the value of a parameter, and the reference that it replaces.
type piece struct{ begin, end, from, to int }

// offset returns where in the text as it is written a byte of the filled one comes
// from: what is in a value, from the reference to it.
func (t filledText) offset(at int) int {
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].begin > at }) - 1
	if i < 0 {
		return at
	}
	p := t.pieces[i]
	if at < p.end {
		return p.from
	}
	return p.to + at - p.end
}
