package jsonpath_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/jsonpath"
)

// FuzzParse: nothing panics, and a path that is written and read again is the same, as a whole
// and step by step.
func FuzzParse(f *testing.F) {
	for _, path := range []string{
		".a.a.b", "..a..b", "$..*", ".b[-1]", ".b[0:2,3]", "{.a.b[*].n}", `..[?(@.n=="x")].v`, ".a.b[?(@.v>=1.5)]",
		`['we ird']['it\'s']`, `.vm\.kubevirt\.io/os`, "['a.b']", "range", "@",
		`[1:]['',"a"][::2]`, `.a[?(@['b c']..d == "x\ty\xff")].*`, "..[*]..*", "[?(@.a>1e-1000)]", "[?('x'!=@)]", "['\xff']",
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
		if again, err := jsonpath.Parse("$" + jsonpath.Write(p.Steps())); err != nil || !again.Equal(p) {
			t.Fatalf("the steps of %q are written as %q: %v", s, jsonpath.Write(p.Steps()), err)
		}
		texts := p.StepTexts()
		withoutDots := slices.DeleteFunc(slices.Clone(p.Steps()), func(step jp.Frag) bool { return step == jp.Descent('.') })
		if len(texts) != len(withoutDots) || len(texts) > 0 && strings.Join(texts, "") != written {
			t.Fatalf("%q has the steps %q", written, texts)
		}
	})
}

// FuzzSearch: nothing panics; each location is found once, and its path selects the same value;
// the result does not depend on the decoder.
func FuzzSearch(f *testing.F) {
	for _, path := range []string{
		".a.a.b", "..a..b", "$..*", ".b[-1]", ".b[0:2,3]", "{.a.b[*].n}", `..[?(@.n=="x")].v`, ".a.b[?(@.v>=1.5)]",
		`['we ird']['it\'s']`, `.vm\.kubevirt\.io/os`,
	} {
		f.Add(path, searched)
	}
	for _, vectors := range conformance.Read(f, "../../testdata/conformance") {
		for i, v := range vectors {
			var rules []struct{ Path string }
			if i%20 == 0 && json.Unmarshal([]byte(v.Text()), &rules) == nil && len(rules) > 0 {
				f.Add(strings.TrimPrefix(rules[0].Path, "jsonpath::"), string(v.Object))
			}
		}
	}
	f.Fuzz(func(t *testing.T, s, text string) {
		var object map[string]any
		p, err := jsonpath.Parse(s)
		if err != nil || len(text) > 10_000 || json.Unmarshal([]byte(text), &object) != nil {
			return
		}
		object = conformance.DecodeExactly(json.RawMessage(text))
		found, err := find(p, object)
		if err != nil || len(found) > 100 {
			return
		}
		seen := map[string]bool{}
		for _, m := range found {
			if seen[m.Field] {
				t.Fatalf("%s is found twice", m.Field)
			}
			seen[m.Field] = true
			if got, err := find(mustParse(t, m.Field), object); err != nil || !cmp.Equal(got, []match{m}) {
				t.Fatalf("%q selects %v, not %v: %v", m.Field, got, m, err)
			}
		}
		other, err := find(p, conformance.DecodeOddly(json.RawMessage(text)))
		if diff := cmp.Diff(fields(found), fields(other)); diff != "" || err != nil {
			t.Fatalf("other matches where decoded otherwise:\n%s%v", diff, err)
		}
	})
}
