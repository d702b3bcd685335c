package vmtarget

import (
	"strings"

	"github.com/vmrules/vmrules/internal/value"
)

// Usual returns the spec.template of an object that is a VirtualMachine in the most usual
// form: with its kind and version, and without an instance type or a preference.
// Then it is the Root of the only target that [Append] returns. For any other object, Usual
// returns nil.
func Usual(object map[string]any) any {
	kind, _ := object["kind"].(string)
	version, _ := object["apiVersion"].(string)
	if kind != nameVirtualMachine || !strings.HasPrefix(version, groupKubeVirt+"/") {
		return nil
	}
	spec := value.Resolve(object["spec"])
	if value.RawMember(spec, "instancetype") != nil || value.RawMember(spec, "preference") != nil {
		return nil
	}
	template, _ := value.Member(spec, "template")
	if value.ShapeOf(template) != value.Object {
		return nil
	}
	return template
}

// UsualAt is the location of what Usual returns.
var UsualAt = specTemplate

// UsualTarget returns the target for what Usual returned.
func UsualTarget(object map[string]any, template any) Target {
	return Target{VM: object, At: specTemplate, Root: template}
}
