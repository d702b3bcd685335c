package policy

import (
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
)

// For a field that an instance type or a preference may set, a rule is Undecided if the VM names
// one, and the expression of the rule is guarded.
func TestSetters(t *testing.T) {
	for _, s := range []struct {
		reference string
		fields    []string
	}{
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
	} {
		object := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{
			s.reference: map[string]any{"name": "x"},
			"template": map[string]any{"spec": map[string]any{
				"networks": []any{map[string]any{"name": "a", "pod": map[string]any{}}},
				"domain": map[string]any{"cpu": map[string]any{}, "devices": map[string]any{
					"sound":      map[string]any{},
					"inputs":     []any{map[string]any{}},
					"interfaces": []any{map[string]any{"name": "a"}},
					"disks":      []any{map[string]any{}, map[string]any{"cdrom": map[string]any{}}, map[string]any{"lun": map[string]any{}}},
				}},
			}},
		}}
		for _, field := range s.fields {
			rules := parseAll(t, map[string]any{"name": "r", "message": "m", "rule": "string", "path": "jsonpath::." + strings.ReplaceAll(field, "[]", "[*]")})
			if got := vmrules.Validate(rules, object).Results()[0].Outcome; got != vmrules.OutcomeUndecided {
				t.Errorf("%s, %s: %s", s.reference, field, got)
			}
			for _, rule := range rules.All() {
				if !maySet(s.reference, rule) {
					t.Errorf("%s, %s: not guarded", s.reference, field)
				}
			}
		}
	}
}
