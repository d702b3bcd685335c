package vmtarget

import "strings"

// Usual returns the spec.template of an object that is a VirtualMachine in the most usual
// form: of the types that JSON decoders return, and without an instance type or a preference.
// Then it is the Root of the only target that [Append] returns. For any other object, Usual
// returns nil.
func Usual(object map[string]any) map[string]any {
	if kind, _ := object["kind"].(string); kind != nameVirtualMachine {
		return nil
	}
	if version, _ := object["apiVersion"].(string); !strings.HasPrefix(version, groupKubeVirt+"/") {
		return nil
	}
	spec, _ := object["spec"].(map[string]any)
	if _, ok := spec["instancetype"]; ok {
		return nil
	}
	if _, ok := spec["preference"]; ok {
		return nil
	}
	template, _ := spec["template"].(map[string]any)
	return template
}

// UsualAt is the location of what Usual returns.
var UsualAt = specTemplate

// UsualTarget returns the target for what Usual returned.
func UsualTarget(object, template map[string]any) Target {
	return Target{VM: object, At: specTemplate, Root: template}
}
