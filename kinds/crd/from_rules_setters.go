package crd

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
)

// A setter is what a VM names and KubeVirt sets fields from, when it starts the
// VM. Those fields, and all below them, are not what the VM says.
type setter struct {
	reference string // the field of the VM's spec that names it
	fields    []string
}

var setters = []setter{
	{"instancetype", []string{
		"metadata.annotations", "spec.nodeSelector", "spec.schedulerName",
		"spec.domain.cpu.sockets", "spec.domain.cpu.cores", "spec.domain.cpu.threads", "spec.domain.cpu.model",
		"spec.domain.cpu.dedicatedCpuPlacement", "spec.domain.cpu.isolateEmulatorThread", "spec.domain.cpu.numa",
		"spec.domain.cpu.realtime", "spec.domain.cpu.maxSockets",
		"spec.domain.memory.guest", "spec.domain.memory.hugepages", "spec.domain.memory.maxGuest",
		"spec.domain.resources.requests.memory", "spec.domain.ioThreads", "spec.domain.ioThreadsPolicy",
		"spec.domain.launchSecurity", "spec.domain.devices.gpus", "spec.domain.devices.hostDevices",
	}},
	{"preference", []string{
		"metadata.annotations", "spec.subdomain", "spec.architecture", "spec.terminationGracePeriodSeconds",
		"spec.domain.cpu.features", "spec.domain.features", "spec.domain.firmware.bootloader",
		"spec.domain.machine.type", "spec.domain.clock", "spec.domain.launchSecurity",
		"spec.domain.devices.autoattachGraphicsDevice", "spec.domain.devices.autoattachInputDevice",
		"spec.domain.devices.autoattachMemBalloon", "spec.domain.devices.autoattachPodInterface",
		"spec.domain.devices.autoattachSerialConsole", "spec.domain.devices.useVirtioTransitional",
		"spec.domain.devices.blockMultiQueue", "spec.domain.devices.networkInterfaceMultiqueue",
		"spec.domain.devices.disableHotplug", "spec.domain.devices.sound.model", "spec.domain.devices.rng",
		"spec.domain.devices.tpm", "spec.domain.devices.video.type", "spec.domain.devices.panicDevices",
		"spec.domain.devices.inputs[].bus", "spec.domain.devices.inputs[].type",
		"spec.domain.devices.disks[].disk", "spec.domain.devices.disks[].cdrom.bus", "spec.domain.devices.disks[].lun.bus",
		"spec.domain.devices.disks[].blockSize", "spec.domain.devices.disks[].cache", "spec.domain.devices.disks[].io",
		"spec.domain.devices.disks[].dedicatedIOThread",
		"spec.domain.devices.interfaces[].model", "spec.domain.devices.interfaces[].masquerade",
	}},
}

// sets reports whether one of a rule's paths selects what may be set.
func (s setter) sets(r vmrules.Rule) bool {
	paths := []vmrules.Path{r.Path, r.Valid, r.ValuesFrom}
	for _, a := range append([]vmrules.Argument{r.Min, r.Max, r.MinLength, r.MaxLength, r.Regex}, r.Values...) {
		if path, ok := a.Path(); ok {
			paths = append(paths, path)
		}
	}
	return slices.ContainsFunc(paths, s.setsAt)
}

// setsAt reports whether a path selects a field that may be set, what is below
// one, or an object around one, which is made where it is missing.
func (s setter) setsAt(path vmrules.Path) bool {
	steps, err := stepsOf("path", path)
	if err != nil || len(steps) == 0 {
		return false
	}
	at := fieldKey(steps)
	return slices.ContainsFunc(s.fields, func(field string) bool {
		return isWithin(at, field) || isWithin(field, at) && !strings.Contains(field[len(at):], "[")
	})
}

// isWithin reports whether a field is another one, or below it.
func isWithin(field, other string) bool {
	rest, ok := strings.CutPrefix(field, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
