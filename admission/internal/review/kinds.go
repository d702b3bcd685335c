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

// vmPlaces lists the kinds that are validated, and where their VM is. A replica set has no VM,
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

func (q *Request) isVM() bool {
	_, ok := vmPlaces[q.Kind.GroupKind()]
	return ok
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

func (q *Request) isTemplate() bool { return IsTemplate(q.Kind.GroupKind()) }

// IsTemplate reports whether a kind is one of templates.
func IsTemplate(kind schema.GroupKind) bool { return slices.Contains(templateKinds, kind) }

// vmIn returns the VM in an object of the request's kind; nil if it is not there.
func (q *Request) vmIn(object map[string]any) map[string]any {
	return partOf(object, vmPlaces[q.Kind.GroupKind()]...)
}

func partOf(object map[string]any, place ...string) map[string]any {
	for _, name := range place {
		object, _ = object[name].(map[string]any)
	}
	return object
}
