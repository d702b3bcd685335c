package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Document is what a file may hold rules in: an array, as in an annotation, or
// an object that stands for rules of another form.
type Document struct {
	file   *File
	object Object
	node   *node
	marks  []mark // where the parts of its JSON stand, where that is not the file's text
}

// Documents are all of a file, in order; the items of lists are documents of their
// own.
func (f *File) Documents() []Document {
	var all []Document
	for _, n := range f.documents {
		if n.shape != object {
			all = append(all, Document{file: f, node: n})
			continue
		}
		for _, o := range f.appendObjects(nil, n, "", "") {
			all = append(all, Document{file: f, object: o, node: o.node})
		}
	}
	return all
}

// File is the file that the document is in.
func (d Document) File() *File { return d.file }

// IsArray tells whether the document is an array, as annotations are, and
// IsScalar whether it is neither that nor an object.
func (d Document) IsArray() bool  { return d.node.shape == array }
func (d Document) IsScalar() bool { return d.node.shape == scalar }

// Type is the kind and API group of an object: ClusterPolicy.kyverno.io. It is ""
// for one that has neither kind nor apiVersion.
func (d Document) Type() string {
	group, _, ok := strings.Cut(d.object.version, "/")
	if !ok {
		group = ""
	}
	return strings.TrimSuffix(d.object.Kind+"."+group, ".")
}

// IsTemplate tells whether the document is a template of either kind.
func (d Document) IsTemplate() bool { return d.object.IsTemplate() }

// String names the document as people do.
func (d Document) String() string {
	if d.IsArray() {
		return "rules"
	}
	return d.object.String()
}

// ruleKeys are those that each rule of an annotation has.
var ruleKeys = []string{"name", "rule", "path", "message"}

// LooksLikeRules tells an annotation from an array of anything else: an item has
// two of the keys that rules have.
func (d Document) LooksLikeRules() bool {
	return d.IsArray() && slices.ContainsFunc(d.node.items, func(item *node) bool {
		n := 0
		for _, key := range ruleKeys {
			if item.get(key) != nil {
				n++
			}
		}
		return n >= 2
	})
}

// maxJSON is how much JSON a document may be, in bytes, with the aliases of YAML
// written out.
const maxJSON = 16 << 20

// JSON is the document as JSON: the text of the file, where that is JSON.
func (d *Document) JSON() (string, error) {
	if d.node.end > 0 {
		return d.file.source.text[d.node.at:d.node.end], nil
	}
	w := jsonWriter{}
	w.write(d.node)
	if w.isFull() {
		return "", fmt.Errorf("as JSON, with its aliases written out, this has more than %d bytes", maxJSON)
	}
	d.marks = w.marks
	return string(w.text), nil
}

// Place is the line and column in the file of a byte of the JSON.
func (d Document) Place(offset int) (line, column int) {
	at := d.node.at
	if d.node.end > 0 {
		return d.file.source.place(min(at+offset, d.node.end))
	}
	i, found := slices.BinarySearchFunc(d.marks, offset, func(m mark, offset int) int { return m.written - offset })
	if !found {
		i-- // what is inside of a scalar
	}
	if i >= 0 && i < len(d.marks) {
		at = d.marks[i].at
	}
	return d.file.source.place(at)
}

// A mark is where a key or a value stands in the JSON, and where in the file.
type mark struct{ written, at int }

// A jsonWriter writes nodes as JSON, and stops where that becomes too long.
type jsonWriter struct {
	text  []byte
	marks []mark
}

func (w *jsonWriter) isFull() bool { return len(w.text) > maxJSON }

func (w *jsonWriter) write(n *node) {
	w.mark(n.at)
	switch n.shape {
	case object:
		w.text = append(w.text, '{')
		for i, m := range n.members {
			if w.isFull() {
				return
			}
			w.separate(i)
			w.mark(m.at)
			w.scalar(m.key)
			w.text = append(w.text, ':')
			w.write(m.value)
		}
		w.text = append(w.text, '}')
	case array:
		w.text = append(w.text, '[')
		for i, item := range n.items {
			if w.isFull() {
				return
			}
			w.separate(i)
			w.write(item)
		}
		w.text = append(w.text, ']')
	default:
		w.scalar(n.scalar)
	}
}

func (w *jsonWriter) mark(at int) { w.marks = append(w.marks, mark{len(w.text), at}) }

func (w *jsonWriter) separate(i int) {
	if i > 0 {
		w.text = append(w.text, ',')
	}
}

// scalar writes a string, a number, a boolean or null. A number that JSON does not
// have is left to whoever reads the text.
func (w *jsonWriter) scalar(v any) {
	if number, ok := v.(json.Number); ok {
		w.text = append(w.text, number...)
		return
	}
	text, _ := json.Marshal(v)
	w.text = append(w.text, text...)
}
