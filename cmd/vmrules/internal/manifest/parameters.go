package manifest

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
)

// A template's parameters are filled in as OpenShift does it: ${NAME} anywhere
// in a string, and ${{NAME}} as a whole string, which becomes a value of any
// type.
var (
	reference      = regexp.MustCompile(`\$\{([a-zA-Z0-9_]+)\}`)
	valueReference = regexp.MustCompile(`^\$\{\{([a-zA-Z0-9_]+)\}\}$`)
)

// A Parameter is one that a template declares.
type Parameter struct {
	Name     string
	value    string
	required bool
	generate string
	from     string
}

// Parameters are those that a template declares.
func (o Object) Parameters() []Parameter {
	declared := o.node.get("parameters")
	if o.Kind == kindKubeVirt {
		declared = o.node.get("spec", "parameters")
	}
	if declared == nil || !o.IsTemplate() {
		return nil
	}
	var all []Parameter
	for _, n := range declared.items {
		required := n.get("required")
		all = append(all, Parameter{
			Name: n.text("name"), value: n.written("value"), generate: n.text("generate"), from: n.text("from"),
			required: required != nil && required.scalar == true,
		})
	}
	return all
}

// written is a value as text, also where its quotes were forgotten.
func (n *node) written(name string) string {
	switch found := n.get(name); {
	case found == nil || found.shape != scalar || found.scalar == nil:
		return ""
	default:
		return asText(found.scalar)
	}
}

func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// A Filled template has values in place of its parameters.
type Filled struct {
	Content map[string]any
	Missing []string // required parameters that have no value, and stand as they were
}

// Fill fills in the parameters of a template: with the values given by name, with
// its own, or with generated ones, which are always the same. An error says what
// cannot be generated.
func (o Object) Fill(given map[string]string) (Filled, error) {
	var filled Filled
	values := map[string]string{}
	for _, p := range o.Parameters() {
		value, err := p.fill(given)
		if err != nil {
			return filled, &Error{File: o.file.Name, Line: o.Line, Column: 1, Message: err.Error(), cause: err}
		}
		if value == "" && p.required {
			filled.Missing = append(filled.Missing, p.Name)
			continue
		}
		values[p.Name] = value
	}
	filled.Content = substitute(o.Content(), values).(map[string]any)
	return filled, nil
}

func (p Parameter) fill(given map[string]string) (string, error) {
	if value, ok := given[p.Name]; ok {
		return value, nil
	}
	if p.value == "" && p.generate != "" {
		return p.generated()
	}
	return p.value, nil
}

// substitute makes a copy of a value with the references in it replaced. What
// refers to no parameter that has a value stays as it is.
func substitute(v any, values map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, value := range v {
			all[substituteText(key, values)] = substitute(value, values)
		}
		return all
	case []any:
		all := make([]any, 0, len(v))
		for _, item := range v {
			all = append(all, substitute(item, values))
		}
		return all
	case string:
		if found := valueReference.FindStringSubmatch(v); found != nil {
			if value, ok := values[found[1]]; ok {
				return typed(value)
			}
		}
		return substituteText(v, values)
	}
	return v
}

func substituteText(s string, values map[string]string) string {
	return reference.ReplaceAllStringFunc(s, func(whole string) string {
		if value, ok := values[whole[len("${"):len(whole)-len("}")]]; ok {
			return value
		}
		return whole
	})
}

// typed is the JSON value that a text is, or else the text.
func typed(text string) any {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return text
	}
	if _, err := decoder.Token(); err != io.EOF {
		return text
	}
	return v
}
