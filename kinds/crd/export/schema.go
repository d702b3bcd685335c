package export

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A leastSchema builds a structural schema that declares only what rules read.
type leastSchema struct {
	members map[string]*leastSchema
	items   *leastSchema
	leaf    *apiextensionsv1.JSONSchemaProps // nil for an object or list
	anyName *apiextensionsv1.JSONSchemaProps // the schema of the values of a map

	references []string // only in the root: the setters that are declared in the VM's spec
}

func newSchema() *leastSchema { return &leastSchema{} }

// The bounds in the schema, from which the API server estimates the cost of an expression.
const (
	schemaItems  = 64
	schemaLength = 256
)

// add declares the field that steps select.
func (s *leastSchema) add(steps []step, of fieldType) error {
	at := s
	for i, step := range steps {
		if isMap(fieldKey(steps[:i])) {
			if i < len(steps)-1 || step.name == "" {
				return refuse("", "the members of %s are scalars, without fields", fieldKey(steps[:i]))
			}
			at.anyName = propsOf(of)
			return nil
		}
		if _, ok := apiservercel.Escape(step.name); !ok && step.name != "" {
			return refuse("", "the rules of a CRD cannot read a property with the name %q", step.name)
		}
		next := at.below(step)
		if at.isMixed() {
			return refuseMixed(steps[:i])
		}
		at = next
	}
	switch containers[fieldKey(steps)] {
	case "object":
		if at.members == nil && !isMap(fieldKey(steps)) {
			at.members = map[string]*leastSchema{}
		}
	case "array":
		at.below(step{index: 0})
	default:
		at.leaf = propsOf(of)
	}
	if at.isMixed() {
		return refuseMixed(steps)
	}
	return nil
}

// isMixed reports whether a field would have to be more than one of an object, an array and a
// scalar.
func (s *leastSchema) isMixed() bool {
	return s.leaf != nil && (s.members != nil || s.items != nil) || s.members != nil && s.items != nil
}

func refuseMixed(steps []step) error {
	return refuse("", "the paths of the rule disagree on whether %s is an object, an array or a scalar", fieldKey(steps))
}

func (s *leastSchema) below(step step) *leastSchema {
	if step.name == "" {
		if s.items == nil {
			s.items = newSchema()
		}
		return s.items
	}
	if s.members == nil {
		s.members = map[string]*leastSchema{}
	}
	if s.members[step.name] == nil {
		s.members[step.name] = newSchema()
	}
	return s.members[step.name]
}

// accepts reports whether one schema can declare all fields of s and of other.
func (s *leastSchema) accepts(other *leastSchema) bool {
	if s == nil || other == nil {
		return true
	}
	if s.form() != 0 && other.form() != 0 && s.form() != other.form() {
		return false
	}
	for name, member := range other.members {
		if !s.members[name].accepts(member) {
			return false
		}
	}
	return s.items.accepts(other.items)
}

func (s *leastSchema) form() int {
	switch {
	case s.members != nil:
		return 1
	case s.items != nil:
		return 2
	case s.leaf != nil:
		return 3
	case s.anyName != nil:
		return 4
	}
	return 0
}

func (s *leastSchema) merge(other *leastSchema) {
	s.references = append(s.references, other.references...)
	if other.leaf != nil {
		s.leaf = other.leaf
	}
	if other.anyName != nil {
		s.anyName = other.anyName
	}
	if other.items != nil {
		s.below(step{index: 0}).merge(other.items)
	}
	for name, member := range other.members {
		s.below(step{name: name}).merge(member)
	}
}

func (s *leastSchema) props() *apiextensionsv1.JSONSchemaProps {
	switch s.form() {
	case 0:
		return &apiextensionsv1.JSONSchemaProps{Type: "object"}
	case 2:
		return &apiextensionsv1.JSONSchemaProps{
			Type: "array", MaxItems: new(int64(schemaItems)),
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: s.items.props()},
		}
	case 3:
		return s.leaf
	case 4:
		return &apiextensionsv1.JSONSchemaProps{
			Type: "object", MaxProperties: new(int64(schemaItems)),
			AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: s.anyName},
		}
	}
	p := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		p.Properties[name] = *s.members[name].props()
	}
	return p
}

// propsOf returns the schema of a field. A field of unknown type may be a whole number or a
// string: CEL can distinguish them.
func propsOf(of fieldType) *apiextensionsv1.JSONSchemaProps {
	switch of {
	case integerType:
		return &apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int64"}
	case stringType:
		return &apiextensionsv1.JSONSchemaProps{Type: "string", MaxLength: new(int64(schemaLength))}
	}
	return &apiextensionsv1.JSONSchemaProps{XIntOrString: true, MaxLength: new(int64(schemaLength))}
}

// ofVM returns the schema of a VirtualMachine with rules, and with s at spec.template.
func (s *leastSchema) ofVM(rules []apiextensionsv1.ValidationRule) *apiextensionsv1.JSONSchemaProps {
	object := func(name string, of *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
		return &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{name: *of}}
	}
	s.below(step{name: "spec"})
	spec := object("template", s.props())
	for _, reference := range s.references {
		spec.Properties[reference] = *object("name", propsOf(stringType))
	}
	template := spec.Properties["template"]
	if inside := template.Properties["spec"]; inside.Properties["domain"].Type != "" {
		inside.Required = []string{"domain"}
		template.Properties["spec"] = inside
	}
	vm := object("spec", spec)
	vm.XValidations = rules
	return vm
}
