package policy_test

import (
	"fmt"
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/policy"
)

func ExampleOf() {
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
	scope := policy.Scope{Name: "windows", Template: "windows", Namespace: "openshift", WithoutRatcheting: true}
	_, _, err = policy.Of(rules, scope)
	fmt.Println(err)

	scope.Partial = true
	documents, untranslated, err := policy.Of(rules, scope)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range documents {
		fmt.Println(d["kind"])
		validations, _ := d["spec"].(map[string]any)["validations"].([]any)
		for _, v := range validations {
			fmt.Println(v.(map[string]any)["expression"])
		}
	}
	fmt.Println("Not enforced:", untranslated)
	// Output:
	// 1 of 3 rules cannot be translated to a policy, of which the first is rules[2] "no-root" regex: it cannot be rewritten for CEL's matches(), which uses RE2: this has no lookaround, no back-references, no atomic or possessive parts, and no $ before something else
	// ValidatingAdmissionPolicy
	// !has(object.spec.instancetype) &&
	// object.spec.template.spec.?domain.?cpu.?cores.optMap(cores, cores >= 2).orValue(false)
	// !has(object.spec.preference) &&
	// object.spec.template.spec.?domain.?devices.?disks.orValue([]).all(disk, disk.?disk.?bus.optMap(bus, bus in ["virtio", "sata"]).orValue(true))
	// ValidatingAdmissionPolicyBinding
	// Not enforced: [rules[2] "no-root" regex: it cannot be rewritten for CEL's matches(), which uses RE2: this has no lookaround, no back-references, no atomic or possessive parts, and no $ before something else]
}
