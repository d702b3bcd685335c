package vmfields

import (
	"github.com/vmrules/vmrules/internal/jsonpath"
)

// A VM may name these objects, from which KubeVirt sets fields when it starts the VM.
const (
	ByInstancetype jsonpath.Setters = 1 << iota
	ByPreference
	byEither = ByInstancetype | ByPreference
)

// SettersOf returns the objects that the spec of a VirtualMachine names.
func SettersOf(spec any) jsonpath.Setters {
	var by jsonpath.Setters
	if has(spec, "instancetype") {
		by |= ByInstancetype
	}
	if has(spec, "preference") {
		by |= ByPreference
	}
	return by
}

// Settable lists the fields that KubeVirt's expansion sets. It does not list fields that can
// only conflict with an instance type: then the VM keeps its own value or is refused.
var Settable = []jsonpath.Settable{
	{By: ByInstancetype, Path: "spec.nodeSelector", When: jsonpath.WholeIfMissing},
	{By: ByInstancetype, Path: "spec.schedulerName", When: jsonpath.IfZero},
	{By: ByInstancetype, Path: "spec.domain.cpu.sockets", When: jsonpath.IfZero},
	{By: ByInstancetype, Path: "spec.domain.cpu.cores", When: jsonpath.IfZero},
	{By: ByInstancetype, Path: "spec.domain.cpu.threads", When: jsonpath.IfZero},
	{By: ByInstancetype, Path: "spec.domain.cpu.model", When: jsonpath.IfZero},
	{By: ByInstancetype, Path: "spec.domain.cpu.dedicatedCpuPlacement", When: jsonpath.IfZero},
	{By: ByInstancetype, Path: "spec.domain.cpu.isolateEmulatorThread", When: jsonpath.IfZero},
	{By: ByInstancetype, Path: "spec.domain.cpu.numa", When: jsonpath.WholeIfMissing},
	{By: ByInstancetype, Path: "spec.domain.cpu.realtime", When: jsonpath.WholeIfMissing},
	{By: ByInstancetype, Path: "spec.domain.cpu.maxSockets", When: jsonpath.Overwritten},
	{By: ByInstancetype, Path: "spec.domain.memory.guest"},
	{By: ByInstancetype, Path: "spec.domain.memory.hugepages", When: jsonpath.WholeIfMissing},
	{By: ByInstancetype, Path: "spec.domain.memory.maxGuest"},
	{By: ByInstancetype, Path: "spec.domain.resources.requests.memory"},
	{By: ByInstancetype, Path: "spec.domain.ioThreads.supplementalPoolThreadCount"},
	{By: ByInstancetype, Path: "spec.domain.ioThreadsPolicy"},
	{By: ByInstancetype, Path: "spec.domain.devices.gpus", When: jsonpath.WholeIfEmpty},
	{By: ByInstancetype, Path: "spec.domain.devices.hostDevices", When: jsonpath.WholeIfEmpty},

	{By: byEither, Path: "spec.domain.launchSecurity", When: jsonpath.WholeIfMissing},
	{By: byEither, Path: "metadata.annotations.*"},

	{By: ByPreference, Path: "spec.domain.cpu.features", When: jsonpath.Appended, Inside: true},
	{By: ByPreference, Path: "spec.domain.devices.autoattachGraphicsDevice"},
	{By: ByPreference, Path: "spec.domain.devices.autoattachInputDevice"},
	{By: ByPreference, Path: "spec.domain.devices.autoattachMemBalloon"},
	{By: ByPreference, Path: "spec.domain.devices.autoattachPodInterface"},
	{By: ByPreference, Path: "spec.domain.devices.autoattachSerialConsole"},
	{By: ByPreference, Path: "spec.domain.devices.useVirtioTransitional"},
	{By: ByPreference, Path: "spec.domain.devices.blockMultiQueue"},
	{By: ByPreference, Path: "spec.domain.devices.networkInterfaceMultiqueue"},
	{By: ByPreference, Path: "spec.domain.devices.disableHotplug", When: jsonpath.Overwritten},
	{By: ByPreference, Path: "spec.domain.devices.sound.model", When: jsonpath.IfZero, Inside: true},
	{By: ByPreference, Path: "spec.domain.devices.rng", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.devices.tpm", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.devices.video.type", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.domain.devices.inputs[*].bus", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.domain.devices.inputs[*].type", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.domain.devices.panicDevices", When: jsonpath.WholeIfEmpty},
	{By: ByPreference, Path: "spec.domain.devices.panicDevices[*].model", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].disk", Only: isNoOtherDisk},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].disk.bus", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].cdrom.bus", When: jsonpath.IfZero, Inside: true},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].lun.bus", When: jsonpath.IfZero, Inside: true},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].blockSize", When: jsonpath.WholeIfMissing, Only: isDisk},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].cache", When: jsonpath.IfZero, Only: isDisk},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].io", When: jsonpath.IfZero, Only: isDisk},
	{By: ByPreference, Path: "spec.domain.devices.disks[*].dedicatedIOThread", Only: mayBeVirtio},
	{By: ByPreference, Path: "spec.domain.devices.interfaces[*].model", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.domain.devices.interfaces[*].masquerade", When: jsonpath.WholeIfMissing, Only: isUnboundOnPodNetwork},
	{By: ByPreference, Path: "spec.domain.features.acpi", When: jsonpath.Overwritten},
	{By: ByPreference, Path: "spec.domain.features.apic", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.kvm", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.pvspinlock", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.smm", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.evmcs", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.frequencies", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.ipi", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.reenlightenment", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.relaxed", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.reset", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.runtime", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.spinlocks", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.synic", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.synictimer", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.tlbflush", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.vapic", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.vendorid", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.features.hyperv.vpindex", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.domain.firmware.bootloader.bios", Only: lacks("efi")},
	{By: ByPreference, Path: "spec.domain.firmware.bootloader.bios.useSerial"},
	{By: ByPreference, Path: "spec.domain.firmware.bootloader.efi", When: jsonpath.WholeIfMissing, Only: lacks("bios")},
	{By: ByPreference, Path: "spec.domain.firmware.bootloader.efi.secureBoot"},
	{By: ByPreference, Path: "spec.domain.machine.type", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.domain.clock.utc", When: jsonpath.WholeIfMissing, Only: lacks("timezone")},
	{By: ByPreference, Path: "spec.domain.clock.timezone", Only: lacks("utc")},
	{By: ByPreference, Path: "spec.domain.clock.timer", When: jsonpath.WholeIfMissing},
	{By: ByPreference, Path: "spec.subdomain", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.architecture", When: jsonpath.IfZero},
	{By: ByPreference, Path: "spec.terminationGracePeriodSeconds"},
}
