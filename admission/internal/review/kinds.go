package review

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// API groups.
const (
	groupKubeVirt          = "kubevirt.io"
	GroupInstancetype      = "instancetype.kubevirt.io"
	groupOpenShiftTemplate = "template.openshift.io"
	groupKubeVirtTemplate  = "template.kubevirt.io"
)

// VMKind is the kind of the VMs of a cluster.
var VMKind = schema.GroupVersionKind{Group: groupKubeVirt, Version: "v1", Kind: "VirtualMachine"}

// vmPlaces lists the kinds that are validated, and where their VM is. A replica set has no VM,
// but a template for instances.
var vmPlaces = map[schema.GroupKind][]string{
	{Group: groupKubeVirt, Kind: "VirtualMachine"}:                   {},
	{Group: groupKubeVirt, Kind: "VirtualMachineInstance"}:           {},
	{Group: groupKubeVirt, Kind: "VirtualMachineInstanceReplicaSet"}: {"spec", "template"},
	{Group: "pool.kubevirt.io", Kind: "VirtualMachinePool"}:          {"spec", "virtualMachineTemplate"},
}

// templateKinds lists the kinds of templates, in the order in which a template is looked for.
var templateKinds = []schema.GroupKind{
	{Group: groupOpenShiftTemplate, Kind: "Template"},
	{Group: groupKubeVirtTemplate, Kind: "VirtualMachineTemplate"},
}

// vmHeld returns the VM in an object of a template; nil if that is of another kind than those in vmPlaces.
func vmHeld(object map[string]any) map[string]any {
	kind := schema.FromAPIVersionAndKind(TextAt(object, "apiVersion"), TextAt(object, "kind"))
	for k, place := range vmPlaces {
		if k.Kind == kind.Kind && (k.Group == kind.Group || kind.Version == "") {
			return partOf(object, place...)
		}
	}
	if kind.Kind == "" {
		return object
	}
	return nil
}

// IsTemplate reports whether a kind is one of templates.
func IsTemplate(kind schema.GroupKind) bool { return slices.Contains(templateKinds, kind) }

func partOf(object map[string]any, place ...string) map[string]any {
	for _, name := range place {
		object, _ = object[name].(map[string]any)
	}
	return object
}
