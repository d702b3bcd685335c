package vmfields

import "github.com/vmrules/vmrules/internal/jsonpath"

// Preference lists the fields of a preference.
var Preference = []Field{
	{From: "requirements.cpu.guest", Is: Count},
	{From: "requirements.memory.guest", Is: Amount},
	{From: "requirements.architecture", Is: EmptyText},
	{From: "volumes.preferredStorageClassName", Is: Text},

	{From: "cpu.preferredCPUTopology", Is: EmptyText},
	{From: "cpu.spreadOptions.across", Is: EmptyText},
	{From: "cpu.spreadOptions.ratio", Is: Count},
	{From: "preferSpreadSocketToCoreRatio", Is: Count},
	{From: "cpu.preferredCPUFeatures", Is: List, To: "spec.domain.cpu.features", When: jsonpath.Appended, Inside: true, How: NewFeatures},

	{From: "devices.preferredUseVirtioTransitional", Is: Flag, To: "spec.domain.devices.useVirtioTransitional"},
	{From: "devices.preferredBlockMultiQueue", Is: Flag, To: "spec.domain.devices.blockMultiQueue"},
	{From: "devices.preferredNetworkInterfaceMultiQueue", Is: Flag, To: "spec.domain.devices.networkInterfaceMultiqueue"},
	{From: "devices.preferredDisableHotplug", Is: Flag, To: "spec.domain.devices.disableHotplug", When: jsonpath.Overwritten},
	{From: "devices.preferredSoundModel", Is: Text, To: "spec.domain.devices.sound.model", When: jsonpath.IfEmptyText, Inside: true},
	{From: "devices.preferredRng", To: "spec.domain.devices.rng", When: jsonpath.WholeIfMissing},
	{From: "devices.preferredTPM", To: "spec.domain.devices.tpm", When: jsonpath.WholeIfMissing},
	{From: "devices.preferredVideoType", Is: EmptyText, To: "spec.domain.devices.video", How: Created},
	{From: "devices.preferredVideoType", Is: Text, To: "spec.domain.devices.video.type", When: jsonpath.IfEmptyText},
	{From: "devices.preferredVirtualGPUOptions"},
	{From: "devices.preferredAutoattachGraphicsDevice", Is: Flag, To: "spec.domain.devices.autoattachGraphicsDevice"},
	{From: "devices.preferredAutoattachMemBalloon", Is: Flag, To: "spec.domain.devices.autoattachMemBalloon"},
	{From: "devices.preferredAutoattachPodInterface", Is: Flag, To: "spec.domain.devices.autoattachPodInterface"},
	{From: "devices.preferredAutoattachSerialConsole", Is: Flag, To: "spec.domain.devices.autoattachSerialConsole"},
	{From: "devices.preferredAutoattachInputDevice", Is: Flag, To: "spec.domain.devices.autoattachInputDevice"},

	{From: "devices", To: disks + ".disk", Only: isNoOtherDisk, How: Created},
	{From: "devices.preferredDiskBus", Is: Text, To: disks + ".disk.bus", When: jsonpath.IfEmptyText, Inside: true},
	{From: "devices.preferredDiskBlockSize", To: disks + ".blockSize", When: jsonpath.WholeIfMissing, Only: isDisk},
	{From: "devices.preferredDiskCache", Is: Text, To: disks + ".cache", When: jsonpath.IfEmptyText, Only: isDisk},
	{From: "devices.preferredDiskIO", Is: Text, To: disks + ".io", When: jsonpath.IfEmptyText, Only: isDisk},
	{From: "devices.preferredDiskDedicatedIoThread", Is: Flag, To: disks + ".dedicatedIOThread", Only: mayBeVirtio, How: IfVirtio},
	{From: "devices.preferredCdromBus", Is: Text, To: disks + ".cdrom.bus", When: jsonpath.IfEmptyText, Inside: true},
	{From: "devices.preferredLunBus", Is: Text, To: disks + ".lun.bus", When: jsonpath.IfEmptyText, Inside: true},

	{From: "devices.preferredInterfaceModel", Is: Text, To: nics + ".model", When: jsonpath.IfEmptyText},
	{From: "devices.preferredInterfaceMasquerade", To: nics + ".masquerade", When: jsonpath.WholeIfMissing, Only: isUnboundOnPodNetwork},
	{From: "devices.preferredInputBus", Is: Text, To: "spec.domain.devices.inputs[*].bus", When: jsonpath.IfEmptyText},
	{From: "devices.preferredInputType", Is: Text, To: "spec.domain.devices.inputs[*].type", When: jsonpath.IfEmptyText},
	{From: "devices.preferredPanicDeviceModel", Is: EmptyText, To: "spec.domain.devices.panicDevices", When: jsonpath.WholeIfEmpty,
		How: PanicDevice},
	{From: "devices.preferredPanicDeviceModel", Is: EmptyText, To: "spec.domain.devices.panicDevices[*].model"},

	{From: "features", To: "spec.domain.features", How: Created},
	{From: "features.preferredAcpi", To: "spec.domain.features.acpi", When: jsonpath.Overwritten},
	{From: "features.preferredApic", To: "spec.domain.features.apic", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv", To: "spec.domain.features.hyperv", How: Created},
	{From: "features.preferredHyperv.evmcs", To: "spec.domain.features.hyperv.evmcs", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.frequencies", To: "spec.domain.features.hyperv.frequencies", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.ipi", To: "spec.domain.features.hyperv.ipi", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.reenlightenment", To: "spec.domain.features.hyperv.reenlightenment", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.relaxed", To: "spec.domain.features.hyperv.relaxed", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.reset", To: "spec.domain.features.hyperv.reset", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.runtime", To: "spec.domain.features.hyperv.runtime", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.spinlocks", To: "spec.domain.features.hyperv.spinlocks", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.synic", To: "spec.domain.features.hyperv.synic", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.synictimer", To: "spec.domain.features.hyperv.synictimer", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.tlbflush", To: "spec.domain.features.hyperv.tlbflush", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.vapic", To: "spec.domain.features.hyperv.vapic", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.vendorid", To: "spec.domain.features.hyperv.vendorid", When: jsonpath.WholeIfMissing},
	{From: "features.preferredHyperv.vpindex", To: "spec.domain.features.hyperv.vpindex", When: jsonpath.WholeIfMissing},
	{From: "features.preferredKvm", To: "spec.domain.features.kvm", When: jsonpath.WholeIfMissing},
	{From: "features.preferredPvspinlock", To: "spec.domain.features.pvspinlock", When: jsonpath.WholeIfMissing},
	{From: "features.preferredSmm", To: "spec.domain.features.smm", When: jsonpath.WholeIfMissing},

	{From: "firmware", To: bootloader, How: Created},
	{From: "firmware.preferredUseBios", Is: Flag, To: bootloader + ".bios", Only: lacks("efi"), How: Created},
	{From: "firmware.preferredUseBiosSerial", Is: Flag, To: bootloader + ".bios.useSerial", Inside: true},
	{From: "firmware.preferredEfi", To: bootloader + ".efi", When: jsonpath.WholeIfMissing, Only: lacks("bios")},
	{From: "firmware.preferredUseEfi", Is: Flag, To: bootloader + ".efi", When: jsonpath.WholeIfMissing, Only: lacks("bios"),
		How: Created},
	{From: "firmware.preferredUseSecureBoot", Is: Flag, To: bootloader + ".efi.secureBoot", Inside: true, How: UnlessNewEFI},

	{From: "machine.preferredMachineType", Is: Text, To: "spec.domain.machine.type", When: jsonpath.IfEmptyText},

	{From: "clock", To: "spec.domain.clock", How: Created},
	{From: "clock.preferredClockOffset.utc", To: "spec.domain.clock.utc", When: jsonpath.WholeIfMissing, Only: lacks("timezone"),
		How: WithTimezone},
	{From: "clock.preferredClockOffset.timezone", Is: EmptyText, To: "spec.domain.clock.timezone", Only: lacks("utc")},
	{From: "clock.preferredTimer", To: "spec.domain.clock.timer", When: jsonpath.WholeIfMissing},

	{From: "preferredSubdomain", Is: Text, To: "spec.subdomain", When: jsonpath.IfEmptyText},
	{From: "preferredTerminationGracePeriodSeconds", Is: Integer, To: "spec.terminationGracePeriodSeconds"},
	{From: "preferredArchitecture", Is: Text, To: "spec.architecture", When: jsonpath.IfEmptyText},
	{From: "annotations", Is: Names, To: "metadata.annotations.*", How: Merged},
	{From: "preferredLaunchSecurity", To: "spec.domain.launchSecurity", When: jsonpath.WholeIfMissing},
}

const (
	disks      = "spec.domain.devices.disks[*]"
	nics       = "spec.domain.devices.interfaces[*]"
	bootloader = "spec.domain.firmware.bootloader"
)
