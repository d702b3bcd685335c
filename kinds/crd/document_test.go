package crd_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd"
)

func TestRules(t *testing.T) {
	asJSON := `{"type": "object", "properties": {"spec": {"type": "object", "properties": {"replicas": {"type": "integer", "maximum": 10}}}}}`
	asYAML := `# a schema as it is written
type: object
properties:
  spec:
    type: object
    properties: {replicas: {type: integer}}
    x-kubernetes-validations: [{rule: self.replicas <= 10, message: too many, reason: FieldValueForbidden, fieldPath: .replicas}]
---
`
	thing := func(replicas any) map[string]any {
		return map[string]any{
			"apiVersion": "example.io/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"},
			"spec": map[string]any{"replicas": replicas},
		}
	}
	for name, test := range map[string]struct {
		document string
		object   map[string]any
		want     []string // for each result, the outcome, and the fields, reasons and messages of its violations
	}{
		"JSON":       {asJSON, thing(10), []string{"Satisfied"}},
		"YAML":       {asYAML, thing(10), []string{"Satisfied"}},
		"refused":    {asYAML, thing(11), []string{"Violated spec.replicas FieldValueForbidden too many"}},
		"any object": {asJSON, map[string]any{}, []string{"Satisfied"}},
		"no object":  {asJSON, nil, []string{"Undecided  InternalError the object must fit its schema"}},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := crd.Rules([]byte(test.document))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range vmrules.Validate(rules, test.object).Results() {
				line := string(r.Outcome)
				for _, v := range r.Violations {
					line += fmt.Sprintf(" %s %s %s", v.Field, v.Reason, v.Message)
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRulesRefused(t *testing.T) {
	for name, test := range map[string]struct {
		document, want string
		isParseError   bool
	}{
		"an empty text":          {"", "the document is empty", false},
		"only comments":          {"# a\n---\n# b\n", "the document is empty", false},
		"more than one document": {"type: object\n---\ntype: object\n", "more than one document", false},
		"not YAML":               {"a: [", "neither JSON nor YAML", false},
		"a key given twice":      {"type: object\ntype: object\n", "already set", false},
		"no object":              {"[]", "must be an object, not an array", true},
		"an object":              {"apiVersion: v1\nkind: Pod\n", "kind: is not known", true},
		"a wrong schema":         {"type: object\nproperties: {a: {type: intger}}\n", `properties[a].type: "intger" is not supported`, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := crd.Rules([]byte(test.document))
			var parse *vmrules.ParseError
			if err == nil || !strings.Contains(err.Error(), test.want) || errors.As(err, &parse) != test.isParseError {
				t.Errorf("got %T: %v, want one with %q", err, err, test.want)
			}
		})
	}
}
