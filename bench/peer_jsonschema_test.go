package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaPeer has one schema for all rules, in the shape of a VM. Each rule is a
// definition, to which the schema refers at the rule's path.
type schemaPeer struct {
	schema *jsonschema.Schema
	err    error
}

func prepareJSONSchema(set ruleSet) (judge, error) {
	if err := set.needsOnlyRE2(); err != nil {
		return nil, err
	}
	definitions := map[string]any{}
	root := map[string]any{"$defs": definitions}
	for _, r := range set.rules {
		if r.Path == memoryPath {
			return nil, fmt.Errorf("rule %s: quantities such as 8Gi have no order", r.Name)
		}
		definitions[r.Name] = schemaOf(r)
		at := schemaAt(root, append([]string{"spec", "template"}, r.steps()...), r.optional())
		refs, _ := at["allOf"].([]any)
		at["allOf"] = append(refs, map[string]any{"$ref": definition + r.Name})
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("rules.json", root); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile("rules.json")
	return &schemaPeer{schema: schema}, err
}

const definition = "#/$defs/"

func (j *schemaPeer) judge(vm map[string]any) { j.err = j.schema.Validate(vm) }

func (j *schemaPeer) violated() []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(j.err, &invalid) {
		return nil
	}
	return violatedIn(invalid)
}

// violatedIn returns the names of the rules whose definitions caused an error.
func violatedIn(err *jsonschema.ValidationError) []string {
	if _, name, ok := strings.Cut(err.SchemaURL, definition); ok {
		return []string{name}
	}
	var names []string
	for _, cause := range err.Causes {
		names = append(names, violatedIn(cause)...)
	}
	return names
}

// schemaAt returns the part of a schema at the steps. It adds missing parts, and requires
// each field on the way unless it is optional.
func schemaAt(schema map[string]any, steps []string, optional bool) map[string]any {
	for _, step := range steps {
		if step == "*" {
			schema = childOf(schema, "items")
			continue
		}
		if required, _ := schema["required"].([]any); !optional && !slices.Contains(required, any(step)) {
			schema["required"] = append(required, step)
		}
		schema = childOf(childOf(schema, "properties"), step)
	}
	return schema
}

// schemaOf returns the schema of a value that satisfies the rule.
func schemaOf(r rule) map[string]any {
	switch r.Kind {
	case "integer":
		return map[string]any{"type": "integer", "minimum": r.Min, "maximum": r.Max}
	case "string":
		return map[string]any{"type": "string", "minLength": r.MinLength, "maxLength": r.MaxLength}
	case "regex":
		return map[string]any{"type": "string", "pattern": r.Regex}
	}
	return map[string]any{"enum": r.Values}
}

func childOf(schema map[string]any, name string) map[string]any {
	if schema[name] == nil {
		schema[name] = map[string]any{}
	}
	return schema[name].(map[string]any)
}
