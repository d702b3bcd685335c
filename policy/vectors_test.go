package policy

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// parseAll is for rules without problems.
func parseAll(t testing.TB, rules ...any) vmrules.Rules {
	t.Helper()
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := vmrules.ParseRules(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// A vector is a rule and its translation. The rule has no name and no message: they are
// the same in all vectors.
type vector struct {
	Name         string
	Rule         map[string]any
	Policy       string   `json:",omitempty"`
	Warning      string   `json:",omitempty"`
	Update       string   `json:",omitempty"` // what is added to the policy, so that it forgives updates
	Untranslated []string `json:",omitempty"`
}

func (v vector) translated(t *testing.T) vector {
	t.Helper()
	rule := map[string]any{"name": "r", "message": "m"}
	maps.Copy(rule, v.Rule)
	rules := parseAll(t, rule)
	out := translate(rules, Scope{WithoutRatcheting: true})
	got := vector{Name: v.Name, Rule: v.Rule}
	for _, p := range out.denying {
		got.Policy = p.expression
	}
	for _, p := range out.warning {
		got.Warning = p.expression
	}
	for _, u := range out.untranslated {
		got.Untranslated = append(got.Untranslated, u.String())
	}
	if v.Update != "" {
		got.Update = strings.TrimPrefix(translate(rules, Scope{}).denying[0].expression, grouped(got.Policy, " ? ")+" || ")
	}
	return got
}

// The vectors show the translation of each kind and argument.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	var got []vector
	for _, v := range vectors {
		got = append(got, v.translated(t))
	}
	if diff := cmp.Diff(vectors, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
