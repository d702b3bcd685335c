package crd

import (
	"slices"

	"github.com/vmrules/vmrules"
)

// setters are the fields of a VM's spec that name what KubeVirt sets fields from when
// it starts the VM. Those fields, and all below them, are not what the VM says.
var setters = []string{"instancetype", "preference"}

// maySet reports whether what a field of setters names may set what one of a rule's
// paths selects.
func maySet(setter string, r vmrules.Rule) bool {
	paths := []vmrules.Path{r.Path, r.Valid, r.ValuesFrom}
	for _, a := range append([]vmrules.Argument{r.Min, r.Max, r.MinLength, r.MaxLength, r.Regex}, r.Values...) {
		if path, ok := a.Path(); ok {
			paths = append(paths, path)
		}
	}
	return slices.ContainsFunc(paths, func(path vmrules.Path) bool {
		return !path.IsZero() && placeOf(path, setter).MayBeSet
	})
}
