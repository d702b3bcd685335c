package model

import (
	"cmp"
	"slices"
	"strings"
)

// A settable is a field that an instance type or a preference may set when
// KubeVirt starts the VM, or an object with such fields below (instancetypes.md,
// design 4: Instance types and preferences).
type settable struct {
	members map[string]*settable // by name, or as below
	flags   string
	unless  []string
}

const (
	anyItem     = "[*]"   // each item of an array
	addedItem   = "[+]"   // each item, and those that are added
	addedMember = "[any]" // each member, and those that are added
)

// settableFields lists the fields below the rules' $, each with its flags: an
// instance type (i) or a preference (p) may set it; a typed zero value counts as
// not set (0); it is set whatever the VM says (!); anything may be below it (*).
// [any] is for members, [+] for items, that are added to those of the VM. A name
// with a question mark has to be there already. A field is not set where one of the
// fields behind "unless" is.
const settableFields = `
metadata.annotations[any] ip
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
spec.domain.cpu.maxSockets i!*
spec.domain.cpu?.features[+] p*
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
spec.domain.devices.disableHotplug p!*
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
spec.domain.devices.sound?.model p0
spec.domain.devices.video.type p0
spec.domain.devices.inputs?[*].bus p0
spec.domain.devices.inputs?[*].type p0
spec.domain.devices.panicDevices p0*
spec.domain.devices.panicDevices[*].model p0
spec.domain.devices.disks?[*].cache p0 unless cdrom lun
spec.domain.devices.disks?[*].io p0 unless cdrom lun
spec.domain.devices.disks?[*].blockSize p* unless cdrom lun
spec.domain.devices.disks?[*].dedicatedIOThread p unless cdrom lun
spec.domain.devices.disks?[*].disk.bus p0
spec.domain.devices.disks?[*].disk p unless cdrom lun
spec.domain.devices.disks?[*].cdrom?.bus p0
spec.domain.devices.disks?[*].lun?.bus p0
spec.domain.devices.interfaces?[*].model p0
spec.domain.features.acpi p!*
spec.domain.features.apic p*
spec.domain.features.kvm p*
spec.domain.features.pvspinlock p*
spec.domain.features.smm p*
spec.domain.features.hyperv[any] p*
spec.domain.firmware.bootloader.bios.useSerial p
spec.domain.firmware.bootloader.bios p* unless efi
spec.domain.firmware.bootloader.efi.secureBoot p
spec.domain.firmware.bootloader.efi p* unless bios
spec.domain.clock.utc p* unless timezone
spec.domain.clock.timezone p unless utc
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
		words := strings.Fields(line)
		names, flags, unless := words[0], words[1], words[2:]
		if instancetype && strings.Contains(flags, "i") || preference && strings.Contains(flags, "p") {
			f := root.make(strings.Split(strings.ReplaceAll(names, "[", ".["), "."))
			f.flags, f.unless = f.flags+flags, unless
		}
	}
	return root
}

// make returns the field of these names below f.
func (f *settable) make(names []string) *settable {
	for _, name := range names {
		name, present := strings.CutSuffix(name, "?")
		if f.members == nil {
			f.members = map[string]*settable{}
		}
		c := f.members[name]
		if c == nil {
			c = &settable{}
			if present {
				c.flags = "?"
			}
			f.members[name] = c
		}
		f = c
	}
	return f
}

func (f *settable) has(flag string) bool { return f != nil && strings.Contains(f.flags, flag) }

// child returns the field at a name or index. What is set as a whole has nothing
// settable below, where the VM has it.
func (f *settable) child(part any, unknown bool) *settable {
	if f == nil {
		return nil
	}
	if f.has("*") && unknown {
		return f
	}
	name, isName := part.(string)
	if !isName || name == anyItem {
		return cmp.Or(f.members[anyItem], f.members[addedItem])
	}
	return cmp.Or(f.members[name], f.members[addedMember])
}

// appears reports whether a field may come into an object that does not have it.
func (f *settable) appears(members map[string]any) bool {
	return f != nil && !f.has("?") && !f.exempt(members)
}

// exempt reports whether one of the fields is there without which f may be set.
func (f *settable) exempt(members map[string]any) bool {
	return slices.ContainsFunc(f.unless, func(name string) bool { return members[name] != nil })
}

// changes reports whether a value that the VM has may become another: the field
// is set whatever the VM says, or this value counts as not set.
func (f *settable) changes(v any, members map[string]any) bool {
	return f.has("!") || f.has("0") && isUnset(v, f.has("*")) && !f.exempt(members)
}

// isUnset reports whether a value is the zero value of a scalar, or of a list.
func isUnset(v any, list bool) bool {
	if items, ok := v.([]any); ok || list {
		return ok && list && len(items) == 0
	}
	return v == "" || v == false || isZero(v)
}

// unknownBelow returns what may be at a name, or anyItem, of an unknown value.
func (f *settable) unknownBelow(m match, name string) []match {
	if c := f.child(name, true); c != nil && !c.has("?") {
		return []match{{location: m.location.with(name), settable: c, unknown: true}}
	}
	return nil
}

// allUnknownBelow returns all that may be in an unknown value, or be added to the
// object that the VM has.
func (f *settable) allUnknownBelow(m match) []match {
	if f == nil {
		return nil
	}
	if f.has("*") && m.unknown {
		return f.unknownBelow(m, "*")
	}
	var all []match
	for name := range f.members {
		if m.unknown || name != anyItem && name != addedItem {
			all = append(all, f.unknownBelow(m, name)...)
		}
	}
	return all
}
