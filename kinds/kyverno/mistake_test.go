package kyverno

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// A problem in an annotation is at the value that is wrong, or the nearest value around it.
func TestPlacesInAnnotations(t *testing.T) {
	const text = `[{"name": "r", "rule": "kyverno", "path": "jsonpath::$", "message": "m",
		"match": {"any": [{"resources": {"kinds": ["a/b/c/d"]}, "subjects": 1}]},
		"exclude": {"resources": {"selector": {"matchLabels": {"n.m/x": 5}}}},
		"anyPattern": [{"=(n.m)": [{"^(é)": ">1a"}]}, {"metadata": {"labels": {"app": 7}}}]}]`
	_, err := vmrules.ParseRules(text, append(Kinds(), vmrules.WholeObjects())...)
	var parsed *vmrules.ParseError
	if !errors.As(err, &parsed) {
		t.Fatalf("want problems, got %v", err)
	}
	var got []string
	for _, p := range parsed.Problems {
		at, _, _ := strings.Cut(text[p.Offset:], "}")
		message, _, _ := strings.Cut(p.Message, ",")
		got = append(got, p.Key+" "+at+" <- "+message)
	}
	want := []string{
		`match 1 <- any[0].subjects: this is not evaluated: remove it`,
		`exclude {"n.m/x": 5 <- resources.selector.matchLabels: must be of type string`,
		`anyPattern ">1a" <- [0].=(n.m)[0].^(é): the operator > compares numbers`,
		`anyPattern 7 <- [1].metadata.labels.app: Kyverno ignores a label or annotation whose pattern is not a text`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
