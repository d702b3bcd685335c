package kyverno

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
)

const misplaced = `# größer als eine Zeile
kind: ClusterPolicy
apiVersion: kyverno.io/v1
metadata:
  annotations: {"ü": "1"}
spec:
  applyRules: One
  validationFailureAction: warn
  rules:
  - match: &match
      any:
      - resources: {kinds: [Pod]}
    name: first
    context: []
    validate:
      message: "{{ x }}"
      failureAction: "5"
      pattern:
        spec:
          "=(containers)":
          - {name: "ü", "image": "!"}
          "X(volumes)": 1
          memory: "$(x)"
  - {name: first, match: *match, validate: {anyPattern: [{a: b}, {"(c)": [">1a"]}]}}
  - exclude: {nothing: 1}
    name: third
    <<: {match: {resources: {kinds: [a/b/c/d/e]}}}
    mutate: {}
`

// problemsIn returns the problems of a policy, each behind the name at its place.
func problemsIn(t *testing.T, doc string) []string {
	t.Helper()
	_, err := Rules([]byte(doc))
	var parsed *vmrules.ParseError
	if !errors.As(err, &parsed) {
		t.Fatalf("want problems, got %v", err)
	}
	var all []string
	for _, p := range parsed.Problems {
		before := doc[:p.Offset]
		line, column := 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
		if line != p.Line || column != p.Column {
			t.Errorf("%v is at offset %d, which is line %d, column %d", p, p.Offset, line, column)
		}
		p.Line = 0
		all = append(all, firstName.FindString(strings.ReplaceAll(doc[p.Offset:], `\u003e`, ">"))+" <- "+p.Error())
	}
	return all
}

var firstName = regexp.MustCompile(`[a-zA-Z0-9()./>-]+`)

func TestPlaces(t *testing.T) {
	want := []string{
		`applyRules <- "spec.applyRules": this is not evaluated: remove it`,
		`validationFailureAction <- "spec.validationFailureAction" must be Audit or Enforce, not "warn"`,
		`context <- rule "first": "context": this is not evaluated: remove it`,
		`failureAction <- rule "first": "validate.failureAction" must be Audit or Enforce, not "5"`,
		`message <- rule "first": validate.message: variables {{ }} are not evaluated`,
		`memory <- rule "first": pattern: spec.memory: the reference $(x) refers to /spec/memory/x, which the pattern does not have, or only with an anchor in it or above it, where Kyverno finds nothing`,
		`>1a <- rule "first": anyPattern: [1].(c)[0]: the operator > compares numbers, quantities and durations, but 1a is not one of them`,
		`name <- rule "first": name: rules[0] already has this name: names must be unique`,
		`mutate <- rule "third": "mutate": this is not evaluated: remove it`,
		`exclude <- rule "third": validate: the rule has no validate: only such rules are evaluated`,
	}
	got := problemsIn(t, misplaced)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := yaml.YAMLToJSON([]byte(misplaced))
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "\t"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, problemsIn(t, indented.String())); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestSeveralDocuments(t *testing.T) {
	const rule = "{name: r, match: {resources: {kinds: [Job]}}, validate: {pattern: {a: b}}}"
	for _, doc := range []string{"%s\n---\n%s", "%s\n---\n{", "---\n%s\n---\nx"} {
		_, err := Rules([]byte(strings.ReplaceAll(doc, "%s", policyOf("", rule))))
		if err == nil || !strings.Contains(err.Error(), "more than one document") {
			t.Errorf("%s: %v", doc, err)
		}
	}
	for _, doc := range []string{"---\n%s", "%s\n---\n", "%s\n...\n", "# one\n%s\n---\n# nothing\n---\n"} {
		if _, err := Rules([]byte(strings.ReplaceAll(doc, "%s", policyOf("", rule)))); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// Any text is read without a panic, and the places of its problems are in it.
func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{misplaced, mixedPolicy, policyOf("", podRule), "a: &a [*a]", "{\"kind\": \"Policy\",\t\"apiVersion\": \"kyverno.io/\"}", "\ufeffa: 1\r\n---\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		_, err := Rules([]byte(doc))
		var parsed *vmrules.ParseError
		if errors.As(err, &parsed) {
			for _, p := range parsed.Problems {
				if p.Offset < 0 || p.Offset > len(doc) || strings.Contains(p.Message, "cannot read this rule") {
					t.Errorf("%d: %v", p.Offset, p)
				}
			}
		}
	})
}
