package admission

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// API groups.
const (
	groupKubeVirt          = "kubevirt.io"
	groupPool              = "pool.kubevirt.io"
	groupInstancetype      = "instancetype.kubevirt.io"
	groupOpenShiftTemplate = "template.openshift.io"
	groupKubeVirtTemplate  = "template.kubevirt.io"
)

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
func (q *request) isVM() bool {
	_, ok := vmPlaces[q.kind.GroupKind()]
	return ok
}

// isTemplate reports whether a request is about a template.
func (q *request) isTemplate() bool { return slices.Contains(templateKinds, q.kind.GroupKind()) }

// vmIn returns the VM in an object of the request's kind; nil if it is not there.
func (q *request) vmIn(object map[string]any) map[string]any {
	for _, name := range vmPlaces[q.kind.GroupKind()] {
		object, _ = object[name].(map[string]any)
	}
	return object
}

// setKind sets the kind of an object that does not say it. It returns an error if the object
// says another one, as which it would be judged.
func setKind(object map[string]any, kind schema.GroupVersionKind) error {
	version, name := kind.ToAPIVersionAndKind()
	for key, want := range map[string]string{"apiVersion": version, "kind": name} {
		if got, ok := object[key]; ok && got != "" && got != want {
			return fmt.Errorf("the object has the %s %q, but the request is about %q", key, fmt.Sprint(got), want)
		}
		object[key] = want
	}
	return nil
}
