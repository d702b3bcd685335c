package vmrules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A setters value is a set of the objects that a VM names and from which KubeVirt
// sets fields when it starts the VM.
type setters = jsonpath.Setters

const (
	byInstancetype setters = 1 << iota
	byPreference
	byEither = byInstancetype | byPreference
)

// settersOf returns the objects that the spec of a VirtualMachine names.
func settersOf(spec any) setters {
	var by setters
	if has(spec, "instancetype") {
		by |= byInstancetype
	}
	if has(spec, "preference") {
		by |= byPreference
	}
	return by
}

// A leftOut error says that a field depends on an object that is not given.
type leftOut struct {
	what string
	by   setters
}

func (e *leftOut) Error() string {
	var all []string
	if e.by&byInstancetype != 0 {
		all = append(all, "the instance type")
	}
	if e.by&byPreference != 0 {
		all = append(all, "the preference")
	}
	return fmt.Sprintf("%s may be set by %s", e.what, strings.Join(all, " or "))
}

// Doubt is that of the object that Error names first.
func (e *leftOut) Doubt() Doubt {
	if e.by&byInstancetype != 0 {
		return DoubtInstancetype
	}
	return DoubtPreference
}

func isLeftOut(err error) bool {
	var e *leftOut
	return errors.As(err, &e)
}

// doubtOf returns why what a search found may not be all; nil where it is.
func doubtOf(w *jsonpath.Search) error {
	if left, ok := w.Doubt().(*jsonpath.LeftOut); ok {
		return &leftOut{left.What, left.By}
	}
	return w.Doubt()
}

// settableFields are the tables of what KubeVirt's expansion does, line by line.
// Fields that may only conflict with an instance type are not among them, since
// the VM then has what it says or is refused.
var settableFields = []jsonpath.Settable{
	{By: byInstancetype, Path: "spec.nodeSelector", When: jsonpath.WholeIfMissing},
	{By: byInstancetype, Path: "spec.schedulerName", When: jsonpath.IfZero},
	{By: byInstancetype, Path: "spec.domain.cpu.sockets", When: jsonpath.IfZero},
	{By: byInstancetype, Path: "spec.domain.cpu.cores", When: jsonpath.IfZero},
	{By: byInstancetype, Path: "spec.domain.cpu.threads", When: jsonpath.IfZero},
	{By: byInstancetype, Path: "spec.domain.cpu.model", When: jsonpath.IfZero},
	{By: byInstancetype, Path: "spec.domain.cpu.dedicatedCpuPlacement", When: jsonpath.IfZero},
	{By: byInstancetype, Path: "spec.domain.cpu.isolateEmulatorThread", When: jsonpath.IfZero},
	{By: byInstancetype, Path: "spec.domain.cpu.numa", When: jsonpath.WholeIfMissing},
	{By: byInstancetype, Path: "spec.domain.cpu.realtime", When: jsonpath.WholeIfMissing},
	{By: byInstancetype, Path: "spec.domain.cpu.maxSockets", When: jsonpath.Overwritten},
	{By: byInstancetype, Path: "spec.domain.memory.guest"},
	{By: byInstancetype, Path: "spec.domain.memory.hugepages", When: jsonpath.WholeIfMissing},
	{By: byInstancetype, Path: "spec.domain.memory.maxGuest"},
	{By: byInstancetype, Path: "spec.domain.resources.requests.memory"},
	{By: byInstancetype, Path: "spec.domain.ioThreads.supplementalPoolThreadCount"},
	{By: byInstancetype, Path: "spec.domain.ioThreadsPolicy"},
	{By: byInstancetype, Path: "spec.domain.devices.gpus", When: jsonpath.WholeIfEmpty},
	{By: byInstancetype, Path: "spec.domain.devices.hostDevices", When: jsonpath.WholeIfEmpty},

	{By: byEither, Path: "spec.domain.launchSecurity", When: jsonpath.WholeIfMissing},
	{By: byEither, Path: "metadata.annotations.*"},

	{By: byPreference, Path: "spec.domain.cpu.features", When: jsonpath.Appended, Inside: true},
	{By: byPreference, Path: "spec.domain.devices.autoattachGraphicsDevice"},
	{By: byPreference, Path: "spec.domain.devices.autoattachInputDevice"},
	{By: byPreference, Path: "spec.domain.devices.autoattachMemBalloon"},
	{By: byPreference, Path: "spec.domain.devices.autoattachPodInterface"},
	{By: byPreference, Path: "spec.domain.devices.autoattachSerialConsole"},
	{By: byPreference, Path: "spec.domain.devices.useVirtioTransitional"},
	{By: byPreference, Path: "spec.domain.devices.blockMultiQueue"},
	{By: byPreference, Path: "spec.domain.devices.networkInterfaceMultiqueue"},
	{By: byPreference, Path: "spec.domain.devices.disableHotplug", When: jsonpath.Overwritten},
	{By: byPreference, Path: "spec.domain.devices.sound.model", When: jsonpath.IfZero, Inside: true},
	{By: byPreference, Path: "spec.domain.devices.rng", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.devices.tpm", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.devices.video.type", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.domain.devices.inputs[*].bus", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.domain.devices.inputs[*].type", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.domain.devices.panicDevices", When: jsonpath.WholeIfEmpty},
	{By: byPreference, Path: "spec.domain.devices.panicDevices[*].model", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.domain.devices.disks[*].disk", Only: isNoOtherDisk},
	{By: byPreference, Path: "spec.domain.devices.disks[*].disk.bus", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.domain.devices.disks[*].cdrom.bus", When: jsonpath.IfZero, Inside: true},
	{By: byPreference, Path: "spec.domain.devices.disks[*].lun.bus", When: jsonpath.IfZero, Inside: true},
	{By: byPreference, Path: "spec.domain.devices.disks[*].blockSize", When: jsonpath.WholeIfMissing, Only: isDisk},
	{By: byPreference, Path: "spec.domain.devices.disks[*].cache", When: jsonpath.IfZero, Only: isDisk},
	{By: byPreference, Path: "spec.domain.devices.disks[*].io", When: jsonpath.IfZero, Only: isDisk},
	{By: byPreference, Path: "spec.domain.devices.disks[*].dedicatedIOThread", Only: mayBeVirtio},
	{By: byPreference, Path: "spec.domain.devices.interfaces[*].model", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.domain.devices.interfaces[*].masquerade", When: jsonpath.WholeIfMissing, Only: isUnboundOnPodNetwork},
	{By: byPreference, Path: "spec.domain.features.acpi", When: jsonpath.Overwritten},
	{By: byPreference, Path: "spec.domain.features.apic", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.kvm", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.pvspinlock", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.smm", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.evmcs", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.frequencies", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.ipi", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.reenlightenment", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.relaxed", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.reset", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.runtime", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.spinlocks", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.synic", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.synictimer", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.tlbflush", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.vapic", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.vendorid", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.features.hyperv.vpindex", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.domain.firmware.bootloader.bios", Only: lacks("efi")},
	{By: byPreference, Path: "spec.domain.firmware.bootloader.bios.useSerial"},
	{By: byPreference, Path: "spec.domain.firmware.bootloader.efi", When: jsonpath.WholeIfMissing, Only: lacks("bios")},
	{By: byPreference, Path: "spec.domain.firmware.bootloader.efi.secureBoot"},
	{By: byPreference, Path: "spec.domain.machine.type", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.domain.clock.utc", When: jsonpath.WholeIfMissing, Only: lacks("timezone")},
	{By: byPreference, Path: "spec.domain.clock.timezone", Only: lacks("utc")},
	{By: byPreference, Path: "spec.domain.clock.timer", When: jsonpath.WholeIfMissing},
	{By: byPreference, Path: "spec.subdomain", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.architecture", When: jsonpath.IfZero},
	{By: byPreference, Path: "spec.terminationGracePeriodSeconds"},
}

// lacks allows a field where its parent has no member of these names.
func lacks(names ...string) func(*jsonpath.Search, any) bool {
	return func(_ *jsonpath.Search, parent any) bool {
		for _, name := range names {
			if has(parent, name) {
				return false
			}
		}
		return true
	}
}

var isNoOtherDisk = lacks("cdrom", "lun")

// isDisk allows what a preference sets on a disk proper, which one of no sort
// becomes.
func isDisk(w *jsonpath.Search, disk any) bool { return has(disk, "disk") || isNoOtherDisk(w, disk) }

// mayBeVirtio allows what needs a disk on the bus virtio, which the preference
// may have set just before.
func mayBeVirtio(w *jsonpath.Search, disk any) bool {
	bus := below(disk, "disk", "bus")
	return isDisk(w, disk) && (jsonpath.IfZero.Holds(bus) || bus == "virtio")
}

var isUnbound = lacks("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt", "passtBinding", "binding")

// isUnboundOnPodNetwork allows a binding where the interface has none and the
// first network of its name is a pod network.
func isUnboundOnPodNetwork(w *jsonpath.Search, nic any) bool {
	networks := below(w.Object(), "spec", "networks")
	for i := range value.Len(networks) {
		if !w.Spend(1) {
			break
		}
		network, _ := value.Item(networks, i)
		if stringIn(network, "name") == stringIn(nic, "name") {
			return has(network, "pod") && isUnbound(w, nic)
		}
	}
	return false
}
