package crd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd"
)

const thingYAML = `# a definition as it is written
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.io}
spec:
  group: example.io
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: x, type: string, jsonPath: .x}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, minimum: 1, default: 1, format: an-own-one}
              limit: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
            x-kubernetes-validations:
            - {rule: "self.replicas <= 10", message: too many, reason: FieldValueForbidden, fieldPath: .replicas}
---
`

func TestRules(t *testing.T) {
	asJSON := `{"type": "object", "properties": {"spec": {"type": "object", "properties": {"replicas": {"type": "integer", "maximum": 10}}}}}`
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
		"definition":          {thingYAML, thing(2), []string{"Satisfied"}},
		"definition, refused": {thingYAML, thing(11), []string{"Violated spec.replicas FieldValueForbidden too many"}},
		"definition, by default": {
			thingYAML,
			map[string]any{"apiVersion": "example.io/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{}},
			[]string{"Satisfied"},
		},
		"definition, other kind": {thingYAML, map[string]any{"apiVersion": "v1", "kind": "Pod"}, []string{"Skipped"}},
		"schema":                 {asJSON, thing(10), []string{"Satisfied"}},
		"schema, refused":        {asJSON, thing(11), []string{"Violated spec.replicas FieldValueInvalid the object must fit its schema"}},
		"schema, any object":     {asJSON, map[string]any{}, []string{"Satisfied"}},
		"no object":              {asJSON, nil, []string{"Undecided  InternalError the object must fit its schema"}},
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
		"another kind":           {"apiVersion: v1\nkind: Pod\n", "must be a CustomResourceDefinition of apiextensions.k8s.io/v1", true},
		"a wrong schema":         {"type: object\nproperties: {a: {type: intger}}\n", `properties[a].type: "intger" is not supported`, true},
		"a wrong version": {
			strings.Replace(thingYAML, "minimum", "minimun", 1),
			`spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[replicas].minimun: is not known: did you mean "minimum"?`,
			true,
		},
		"preserveUnknownFields": {
			strings.Replace(thingYAML, "spec:\n", "spec:\n  preserveUnknownFields: true\n", 1),
			"preserveUnknownFields: must be false", true,
		},
		"nothing served": {strings.Replace(thingYAML, "served: true", "served: false", 1), "has no version that is served", true},
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

// The result of Rules can be marshalled and read again.
func TestRulesAgain(t *testing.T) {
	rules, err := crd.Rules([]byte(thingYAML))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	again, err := vmrules.ParseRules(string(text), vmrules.WithKind("crd", crd.Definition), vmrules.WholeObjects())
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{"apiVersion": "example.io/v1", "kind": "Thing", "spec": map[string]any{"replicas": 0}}
	if diff := cmp.Diff(vmrules.Validate(rules, object), vmrules.Validate(again, object)); diff != "" {
		t.Errorf("reports (-first +again):\n%s", diff)
	}
}

// Rules reads a definition as large as that of VirtualMachine.
func TestRulesOfBigDefinition(t *testing.T) {
	t.Parallel()
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	text := strings.Repeat("what the field is for ", 5)
	level := map[string]any{}
	for i := range 200 {
		level[fmt.Sprint("f", i)] = map[string]any{"type": "string", "maxLength": 10, "description": text}
	}
	root := map[string]any{}
	for i := range 40 {
		root[fmt.Sprint("s", i)] = map[string]any{
			"type": "array", "maxItems": 10, "items": object(level), "x-kubernetes-validations": []any{map[string]any{"rule": "self.size() < 3"}},
		}
	}
	document, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.example.io"},
		"spec": map[string]any{
			"group": "example.io", "scope": "Cluster", "names": map[string]any{"kind": "Thing"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "schema": map[string]any{"openAPIV3Schema": object(map[string]any{"spec": object(root)})}}},
		},
	})
	if err != nil || len(document) < 1<<20 {
		t.Fatalf("%d bytes: %v", len(document), err)
	}
	rules, err := crd.Rules(document)
	if err != nil {
		t.Fatal(err)
	}
	report := vmrules.Validate(rules, map[string]any{
		"apiVersion": "example.io/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"s3": []any{map[string]any{"f1": "x"}, map[string]any{"f2": 5}}},
	})
	var got []string
	for _, v := range report.Violations() {
		got = append(got, v.Field+" "+string(v.Reason))
	}
	if diff := cmp.Diff([]string{"spec.s3[1].f2 FieldValueTypeInvalid"}, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}
