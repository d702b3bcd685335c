package vmfields

import (
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// lacks returns a condition that allows a field if its parent has no member of these names.
func lacks(names ...string) func(jsonpath.Around, any) bool {
	return func(_ jsonpath.Around, parent any) bool {
		for _, name := range names {
			if has(parent, name) {
				return false
			}
		}
		return true
	}
}

var isNoOtherDisk = lacks("cdrom", "lun")

// isDisk allows what a preference sets on a real disk. A disk without a type becomes one.
func isDisk(in jsonpath.Around, disk any) bool { return has(disk, "disk") || isNoOtherDisk(in, disk) }

// mayBeVirtio allows what needs a disk on the bus virtio. The preference may have just set
// the bus.
func mayBeVirtio(in jsonpath.Around, disk any) bool {
	bus := value.At(disk, "disk", "bus")
	return isDisk(in, disk) && (jsonpath.IfZero.Holds(bus) || bus == "virtio")
}

var isUnbound = lacks("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt", "passtBinding", "binding")

// isUnboundOnPodNetwork allows a binding if the interface has none, and the first network
// with its name is a pod network.
func isUnboundOnPodNetwork(in jsonpath.Around, nic any) bool {
	networks := value.At(in.Object(), "spec", "networks")
	for i := range value.Len(networks) {
		if !in.Spend(1) {
			break
		}
		network, _ := value.Item(networks, i)
		if value.StringAt(network, "name") == value.StringAt(nic, "name") {
			return has(network, "pod") && isUnbound(in, nic)
		}
	}
	return false
}

// has reports whether an object has a member.
func has(v any, name string) bool {
	_, ok := value.Member(v, name)
	return ok
}
