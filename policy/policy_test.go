package policy

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// The documents of rules in a scope, whole.
func TestDocuments(t *testing.T) {
	text, err := os.ReadFile("testdata/documents.json")
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Documents    []map[string]any
		Untranslated []Untranslated
		Error        string
	}
	var vectors []struct {
		Name  string
		Rules []any
		Scope Scope
		Want  answer
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			documents, untranslated, err := Of(parseAll(t, v.Rules...), v.Scope)
			got := answer{documents, untranslated, ""}
			if err != nil {
				got.Error = err.Error()
			}
			if diff := cmp.Diff(v.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A scope whose conditions the API server would not read is an error.
func TestLongScope(t *testing.T) {
	_, _, err := Of(vmrules.Rules{}, Scope{Name: "long", Annotation: strings.Repeat("x", maxExpression)})
	if err == nil || !strings.Contains(err.Error(), "more than the 100000 that the API server reads") {
		t.Error(err)
	}
}

// Messages that Kubernetes would refuse are changed. A long one has no expression.
func TestMessageOf(t *testing.T) {
	for n, want := range map[int]bool{maxMessage: true, maxMessage + 1: false} {
		rules := parseAll(t, map[string]any{"name": "r", "message": strings.Repeat("m", n), "rule": "string", "path": "jsonpath::.spec.hostname"})
		if got := translate(rules, Scope{}).denying[0].messageExpression; want != (got != "") {
			t.Errorf("%d bytes: an expression of %d bytes", n, len(got))
		}
	}
	for message, want := range map[string]string{"a\r\nb\n": "a b", " \n ": `the rule "r" is violated`, "m": "m"} {
		if got := messageOf(vmrules.Rule{Name: "r", Message: message}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestInLines(t *testing.T) {
	const expression = `!has(a) && (b || c) && [d].all(e, e && f) && g == " && ( \" " && h.matches(r"\") && true`
	want := "!has(a) &&\n(b || c) &&\n[d].all(e, e && f) &&\n" + `g == " && ( \" " &&` + "\n" + `h.matches(r"\") &&` + "\ntrue"
	if diff := cmp.Diff(want, inLines(expression)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A text is a literal in lines if it can be.
func TestTextLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"[]": "r'''[]'''", "[\n  \"it's\"\n]": "r'''[\n  \"it's\"\n]'''", `\`: `r'''\'''`,
		"'''": `"'''"`, "a'": `"a'"`, "a\tb": `"a\tb"`, "\x00": `"\x00"`,
	} {
		if got := textLiteral(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A rule with an argument that the translation does not know is not translated. The test forgets
// each argument in turn, because vmrules has no others yet.
func TestUnknownArgument(t *testing.T) {
	rules := parseAll(t, map[string]any{
		"name": "r", "message": "m", "rule": "string", "path": "jsonpath::.spec.hostname",
		"min": 1, "max": 2, "minLength": 1, "maxLength": 2, "values": []any{"1"}, "regex": "1",
	})
	if out := translate(rules, Scope{}); out.untranslated != nil {
		t.Fatal(out.untranslated)
	}
	known := translated
	defer func() { translated = known }()
	for i, key := range known {
		translated = slices.Delete(slices.Clone(known), i, i+1)
		want := []Untranslated{{Rule: "r", Key: key, Why: "this version of the translation does not know the argument"}}
		if diff := cmp.Diff(want, translate(rules, Scope{}).untranslated); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// Rules about whole objects are not translated.
func TestRulesAboutObjects(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "n", "rule": "string", "path": "jsonpath::.metadata.name", "message": "m"}]`, vmrules.WholeObjects())
	if err != nil {
		t.Fatal(err)
	}
	want := []Untranslated{{Rule: "n", Why: "the rule is about whole objects, not about a VM's spec.template"}}
	if diff := cmp.Diff(want, translate(rules, Scope{}).untranslated); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Rules that were left out are not translated, and keep the index of the others.
func TestLeaveOutUnusable(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "a", "rule": "string", "path": "x", "message": "m"},
		{"name": "b", "rule": "string", "path": "jsonpath::.spec.n[0:1]", "message": "m"}]`, vmrules.LeaveOutUnusable())
	_, untranslated, refused := Of(rules, Scope{Name: "policy.example"})
	if err == nil || refused == nil || len(untranslated) != 2 || untranslated[1].Index != 1 {
		t.Fatalf("%v, %v, %v", err, refused, untranslated)
	}
	if got := untranslated[0].String(); !strings.HasPrefix(got, `rules[0] "a": the rule cannot be used: line 1`) {
		t.Error(got)
	}
}

// Very long paths, names and lists of values are refused.
func TestBounds(t *testing.T) {
	values := make([]string, 20_000)
	for i := range values {
		values[i] = fmt.Sprint("v", i)
	}
	for want, rules := range map[string][]vmrules.Rule{
		"the path has more than 24 steps": {
			{Path: vmrules.MustParsePath("jsonpath::.spec.x" + strings.Repeat("[*]", 20_000))},
			{Path: vmrules.MustParsePath("jsonpath::" + strings.Repeat(".a", 20_000))},
		},
		"characters, more than the 100000 that the API server reads": {
			{Path: vmrules.MustParsePath("jsonpath::.spec.hostname"), Values: vmrules.MustNewArgument(values)},
			{Path: vmrules.MustParsePath("jsonpath::.spec." + strings.Repeat("a", 60_000))},
		},
	} {
		for _, r := range rules {
			r.Kind, r.Name, r.Message = vmrules.KindString, "r", "m"
			list, err := vmrules.NewRules([]vmrules.Rule{r})
			if err != nil {
				t.Fatal(err)
			}
			out := translate(list, Scope{})
			if len(out.denying) != 0 || len(out.untranslated) != 1 || !strings.Contains(out.untranslated[0].Why, want) {
				t.Errorf("%.50s: %v", r.Path, out.untranslated)
			}
		}
	}
}

// A policy has a bound of its own: the rules beyond are untranslated, and what is written fits into
// what etcd stores.
func TestManyRules(t *testing.T) {
	var list []vmrules.Rule
	for i := range 2000 {
		list = append(list, vmrules.Rule{Kind: vmrules.KindInteger, Name: fmt.Sprint(i), Path: vmrules.MustParsePath("jsonpath::.spec.domain.cpu.cores"), Message: "m"})
	}
	rules, err := vmrules.NewRules(list)
	if err != nil {
		t.Fatal(err)
	}
	documents, untranslated, err := Of(rules, Scope{Name: "many", Partial: true, Annotation: strings.Repeat("x", maxExpression-1000)})
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(documents[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(written) > 1<<20 || len(untranslated) < 1500 || len(untranslated) > 1800 {
		t.Errorf("%d bytes, %d rules are untranslated", len(written), len(untranslated))
	}
	last := untranslated[len(untranslated)-1]
	if last.Index != 1999 || !strings.Contains(last.Why, "more than the 524288 that a policy holds") {
		t.Error(last)
	}
}
