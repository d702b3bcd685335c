package instancetype_test

import (
	"fmt"
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/instancetype"
)

func parse(text string) map[string]any {
	object, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		log.Fatal(err)
	}
	return object
}

func ExampleExpand() {
	vm := parse(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"devices": {"disks": [{"name": "root"}]}}}}}}`)
	medium := parse(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1.medium"},
		"spec": {"cpu": {"guest": 4}, "memory": {"guest": "4096Mi"}}}`)
	linux := parse(`{"kind": "VirtualMachineClusterPreference", "metadata": {"name": "linux"},
		"spec": {"cpu": {"preferredCPUTopology": "cores"}, "devices": {"preferredDiskBus": "virtio"}}}`)

	expanded, err := instancetype.Expand(vm, medium, linux)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range expanded.Origins {
		fmt.Printf("%s: %s\n", o.From, o.Field)
	}
	// Output:
	// instancetype u1.medium: spec.template.spec.domain.cpu.sockets
	// instancetype u1.medium: spec.template.spec.domain.cpu.cores
	// instancetype u1.medium: spec.template.spec.domain.cpu.threads
	// instancetype u1.medium: spec.template.spec.domain.memory.guest
	// preference linux: spec.template.spec.domain.devices.disks[0].disk
	// preference linux: spec.template.spec.domain.devices.disks[0].disk.bus
}

func ExampleExpand_conflicts() {
	vm := parse(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 2}}}}}}`)
	small := parse(`{"metadata": {"name": "u1.small"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "2Gi"}}}`)
	expanded, err := instancetype.Expand(vm, small, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range expanded.Conflicts {
		fmt.Printf("%s:\n%s\n", c.Field, c.Message)
	}
	// Output:
	// spec.template.spec.domain.cpu.cores:
	// instancetype u1.small sets spec.cpu.guest, so the VM must not set this field: remove it, or use another instance type
}

func ExampleCheckRequirements() {
	vm := parse(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"memory": {"guest": "1Gi"}}}}}}`)
	windows := parse(`{"metadata": {"name": "windows.11"}, "spec": {"requirements": {"memory": {"guest": "4Gi"}}}}`)
	for _, c := range instancetype.CheckRequirements(vm, nil, windows) {
		fmt.Printf("%s:\n%s\n", c.Field, c.Message)
	}
	// Output:
	// spec.template.spec.domain.memory:
	// the VM has 1Gi of memory, but preference windows.11 requires 4Gi: raise guest, or use an instance type
}

// A program looks for the objects that a VM names.
func ExampleNamesOf() {
	vm := parse(`{"kind": "VirtualMachine", "metadata": {"namespace": "office"}, "spec": {
		"instancetype": {"name": "u1.medium"}, "preference": {"kind": "VirtualMachinePreference", "name": "linux"}, "template": {}}}`)
	size, preference := instancetype.NamesOf(vm)
	for _, named := range []*instancetype.Named{size, preference} {
		namespaced, _ := instancetype.IsNamespaced(named.Kind)
		fmt.Println(named, namespaced)
	}
	found := parse(`{"kind": "VirtualMachinePreference", "metadata": {"name": "linux", "namespace": "default"}}`)
	fmt.Println(preference.Fits(found))
	// Output:
	// VirtualMachineClusterInstancetype u1.medium false
	// VirtualMachinePreference linux in the namespace office true
	// the VM names the VirtualMachinePreference linux in the namespace office, and the VirtualMachinePreference linux in the namespace default is given
}
