package bench

import (
	_ "embed"
	"fmt"

	"k8s.io/apimachinery/pkg/util/json" // decodes integers as int64, as in Kubernetes' unstructured objects
)

// A vm is a VirtualMachine. One that fails violates rules of every set.
type vm struct {
	name   string
	object map[string]any
	fails  bool
}

var vms = []vm{
	{"3-disks-pass", newVM(3), false},
	{"3-disks-fail", failing(newVM(3)), true},
	{"64-disks-pass", newVM(64), false},
	{"64-disks-fail", failing(newVM(64)), true},
}

//go:embed testdata/vm.json
var vmJSON []byte

// newVM returns a Windows desktop with that many disks. The third disk, and every eighth
// after it, is a CD-ROM drive.
func newVM(disks int) map[string]any {
	var vm map[string]any
	if err := json.Unmarshal(vmJSON, &vm); err != nil {
		panic(err)
	}
	spec := specOf(vm)
	devices := object(object(spec, "domain"), "devices")
	for i := range disks {
		name := fmt.Sprintf("disk-%d", i)
		device, bus := "disk", "virtio"
		if i%8 == 2 {
			device, bus = "cdrom", "sata"
		}
		disk := map[string]any{"name": name, device: map[string]any{"bus": bus}}
		volume := map[string]any{"name": name, "persistentVolumeClaim": map[string]any{"claimName": name}}
		devices["disks"] = append(devices["disks"].([]any), disk)
		spec["volumes"] = append(spec["volumes"].([]any), volume)
	}
	return vm
}

// failing gives the VM too little memory, too many cores, a host name that is too long
// and not a label, and a wrong bus for 2 disks of 3, or 8 of 64.
func failing(vm map[string]any) map[string]any {
	spec := specOf(vm)
	spec["hostname"] = "Accounting_on_the_3rd_floor"
	domain := object(spec, "domain")
	object(domain, "memory")["guest"] = "1536Mi"
	object(domain, "cpu")["cores"] = int64(12)
	for i, disk := range object(domain, "devices")["disks"].([]any) {
		if i >= 2 && i%10 != 0 {
			continue
		}
		for _, device := range []string{"disk", "cdrom"} {
			if o := object(disk, device); o != nil {
				o["bus"] = "usb"
			}
		}
	}
	return vm
}
