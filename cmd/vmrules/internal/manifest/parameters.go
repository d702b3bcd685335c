package manifest

import (
	"encoding/json"

	"github.com/vmrules/vmrules/form"
)

// Parameters returns the parameters that a template declares, and nil for other objects.
func (o Object) Parameters() []form.Parameter {
	if !o.IsTemplate() {
		return nil
	}
	path := []string{"parameters"}
	if o.Kind == kindKubeVirt {
		path = []string{"spec", "parameters"}
	}
	declared := o.tree().get(path...)
	if declared == nil {
		return nil
	}
	var all []form.Parameter
	for _, n := range declared.items {
		required := n.get("required")
		all = append(all, form.Parameter{
			Name: n.text("name"), Value: n.written("value"), Generate: n.text("generate"), From: n.text("from"),
			Required: required != nil && required.scalar == true,
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
