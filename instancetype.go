package vmrules

import (
	"strings"

	"github.com/vmrules/vmrules/internal/value"
)

// A setters value is a set of the objects that a VM names and from which KubeVirt
// sets fields when it starts the VM.
type setters uint8

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

func (by setters) String() string {
	var all []string
	if by&byInstancetype != 0 {
		all = append(all, "the instance type")
	}
	if by&byPreference != 0 {
		all = append(all, "the preference")
	}
	return strings.Join(all, " or ")
}

// A condition says when KubeVirt sets a field.
type condition int

const (
	// ifMissing: the field is not there. Members of an object that the VM writes
	// are missing each for itself.
	ifMissing condition = iota
	// ifZero: the field is not there, or is "", 0 or false.
	ifZero
	// wholeIfMissing: the field is not there; an object is then copied with all
	// that is in it.
	wholeIfMissing
	// wholeIfEmpty: the list is not there or has no items; it is then copied.
	wholeIfEmpty
	// appended: always, behind the items that the VM writes.
	appended
	// overwritten: always.
	overwritten
)

// A settableField is one that an instance type or a preference may set. The
// objects around it are made where they are missing, but not items of lists.
type settableField struct {
	by   setters
	path string
	when condition
	// only reports whether the rest of the VM, which is searched, allows it; parent
	// is the object around the field. A nil function allows it always.
	only func(w *walk, parent any) bool
	// inside means that the parent is not made where it is missing.
	inside bool
}

// settableFields are the tables of what KubeVirt's expansion does, line by line.
// Fields that may only conflict with an instance type are not among them, since
// the VM then has what it says or is refused.
var settableFields = []settableField{
	{by: byInstancetype, path: "spec.nodeSelector", when: wholeIfMissing},
	{by: byInstancetype, path: "spec.schedulerName", when: ifZero},
	{by: byInstancetype, path: "spec.domain.cpu.sockets", when: ifZero},
	{by: byInstancetype, path: "spec.domain.cpu.cores", when: ifZero},
	{by: byInstancetype, path: "spec.domain.cpu.threads", when: ifZero},
	{by: byInstancetype, path: "spec.domain.cpu.model", when: ifZero},
	{by: byInstancetype, path: "spec.domain.cpu.dedicatedCpuPlacement", when: ifZero},
	{by: byInstancetype, path: "spec.domain.cpu.isolateEmulatorThread", when: ifZero},
	{by: byInstancetype, path: "spec.domain.cpu.numa", when: wholeIfMissing},
	{by: byInstancetype, path: "spec.domain.cpu.realtime", when: wholeIfMissing},
	{by: byInstancetype, path: "spec.domain.cpu.maxSockets", when: overwritten},
	{by: byInstancetype, path: "spec.domain.memory.guest"},
	{by: byInstancetype, path: "spec.domain.memory.hugepages", when: wholeIfMissing},
	{by: byInstancetype, path: "spec.domain.memory.maxGuest"},
	{by: byInstancetype, path: "spec.domain.resources.requests.memory"},
	{by: byInstancetype, path: "spec.domain.ioThreads.supplementalPoolThreadCount"},
	{by: byInstancetype, path: "spec.domain.ioThreadsPolicy"},
	{by: byInstancetype, path: "spec.domain.devices.gpus", when: wholeIfEmpty},
	{by: byInstancetype, path: "spec.domain.devices.hostDevices", when: wholeIfEmpty},

	{by: byEither, path: "spec.domain.launchSecurity", when: wholeIfMissing},
	{by: byEither, path: "metadata.annotations.*"},

	{by: byPreference, path: "spec.domain.cpu.features", when: appended, inside: true},
	{by: byPreference, path: "spec.domain.devices.autoattachGraphicsDevice"},
	{by: byPreference, path: "spec.domain.devices.autoattachInputDevice"},
	{by: byPreference, path: "spec.domain.devices.autoattachMemBalloon"},
	{by: byPreference, path: "spec.domain.devices.autoattachPodInterface"},
	{by: byPreference, path: "spec.domain.devices.autoattachSerialConsole"},
	{by: byPreference, path: "spec.domain.devices.useVirtioTransitional"},
	{by: byPreference, path: "spec.domain.devices.blockMultiQueue"},
	{by: byPreference, path: "spec.domain.devices.networkInterfaceMultiqueue"},
	{by: byPreference, path: "spec.domain.devices.disableHotplug", when: overwritten},
	{by: byPreference, path: "spec.domain.devices.sound.model", when: ifZero, inside: true},
	{by: byPreference, path: "spec.domain.devices.rng", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.devices.tpm", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.devices.video.type", when: ifZero},
	{by: byPreference, path: "spec.domain.devices.inputs[*].bus", when: ifZero},
	{by: byPreference, path: "spec.domain.devices.inputs[*].type", when: ifZero},
	{by: byPreference, path: "spec.domain.devices.panicDevices", when: wholeIfEmpty},
	{by: byPreference, path: "spec.domain.devices.panicDevices[*].model", when: ifZero},
	{by: byPreference, path: "spec.domain.devices.disks[*].disk", only: isNoOtherDisk},
	{by: byPreference, path: "spec.domain.devices.disks[*].disk.bus", when: ifZero},
	{by: byPreference, path: "spec.domain.devices.disks[*].cdrom.bus", when: ifZero, inside: true},
	{by: byPreference, path: "spec.domain.devices.disks[*].lun.bus", when: ifZero, inside: true},
	{by: byPreference, path: "spec.domain.devices.disks[*].blockSize", when: wholeIfMissing, only: isDisk},
	{by: byPreference, path: "spec.domain.devices.disks[*].cache", when: ifZero, only: isDisk},
	{by: byPreference, path: "spec.domain.devices.disks[*].io", when: ifZero, only: isDisk},
	{by: byPreference, path: "spec.domain.devices.disks[*].dedicatedIOThread", only: mayBeVirtio},
	{by: byPreference, path: "spec.domain.devices.interfaces[*].model", when: ifZero},
	{by: byPreference, path: "spec.domain.devices.interfaces[*].masquerade", when: wholeIfMissing, only: isUnboundOnPodNetwork},
	{by: byPreference, path: "spec.domain.features.acpi", when: overwritten},
	{by: byPreference, path: "spec.domain.features.apic", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.kvm", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.pvspinlock", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.smm", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.evmcs", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.frequencies", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.ipi", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.reenlightenment", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.relaxed", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.reset", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.runtime", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.spinlocks", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.synic", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.synictimer", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.tlbflush", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.vapic", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.vendorid", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.features.hyperv.vpindex", when: wholeIfMissing},
	{by: byPreference, path: "spec.domain.firmware.bootloader.bios", only: lacks("efi")},
	{by: byPreference, path: "spec.domain.firmware.bootloader.bios.useSerial"},
	{by: byPreference, path: "spec.domain.firmware.bootloader.efi", when: wholeIfMissing, only: lacks("bios")},
	{by: byPreference, path: "spec.domain.firmware.bootloader.efi.secureBoot"},
	{by: byPreference, path: "spec.domain.machine.type", when: ifZero},
	{by: byPreference, path: "spec.domain.clock.utc", when: wholeIfMissing, only: lacks("timezone")},
	{by: byPreference, path: "spec.domain.clock.timezone", only: lacks("utc")},
	{by: byPreference, path: "spec.domain.clock.timer", when: wholeIfMissing},
	{by: byPreference, path: "spec.subdomain", when: ifZero},
	{by: byPreference, path: "spec.architecture", when: ifZero},
	{by: byPreference, path: "spec.terminationGracePeriodSeconds"},
}

// lacks allows a field where its parent has no member of these names.
func lacks(names ...string) func(*walk, any) bool {
	return func(_ *walk, parent any) bool {
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
func isDisk(w *walk, disk any) bool { return has(disk, "disk") || isNoOtherDisk(w, disk) }

// mayBeVirtio allows what needs a disk on the bus virtio, which the preference
// may have set just before.
func mayBeVirtio(w *walk, disk any) bool {
	bus := below(disk, "disk", "bus")
	return isDisk(w, disk) && (isUnset(bus) || bus == "virtio")
}

var isUnbound = lacks("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt", "passtBinding", "binding")

// isUnboundOnPodNetwork allows a binding where the interface has none and the
// first network of its name is a pod network.
func isUnboundOnPodNetwork(w *walk, nic any) bool {
	networks := below(w.object, "spec", "networks")
	for i := range value.Len(networks) {
		if !w.spend(1) {
			break
		}
		network, _ := value.Item(networks, i)
		if stringIn(network, "name") == stringIn(nic, "name") {
			return has(network, "pod") && isUnbound(w, nic)
		}
	}
	return false
}

// isUnset reports whether a value is what Go's types cannot tell from a field
// that is not there.
func isUnset(v any) bool { return v == nil || v == "" || v == false || isZero(v) }

// holds reports whether a field is set under the condition, where the object
// has next there.
func (c condition) holds(next any) bool {
	switch c {
	case ifZero:
		return isUnset(next)
	case wholeIfEmpty:
		return next == nil || value.ShapeOf(next) == value.Array && value.Len(next) == 0
	case ifMissing, wholeIfMissing, appended:
		return next == nil
	}
	return true
}

// isWhole reports whether what is set may hold anything.
func (c condition) isWhole() bool {
	return c == wholeIfMissing || c == wholeIfEmpty || c == appended || c == overwritten
}
