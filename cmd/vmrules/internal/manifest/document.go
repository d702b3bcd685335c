package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/lint"
)

// A Document is a document in a file that may be rules: an array, as in an annotation, or an
// object that contains rules in another form.
type Document struct {
	Object
	made  string // by JSON
	marks []mark // of what was made, in its order
}

// Documents returns all documents of a file, in order. The items of lists are separate
// documents.
func (f *File) Documents() []Document {
	var all []Document
	for _, n := range f.documents {
		for _, o := range f.appendObjects(nil, n, "", "") {
			all = append(all, Document{Object: o})
		}
	}
	return all
}

// IsArray reports whether the document is an array, as annotations are.
func (d Document) IsArray() bool { return d.node.shape == array }

// IsScalar reports whether the document is neither an array nor an object.
func (d Document) IsScalar() bool { return d.node.shape == scalar }

// Type returns the kind and API group of an object, such as ClusterPolicy.kyverno.io. It
// returns only the kind for an object in the core group, and "" for an object that has neither
// kind nor apiVersion.
func (d Document) Type() string {
	group := d.version[:max(strings.IndexByte(d.version, '/'), 0)]
	return strings.TrimSuffix(d.Kind+"."+group, ".")
}

// String returns a name of the document for messages.
func (d Document) String() string {
	if d.IsArray() {
		return "rules"
	}
	return d.Object.String()
}

var ruleKeys = []string{"name", "rule", "path", "message"}

// LooksLikeRules reports whether the document is probably an annotation: it is an array with an
// item that has at least two of the keys of rules.
func (d Document) LooksLikeRules() bool {
	return slices.ContainsFunc(d.node.inside(array), func(item member) bool {
		n := 0
		for _, key := range ruleKeys {
			if item.value.get(key) != nil {
				n++
			}
		}
		return n >= 2
	})
}

// maxJSON is the largest size in bytes of a document as JSON. In JSON, each alias of YAML is
// replaced with a copy of its value.
const maxJSON = 16 << 20

// JSON returns the document as JSON. If the file is JSON, that is the text of the file. JSON
// also records where the keys and values are in the file, for Place.
func (d *Document) JSON() (string, error) {
	if d.node.end > 0 {
		d.made = d.File.source.text[d.node.at:d.node.end]
		return d.made, nil
	}
	w := jsonWriter{}
	w.write(d.node)
	if w.isFull() {
		return "", fmt.Errorf("this has more than %d bytes as JSON, in which each alias is replaced with a copy of its value: use fewer aliases, or shorter values", maxJSON)
	}
	d.made, d.marks = string(w.text), w.marks
	return d.made, nil
}

// Place returns the line and column in the file of a byte in what JSON returned.
func (d Document) Place(offset int) (line, column int) {
	return d.File.source.place(d.locate(Span{offset, offset}).Start)
}

// PlaceFinding sets the lines and columns of a finding about what JSON returned to those in the file.
// Of an array or object of YAML, it knows only the beginning.
func (d Document) PlaceFinding(f *lint.Finding) {
	d.File.source.setPlace(f, d.locate(Span{f.Offset, f.End}))
}

func (d Document) locate(s Span) Span {
	if d.node.end > 0 {
		return Span{min(d.node.at+s.Start, d.node.end), min(d.node.at+s.End, d.node.end)}
	}
	file, first, last := d.File.source.text, d.markBefore(s.Start+1), d.markBefore(s.End)
	at := Span{first.at, endOfScalar(file, last.at, last.value)}
	if before, ok := d.stringUpTo(first, s.Start); ok {
		at.Start = newFinder(file, first.at, first.value).find(len(before))
	}
	if before, ok := d.stringUpTo(last, s.End); ok {
		at.End = newFinder(file, last.at, last.value).findEnd(len(before))
	}
	return at
}

func (d Document) markBefore(offset int) mark {
	i, _ := slices.BinarySearchFunc(d.marks, offset, func(m mark, offset int) int { return m.written - offset })
	if d.marks == nil {
		return mark{at: d.node.at}
	}
	return d.marks[max(i-1, 0)]
}

// stringUpTo returns the beginning of the string at a mark; false if the offset is not in one, is behind its
// end, or is inside a character.
func (d Document) stringUpTo(m mark, offset int) (before string, ok bool) {
	err := json.Unmarshal([]byte(d.made[m.written:max(offset, m.written)]+`"`), &before)
	return before, err == nil && strings.HasPrefix(m.value, before)
}

// A mark holds where a key, a scalar or a bracket begins: written in the JSON, at in the file.
type mark struct {
	written, at int
	value       string // of a string; otherwise the text
}

// A jsonWriter writes nodes as JSON, and stops when the JSON is too long.
type jsonWriter struct {
	text  []byte
	marks []mark
}

func (w *jsonWriter) isFull() bool { return len(w.text) > maxJSON }

func (w *jsonWriter) write(n *node) {
	if n.shape == scalar {
		w.scalar(n.at, n.scalar)
		return
	}
	brackets := [...]string{object: "{}", array: "[]"}[n.shape]
	w.put(n.at, brackets[:1], brackets[:1])
	for i, m := range n.members {
		if w.isFull() {
			return
		}
		if i > 0 {
			w.text = append(w.text, ',')
		}
		if n.shape == object {
			w.scalar(m.at, m.key)
			w.text = append(w.text, ':')
		}
		w.write(m.value)
	}
	w.text = append(w.text, brackets[1])
}

// scalar writes a string, a number, a boolean or null. It writes numbers as they are: if one is
// too large, the package that reads the JSON reports it.
func (w *jsonWriter) scalar(at int, v any) {
	text, _ := json.Marshal(v)
	value, isText := v.(string)
	if !isText {
		value = string(text)
	}
	w.put(at, string(text), value)
}

func (w *jsonWriter) put(at int, text, value string) {
	w.marks = append(w.marks, mark{len(w.text), at, value})
	w.text = append(w.text, text...)
}

// Nothing returns an *Error if a stream holds no object of a kind, and no document that counts
// otherwise. What came then is often the message of a command that failed, which may be YAML.
func (f *File) Nothing(counts func(Document) bool) error {
	hasKind := func(n *node) bool { return n.text("kind") != "" }
	switch {
	case !f.isStream, slices.ContainsFunc(f.documents, hasKind), slices.ContainsFunc(f.Documents(), counts):
		return nil
	case len(f.documents) == 0:
		return &Error{File: f.Name, Message: "empty input: the command that writes it may have failed"}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(f.source.text), "\n")
	return &Error{File: f.Name, Message: fmt.Sprintf("no Kubernetes object in the input: the command that writes it may have failed: %.200q", first)}
}
