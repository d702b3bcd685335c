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
	found := n.get(name)
	if found == nil || found.shape != scalar {
		return ""
	}
	return AsText(found.scalar)
}

// AsText returns a value that was read as the text of a parameter, which need not be in quotes.
func AsText(v any) string {
	if s, ok := v.(string); ok || v == nil {
		return s
	}
	text, _ := json.Marshal(v)
	return string(text)
}
