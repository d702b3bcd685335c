package lint

import (
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// A KnownField is a field that KubeVirt's API gives a VM.
type KnownField struct {
	Name string `json:"name"`
	// Shape is "object", "array", "map" (an object with any names), "scalar" or "any".
	Shape string `json:"shape"`
	// Values are the values that KubeVirt lists for the field, if it lists any.
	Values []string `json:"values,omitempty"`
}

var shapes = map[vmapi.Shape]string{
	vmapi.Object: "object", vmapi.Array: "array", vmapi.Map: "map", vmapi.Scalar: "scalar", vmapi.Any: "any",
}

// KnownFields returns the fields that a VM may have in the objects that a path selects, sorted
// by name, for instance for an editor that completes paths. For the zero Path it returns those
// of the VM's spec.template. Of a newer KubeVirt, a VM may have other fields, too.
func KnownFields(path vmrules.Path) []KnownField {
	at := []*field{vmapi.OfVM()}
	for _, step := range fieldpath.Steps(path) {
		if descent, ok := step.(fieldpath.Descent); ok {
			at, step = belowAll(at), descent.Step()
		}
		at = stepAll(at, step)
	}
	members := map[string]*field{}
	for _, f := range at {
		maps.Copy(members, f.Members)
	}
	known := make([]KnownField, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		f := members[name]
		known = append(known, KnownField{name, shapes[f.Shape], slices.Clone(f.Type.Value().Values)})
	}
	return known
}
