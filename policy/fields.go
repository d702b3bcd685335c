package policy

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// A fieldType is the JSON type of a field in KubeVirt's API.
type fieldType int

const (
	anyType     fieldType = iota // the type is not known here
	integerType                  // a whole number
	stringType
	quantityType // a string or a number, such as "2Gi"
)

// fieldAt returns the field of KubeVirt's API that steps select. It is nil if there is none.
func fieldAt(steps []step) *vmapi.Field {
	f := vmapi.OfVM()
	for _, s := range steps {
		switch {
		case f == nil:
			return nil
		case nameIn(s) == "", f.Shape == vmapi.Map:
			f = f.Items
		default:
			f = f.Members[nameIn(s)]
		}
	}
	return f
}

// hasShape reports whether steps select a field of KubeVirt's API with this shape.
func hasShape(steps []step, shape vmapi.Shape) bool {
	f := fieldAt(steps)
	return f != nil && f.Shape == shape
}

// typeAt returns the type of the field that steps select. KubeVirt's CRD does not declare the fields
// of the metadata, of which only labels and annotations are known to be texts.
func typeAt(steps []step) fieldType {
	isDeclared := nameIn(steps[0]) == "spec" || hasShape(steps[:len(steps)-1], vmapi.Map)
	if !isDeclared || !hasShape(steps, vmapi.Scalar) {
		return anyType
	}
	switch fieldAt(steps).Type.Value().Sort {
	case vmapi.Integer:
		return integerType
	case vmapi.Text:
		return stringType
	case vmapi.Quantity:
		return quantityType
	}
	return anyType
}

// defaultAt returns what vmrules knows about the field that steps select. Its Default is nil if
// the field has none.
func defaultAt(steps []step) form.Place {
	text := "jsonpath::$"
	for _, s := range steps {
		text += s.String()
	}
	return placeOf(vmrules.MustParsePath(text))
}

// placeOf returns what vmrules knows about a path in a VM without any fields. The VM names an
// object in each field of setters.
func placeOf(path vmrules.Path, setters ...string) form.Place {
	spec := map[string]any{"template": map[string]any{"spec": map[string]any{}}}
	for _, setter := range setters {
		spec[setter] = map[string]any{"name": "any"}
	}
	rules, err := vmrules.NewRules([]vmrules.Rule{{Kind: vmrules.KindString, Name: "any", Path: path, Message: "any"}})
	if err != nil {
		return form.Place{} // the rule with this path is refused elsewhere
	}
	for resolved := range form.Resolve(rules, map[string]any{"kind": "VirtualMachine", "spec": spec}) {
		return resolved.AtPath
	}
	return form.Place{}
}
