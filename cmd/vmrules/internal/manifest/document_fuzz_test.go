package manifest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint"
)

// The JSON of a document decodes to the document's value.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		"- a: &x [1, ~, y, 0o7, .5, 1e400]\n  <<: {b: *x}\n", `[{"a":"\ud83d"}]`, "kind: List\nitems: [{}, {a: |\n b}]\n",
		"!!str 1", "? a\n: b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := Parse("file", string(content))
		if err != nil {
			return
		}
		for _, d := range file.Documents() {
			text, err := d.JSON()
			if err != nil || len(text) > 10_000 { // too long to test each offset
				continue
			}
			for offset := range len(text) + 1 {
				d.PlaceFinding(&lint.Finding{Offset: offset, End: min(offset+1, len(text))})
			}
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			var got any
			if err := decoder.Decode(&got); err != nil {
				t.Fatalf("%q is not JSON: %v", text, err)
			}
			if diff := cmp.Diff(d.node.plain(), got); diff != "" {
				t.Errorf("(-value +decoded JSON):\n%s", diff)
			}
		}
	})
}
