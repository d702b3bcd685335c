package jsonpath_test

import (
	"strings"
	"testing"

	"github.com/vmrules/vmrules/internal/jsonpath"
)

// FuzzParse: no panic; what is read survives being written, as a whole and step by
// step.
func FuzzParse(f *testing.F) {
	for _, path := range []string{
		".a.a.b", "..a..b", "$..*", ".b[-1]", ".b[0:2,3]", "{.a.b[*].n}", `..[?(@.n=="x")].v`, ".a.b[?(@.v>=1.5)]",
		`['we ird']['it\'s']`, `.vm\.kubevirt\.io/os`, "['a.b']", "range", "@",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := jsonpath.Parse(s)
		if err != nil {
			if p != nil || err.Error() == "" {
				t.Fatalf("a path beside %v", err)
			}
			return
		}
		written := jsonpath.LeadingDot(p.Text())
		if again, err := jsonpath.Parse(written); err != nil || !again.Equal(p) || again.Key() != p.Key() {
			t.Fatalf("%q is written as %q: %v", s, written, err)
		}
		texts := p.StepTexts()
		if len(texts) != len(p.Steps()) || len(texts) > 0 && strings.Join(texts, "") != written {
			t.Fatalf("%q has the steps %q", written, texts)
		}
	})
}
