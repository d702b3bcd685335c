package review

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// API groups.
const (
	groupKubeVirt          = "kubevirt.io"
	groupPool              = "pool.kubevirt.io"
	GroupInstancetype      = "instancetype.kubevirt.io"
	groupOpenShiftTemplate = "template.openshift.io"
	groupKubeVirtTemplate  = "template.kubevirt.io"
)

// VMKind is the kind of the VMs of a cluster.
var VMKind = schema.GroupVersionKind{Group: groupKubeVirt, Version: "v1", Kind: "VirtualMachine"}

// vmPlaces lists the kinds that are judged, and where their VM is. A replica set has no VM,
// but a template for instances.
var vmPlaces = map[schema.GroupKind][]string{
	{Group: groupKubeVirt, Kind: "VirtualMachine"}:                   {},
	{Group: groupKubeVirt, Kind: "VirtualMachineInstance"}:           {},
	{Group: groupKubeVirt, Kind: "VirtualMachineInstanceReplicaSet"}: {"spec", "template"},
	{Group: groupPool, Kind: "VirtualMachinePool"}:                   {"spec", "virtualMachineTemplate"},
}

// templateKinds lists the kinds of templates, in the order in which a template is looked for.
var templateKinds = []schema.GroupKind{
	{Group: groupOpenShiftTemplate, Kind: "Template"},
	{Group: groupKubeVirtTemplate, Kind: "VirtualMachineTemplate"},
}

// isVM reports whether a request is about an object of a kind in vmPlaces.
func (q *Request) isVM() bool {
	_, ok := vmPlaces[q.Kind.GroupKind()]
	return ok
}

// mayHoldVM reports whether an object in a template is of a kind in vmPlaces, or may be.
func mayHoldVM(object map[string]any) bool {
	kind := schema.FromAPIVersionAndKind(TextAt(object, "apiVersion"), TextAt(object, "kind"))
	for k := range vmPlaces {
		if k.Kind == kind.Kind && (k.Group == kind.Group || kind.Version == "") {
			return true
		}
	}
	return kind.Kind == ""
}

// isTemplate reports whether a request is about a template.
func (q *Request) isTemplate() bool { return slices.Contains(templateKinds, q.Kind.GroupKind()) }

// vmIn returns the VM in an object of the request's kind; nil if it is not there.
func (q *Request) vmIn(object map[string]any) map[string]any {
	for _, name := range vmPlaces[q.Kind.GroupKind()] {
		object, _ = object[name].(map[string]any)
	}
	return object
}
