package manifest

import "encoding/json"

// A Parameter is a parameter that a template declares.
type Parameter struct {
	Name     string
	value    string
	required bool
	generate string // the generator of a value, if there is none: expression
	from     string // what the generator takes
}

// Parameters returns the parameters that a template declares, and nil for other objects.
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

// written returns a scalar as text, even if its quotes were forgotten: "4" for 4.
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

func (p Parameter) fill(given map[string]string) (string, error) {
	if value, ok := given[p.Name]; ok {
		return value, nil
	}
	if p.value == "" && p.generate != "" {
		return p.generated()
	}
	return p.value, nil
}
