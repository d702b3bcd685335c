package vmfields

import (
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// lacks returns a condition that allows a field if its parent has no member of these names.
func lacks(names ...string) func(jsonpath.Around, any) bool {
	return func(in jsonpath.Around, parent any) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return in.Look(parent, name) != nil })
	}
}

var isNoOtherDisk = lacks("cdrom", "lun")

// isDisk allows what a preference sets on a real disk. A disk without a type becomes one.
func isDisk(in jsonpath.Around, disk any) bool {
	return in.Look(disk, "disk") != nil || isNoOtherDisk(in, disk)
}

// mayBeVirtio allows what needs a disk on the bus virtio. The preference may have just set
// the bus.
func mayBeVirtio(in jsonpath.Around, disk any) bool {
	bus := in.Look(disk, "disk", "bus")
	return isDisk(in, disk) && (jsonpath.IfEmptyText.Holds(bus) || bus == "virtio")
}

var isUnbound = lacks("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt", "passtBinding", "binding")

// isUnboundOnPodNetwork allows a binding if the interface has none, and the first network
// with its name is a pod network.
func isUnboundOnPodNetwork(in jsonpath.Around, nic any) bool {
	networks := in.Look(in.Object(), "spec", "networks")
	for i := range value.Len(networks) {
		if !in.Spend(1) {
			break
		}
		network, _ := value.Item(networks, i)
		name, _ := in.Look(network, "name").(string)
		if own, _ := in.Look(nic, "name").(string); name == own {
			return in.Look(network, "pod") != nil && isUnbound(in, nic)
		}
	}
	return false
}
