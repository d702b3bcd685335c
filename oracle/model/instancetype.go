package model

import (
	"strings"
)

// A settable is a field that an instance type or a preference may set when
// KubeVirt starts the VM, or an object with such fields below (instancetypes.md,
// design 4: Instance types and preferences).
type settable struct {
	members map[string]*settable // anyItem is each item of an array
	flags   string
	// anything is for a field below which anything may be.
	anything bool
}

const anyItem = "[*]"

// settableFields lists the fields below the rules' $, each with its flags: who may set it,
// an instance type (i) or a preference (p); whether a typed zero value counts as
// not set (0); whether it is set whatever the VM says (!); whether anything may be
// below it (*); whether it is a map to which other names are added (+); and
// whether its object has to be there already (.).
const settableFields = `
metadata.annotations ip+
spec.nodeSelector i*
spec.schedulerName i0
spec.subdomain p0
spec.architecture p0
spec.terminationGracePeriodSeconds p
spec.domain.cpu.sockets i0
spec.domain.cpu.cores i0
spec.domain.cpu.threads i0
spec.domain.cpu.model i0
spec.domain.cpu.dedicatedCpuPlacement i0
spec.domain.cpu.isolateEmulatorThread i0
spec.domain.cpu.numa i*
spec.domain.cpu.realtime i*
spec.domain.cpu.maxSockets i!
spec.domain.cpu.features p!*
spec.domain.memory.guest i
spec.domain.memory.hugepages i*
spec.domain.memory.maxGuest i
spec.domain.resources.requests.memory i
spec.domain.ioThreads.supplementalPoolThreadCount i
spec.domain.ioThreadsPolicy i
spec.domain.launchSecurity ip*
spec.domain.machine.type p0
spec.domain.devices.gpus i*0
spec.domain.devices.hostDevices i*0
spec.domain.devices.disableHotplug p!
spec.domain.devices.autoattachPodInterface p
spec.domain.devices.autoattachGraphicsDevice p
spec.domain.devices.autoattachMemBalloon p
spec.domain.devices.autoattachSerialConsole p
spec.domain.devices.autoattachInputDevice p
spec.domain.devices.useVirtioTransitional p
spec.domain.devices.blockMultiQueue p
spec.domain.devices.networkInterfaceMultiqueue p
spec.domain.devices.rng p*
spec.domain.devices.tpm p*
spec.domain.devices.sound.model p0.
spec.domain.devices.video.type p0
spec.domain.devices.inputs[*].bus p0.
spec.domain.devices.inputs[*].type p0.
spec.domain.devices.disks[*].cache p0.
spec.domain.devices.disks[*].io p0.
spec.domain.devices.disks[*].blockSize p*.
spec.domain.devices.disks[*].dedicatedIOThread p.
spec.domain.devices.disks[*].disk.bus p0
spec.domain.devices.disks[*].cdrom.bus p0.
spec.domain.devices.disks[*].lun.bus p0.
spec.domain.devices.interfaces[*].model p0.
spec.domain.features.acpi p!*
spec.domain.features.apic p*
spec.domain.features.kvm p*
spec.domain.features.pvspinlock p*
spec.domain.features.smm p*
spec.domain.features.hyperv p*
spec.domain.firmware.bootloader p!*
spec.domain.clock.timer p*
`

// fieldsSetBy returns the fields that the references of a VM may set; nil where
// it has none.
func fieldsSetBy(instancetype, preference bool) *settable {
	if !instancetype && !preference {
		return nil
	}
	root := &settable{}
	for line := range strings.Lines(strings.TrimSpace(settableFields)) {
		names, flags, _ := strings.Cut(strings.TrimSpace(line), " ")
		if instancetype && strings.Contains(flags, "i") || preference && strings.Contains(flags, "p") {
			root.add(strings.Split(strings.ReplaceAll(names, "[*]", ".[*]"), "."), flags)
		}
	}
	return root
}

func (f *settable) add(names []string, flags string) {
	if f.members == nil {
		f.members = map[string]*settable{}
	}
	c := f.members[names[0]]
	if c == nil {
		c = &settable{}
		f.members[names[0]] = c
	}
	if len(names) > 1 {
		if strings.Contains(flags, ".") {
			c.flags = "." // not made for what is below
		}
		c.add(names[1:], flags)
		return
	}
	c.flags = strings.ReplaceAll(flags, ".", "")
	c.anything = strings.Contains(flags, "*")
}

// child returns the field at a name or index.
func (f *settable) child(part any) *settable {
	if f == nil {
		return nil
	}
	if f.anything {
		return f
	}
	if strings.Contains(f.flags, "+") {
		return &settable{flags: "ip"}
	}
	if name, ok := part.(string); ok {
		return f.members[name]
	}
	return f.members[anyItem]
}

// appears reports whether a field may come into an object that does not have it.
// A disk bus comes with its disk unless the disk is a CD-ROM or LUN.
func (f *settable) appears(members map[string]any) bool {
	if f == nil || f.flags == "." {
		return false
	}
	if bus := f.members["bus"]; bus != nil && (members["cdrom"] != nil || members["lun"] != nil) {
		return false
	}
	return true
}

// changes reports whether a value that the VM has may become another: the field
// is set whatever the VM says, or this value counts as not set.
func (f *settable) changes(v any) bool {
	if f == nil {
		return false
	}
	if strings.Contains(f.flags, "!") {
		return true
	}
	return strings.Contains(f.flags, "0") && isUnset(v)
}

func isUnset(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	}
	return isZero(v)
}

// unknownBelow returns what may be at a name, or anyItem, of an unknown value.
func (f *settable) unknownBelow(m match, name string) []match {
	if c := f.child(name); c != nil {
		return []match{{location: m.location.with(name), settable: c, unknown: true}}
	}
	return nil
}

func (f *settable) allUnknownBelow(m match) []match {
	if f == nil {
		return nil
	}
	if f.anything || strings.Contains(f.flags, "+") {
		return f.unknownBelow(m, "*")
	}
	var all []match
	for name := range f.members {
		all = append(all, f.unknownBelow(m, name)...)
	}
	return all
}
