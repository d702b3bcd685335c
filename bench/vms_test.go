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
	old    map[string]any // before an update; nil: it is created
	typed  *typedVM       // the object as a Go type; nil: no set needs it
}

var usualVMs = newUsualVMs()

func newUsualVMs() []vm {
	return []vm{
		{name: "3-disks-pass", object: newVM(3)},
		{name: "3-disks-fail", object: failing(newVM(3)), fails: true},
		{name: "64-disks-pass", object: newVM(64)},
		{name: "64-disks-fail", object: failing(newVM(64)), fails: true},
	}
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
				o["bus"] = "ide"
			}
		}
	}
	return vm
}
