package policy

import (
	"slices"

	"github.com/vmrules/vmrules"
)

// setters holds the fields of a VM's spec that name objects from which KubeVirt sets other
// fields when it starts the VM. The VM alone does not show the values of those fields.
var setters = []string{"instancetype", "preference"}

// maySet reports whether the object that a setter names may set a field that one of the rule's
// paths selects.
func maySet(setter string, r vmrules.Rule) bool {
	return slices.ContainsFunc(pathsOf(r), func(path vmrules.Path) bool { return placeOf(path, setter).MayBeSet })
}
