package conformance

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An Edge is a command, a function or another way in. Given an object, as JSON or nil for nothing, and
// the templates that can be found, it returns what its users see, in short: an exit status, a line, a
// color or a key.
type Edge func(t *testing.T, object json.RawMessage, templates []json.RawMessage) string

// RunEdges tries each edge with each object in testdata/edges/objects.json, where one named "unclear"
// is a template that cannot be looked up. What is expected is in another file there, by edge and
// object: an edge or an object without an expectation is a failure, and so is the reverse.
func RunEdges(t *testing.T, testdata, file string, edges map[string]Edge) {
	t.Helper()
	var given struct {
		Templates []json.RawMessage
		Objects   []edgeObject
	}
	readJSON(t, filepath.Join(testdata, "edges", "objects.json"), &given)
	want := map[string]map[string]string{}
	readJSON(t, filepath.Join(testdata, "edges", file), &want)
	got := map[string]map[string]string{}
	for name, edge := range edges {
		got[name] = map[string]string{}
		byName := map[string]json.RawMessage{}
		for _, o := range given.Objects {
			object := o.join(byName)
			byName[o.Name] = object
			got[name][o.Name] = edge(t, object, given.Templates)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// An edgeObject is an object, or a list of those named before.
type edgeObject struct {
	Name   string
	Object json.RawMessage
	Of     []string
}

func (o edgeObject) join(known map[string]json.RawMessage) json.RawMessage {
	if o.Of == nil {
		return o.Object
	}
	items := make([]json.RawMessage, 0, len(o.Of))
	for _, name := range o.Of {
		items = append(items, known[name])
	}
	text, _ := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}) // of valid JSON
	return text
}
