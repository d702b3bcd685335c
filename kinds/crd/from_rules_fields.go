package crd

import (
	"iter"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// A fieldType is the JSON type of a field in KubeVirt's API.
type fieldType int

const (
	anyType     fieldType = iota // the type is not known here
	integerType                  // a whole number
	stringType
	quantityType // a string or a number, such as "2Gi"
)

// typesOf has the types of the fields that most rules are about, by their paths below a VM's
// spec.template. In a path, [] stands for any item of a list.
var typesOf = map[string]fieldType{
	"spec.domain.cpu.cores":                             integerType,
	"spec.domain.cpu.sockets":                           integerType,
	"spec.domain.cpu.maxSockets":                        integerType,
	"spec.domain.cpu.threads":                           integerType,
	"spec.domain.cpu.model":                             stringType,
	"spec.domain.memory.guest":                          quantityType,
	"spec.domain.memory.maxGuest":                       quantityType,
	"spec.domain.memory.hugepages.pageSize":             stringType,
	"spec.domain.machine.type":                          stringType,
	"spec.domain.ioThreadsPolicy":                       stringType,
	"spec.domain.devices.disks[].name":                  stringType,
	"spec.domain.devices.disks[].serial":                stringType,
	"spec.domain.devices.disks[].cache":                 stringType,
	"spec.domain.devices.disks[].io":                    stringType,
	"spec.domain.devices.disks[].tag":                   stringType,
	"spec.domain.devices.disks[].bootOrder":             integerType,
	"spec.domain.devices.disks[].disk.bus":              stringType,
	"spec.domain.devices.disks[].cdrom.bus":             stringType,
	"spec.domain.devices.disks[].lun.bus":               stringType,
	"spec.domain.devices.interfaces[].name":             stringType,
	"spec.domain.devices.interfaces[].model":            stringType,
	"spec.domain.devices.interfaces[].macAddress":       stringType,
	"spec.domain.devices.interfaces[].pciAddress":       stringType,
	"spec.domain.devices.interfaces[].tag":              stringType,
	"spec.domain.devices.interfaces[].bootOrder":        integerType,
	"spec.domain.devices.interfaces[].ports[].name":     stringType,
	"spec.domain.devices.interfaces[].ports[].protocol": stringType,
	"spec.domain.devices.interfaces[].ports[].port":     integerType,
	"spec.domain.devices.inputs[].bus":                  stringType,
	"spec.domain.devices.inputs[].type":                 stringType,
	"spec.domain.devices.inputs[].name":                 stringType,
	"spec.hostname":                                     stringType,
	"spec.subdomain":                                    stringType,
	"spec.architecture":                                 stringType,
	"spec.evictionStrategy":                             stringType,
	"spec.priorityClassName":                            stringType,
	"spec.schedulerName":                                stringType,
	"spec.terminationGracePeriodSeconds":                integerType,
	"spec.networks[].name":                              stringType,
	"spec.networks[].multus.networkName":                stringType,
	"spec.volumes[].name":                               stringType,
	"spec.volumes[].containerDisk.image":                stringType,
	"spec.volumes[].dataVolume.name":                    stringType,
	"spec.volumes[].persistentVolumeClaim.claimName":    stringType,
	"spec.domain.features.hyperv.spinlocks.spinlocks":   integerType,
}

// mapsOf has the objects whose members may have any names, and the types of the members.
var mapsOf = map[string]fieldType{
	"metadata.labels":                stringType,
	"metadata.annotations":           stringType,
	"spec.nodeSelector":              stringType,
	"spec.domain.resources.requests": quantityType,
	"spec.domain.resources.limits":   quantityType,
}

func isMap(at string) bool {
	_, ok := mapsOf[at]
	return ok
}

// containers has all fields that contain a field of typesOf or mapsOf, and whether they are an
// object or an array.
var containers = func() map[string]string {
	found := map[string]string{}
	for field := range mapsOf {
		found[field] = "object"
	}
	for _, fields := range []iter.Seq[string]{maps.Keys(typesOf), maps.Keys(mapsOf)} {
		for field := range fields {
			for i := range field {
				switch {
				case field[i] == '.':
					found[field[:i]] = "object"
				case field[i] == '[':
					found[field[:i]] = "array"
				}
			}
		}
	}
	return found
}()

// typeAt returns the type of the field that steps select.
func (t *translator) typeAt(steps []step) fieldType {
	if t.anyTypes {
		return anyType
	}
	if n := len(steps) - 1; steps[n].name != "" {
		if of, ok := mapsOf[fieldKey(steps[:n])]; ok {
			return of
		}
	}
	return typesOf[fieldKey(steps)]
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
		at = at.below(step)
		if at.leaf != nil && i < len(steps)-1 {
			return refuse("", "%s is a scalar, without fields", fieldKey(steps[:i+1]))
		}
	}
	switch containers[fieldKey(steps)] {
	case "object":
		if at.members == nil && !isMap(fieldKey(steps)) {
			at.members = map[string]*leastSchema{}
		}
	case "array":
		at.below(step{index: 0})
	default:
		if at.members != nil || at.items != nil {
			return refuse("", "the rule reads %s both as a scalar and as an object or array", fieldKey(steps))
		}
		at.leaf = propsOf(of)
	}
	return nil
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
