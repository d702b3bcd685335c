package export_test

import (
	"fmt"
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd/export"
)

func ExampleTranslate() {
	rules, err := vmrules.ParseRules(`[
		{
			"name": "enough-cores", "rule": "integer", "min": 2,
			"path": "jsonpath::.spec.domain.cpu.cores",
			"message": "This VM needs two cores."
		},
		{
			"name": "disk-bus", "rule": "enum", "values": ["virtio", "sata"],
			"path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
			"valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
			"message": "Disks are on virtio or sata."
		},
		{
			"name": "no-root", "rule": "regex", "regex": "^(?!root)",
			"path": "jsonpath::.spec.hostname",
			"message": "The hostname must not begin with root."
		}
	]`)
	if err != nil {
		log.Fatal(err)
	}
	out := export.Translate(rules)
	fmt.Println("ValidatingAdmissionPolicy:")
	for _, v := range out.Policy {
		fmt.Println("-", v.Expression)
	}
	fmt.Println("x-kubernetes-validations:")
	for _, r := range out.CRD {
		fmt.Println("-", r.Rule)
	}
	fmt.Println("Not translated:")
	for _, u := range out.Untranslated {
		fmt.Println("-", u)
	}
	// Output:
	// ValidatingAdmissionPolicy:
	// - !has(object.spec.instancetype) && object.spec.template.spec.?domain.?cpu.?cores.optMap(cores, cores >= 2).orValue(false)
	// - !has(object.spec.preference) && object.spec.template.spec.?domain.?devices.?disks.orValue([]).all(disk, disk.?disk.?bus.optMap(bus, bus in ["virtio", "sata"]).orValue(true))
	// x-kubernetes-validations:
	// - !has(self.spec.instancetype) && has(self.spec.template.spec.domain.cpu) && has(self.spec.template.spec.domain.cpu.cores) && self.spec.template.spec.domain.cpu.cores >= 2
	// - !has(self.spec.preference) && (!has(self.spec.template.spec.domain.devices) || !has(self.spec.template.spec.domain.devices.disks) || self.spec.template.spec.domain.devices.disks.all(disk, !has(disk.disk) || !has(disk.disk.bus) || disk.disk.bus in ["virtio", "sata"]))
	// Not translated:
	// - rules[2] "no-root" regex: the group "(?!r" cannot be rewritten for CEL's matches(), which uses RE2
}
