package vmtarget

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// Usual returns the spec.template of an object that is a VirtualMachine in the most usual
// form: of the types that decoders return, and without an instance type or a preference.
// Then it is the Root of the only target that [Append] returns. For any other object, Usual
// returns nil.
func Usual(object map[string]any) any {
	if kind, _ := object["kind"].(string); kind != nameVirtualMachine {
		return nil
	}
	if version, _ := object["apiVersion"].(string); !strings.HasPrefix(version, groupKubeVirt+"/") {
		return nil
	}
	spec, ok := object["spec"].(map[string]any)
	if !ok {
		return usualOfYAML(object["spec"])
	}
	_, hasInstancetype := spec["instancetype"]
	_, hasPreference := spec["preference"]
	template, _ := spec["template"].(map[string]any)
	if template == nil || hasInstancetype || hasPreference {
		return nil
	}
	return template
}

// usualOfYAML is the rest of Usual for a spec as yaml.v2 decodes it.
func usualOfYAML(v any) any {
	spec, _ := v.(map[any]any)
	_, hasInstancetype := spec["instancetype"]
	_, hasPreference := spec["preference"]
	template, _ := spec["template"].(map[any]any)
	if template == nil || hasInstancetype || hasPreference || len(spec) > 100 || !value.HasOnlyStrings(spec) {
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

// usualPrefix is what Field writes before a path in a usual target that begins with a name.
var usualPrefix = UsualAt.String() + "."

// TextsOfNothing returns the Field and the PointerOf of a path that selects nothing below a location.
// It allocates nothing if they are those of the only place of the path in a usual target.
func TextsOfNothing(at jsonpath.Location, path *jsonpath.Path, usual jsonpath.Texts) jsonpath.Texts {
	if rest, ok := strings.CutSuffix(usual.Path, path.Text()); ok && rest == usualPrefix && slices.Equal(at, UsualAt) {
		return usual
	}
	return jsonpath.Texts{Path: at.Field(path), Pointer: at.PointerOf(path)}
}
