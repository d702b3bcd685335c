package hostile

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/instancetype"
)

// VMs, instance types and preferences. Each is as large as an object may be, or small and
// used many times.
func instancetypes() []attack {
	devices := func(text string) string {
		return `{"spec":{"template":{"spec":{"domain":{"devices":{` + text + `}}}}}}`
	}
	preference := func(text string) string { return `{"spec":{` + text + `}}` }
	size := func(more string) string { return `{"spec":{"cpu":{"guest":1},"memory":{"guest":"1Gi"}` + more + `}}` }
	const emptyVM = `{"spec":{"template":{"spec":{}}}}`
	return []attack{
		expanding("20,000 disks", devices(`"disks":[`+list(20_000, `{"name":"d%d"}`)+`]`), "",
			preference(`"devices":{"preferredDiskBus":"virtio","preferredDiskCache":"none","preferredDiskDedicatedIoThread":true}`)),
		expanding("400,000 disks", devices(`"disks":[`+list(400_000, `{}`)+`]`), "", preference(`"devices":{"preferredDiskBus":"virtio"}`)),
		expanding("10,000 interfaces, 10,000 networks",
			`{"spec":{"template":{"spec":{"networks":[`+list(10_000, `{"name":"n%d"}`)+`],"domain":{"devices":{"interfaces":[`+
				list(10_000, `{"name":"i%d"}`)+`]}}}}}}`, "", preference(`"devices":{"preferredInterfaceMasquerade":{}}`)),
		expanding("a large object for each of 10,000 disks", devices(`"disks":[`+list(10_000, `{}`)+`]`), "",
			preference(`"devices":{"preferredDiskBlockSize":{`+list(50_000, `"k%d":{}`)+`}}`)),
		expanding("annotations that conflict", `{"spec":{"template":{"metadata":{"annotations":{`+list(80_000, `"k%d":"v"`)+`}}}}}`,
			size(`,"annotations":{`+list(80_000, `"k%d":"i"`)+`}`), ""),
		expanding("annotations that are new", emptyVM, size(`,"annotations":{`+list(80_000, `"k%d":"i"`)+`}`),
			preference(`"annotations":{`+list(80_000, `"p%d":"i"`)+`}`)),
		expanding("one annotation with a long name", emptyVM, size(`,"annotations":{"`+strings.Repeat("n", 1_400_000)+`":""}`), ""),
		expanding("fields that are not known", emptyVM, size(","+list(100_000, `"k%d":{}`)), preference(list(100_000, `"k%d":{}`))),
		expanding("CPU features", `{"spec":{"template":{"spec":{"domain":{"cpu":{"features":[`+list(50_000, `{"name":"a%d"}`)+`]}}}}}}`, "",
			preference(`"cpu":{"preferredCPUFeatures":[`+list(50_000, `{"name":"b%d"}`)+`]}`)),
		expanding("memory of many digits", emptyVM, size(`,"x":`+strings.Repeat("9", 1000)), preference(`"requirements":{"memory":{"guest":"`+strings.Repeat("9", 1_000_000)+`"}}`)),
		judgedExpanded("a preference of 1.4 MB for each of 10,000 VMs", 10_000, `{}`,
			preference(`"annotations":{`+list(80_000, `"k%d":"value"`)+`}`)),
		judgedExpanded("many conflicts in each of 1,000 VMs", 1000,
			`{"metadata":{"annotations":{`+list(50, `"k%d":"v"`)+`}},"spec":{}}`, size(`,"annotations":{`+list(50, `"k%d":"i"`)+`}`)),
		updated("of 9,000 disks that are wrong", devices(`"disks":[`+list(9000, `{"name":"d%d","disk":{"bus":"x"}}`)+`]`)),
		updated("of 9,000 disks of one name", devices(`"disks":[`+list(9000, `{"name":"d","disk":{"bus":"x"}}`)+`]`)),
		updated("of objects that are wrong", devices(`"disks":[`+list(3500, `{"disk":{"bus":{"a":`+nested(200, "[", "", "]")+`}}}`)+`]`)),
		expanding("lists in lists", `{"spec":{"template":{},"a":`+nested(900, "[", list(200_000, "[]"), "]")+`}}`, size(""), ""),
	}
}

// expanding makes the calls of package instancetype. A text is empty if there is no object.
func expanding(name, vm, it, preference string) attack {
	return attack{name: "instancetypes/" + name, calls: func(p *probe) {
		objects := make([]map[string]any, 3)
		for i, text := range []string{vm, it, preference} {
			if text != "" {
				objects[i] = object(text)
			}
		}
		p.measure("Expand", func() (string, string) {
			e, err := instancetype.Expand(objects[0], objects[1], objects[2])
			if err != nil {
				return problem, shortened(err.Error())
			}
			return decided, fmt.Sprintf("%d fields, %d conflicts, %d ignored", len(e.Origins), len(e.Conflicts), len(e.Ignored))
		})
		p.measure("CheckRequirements", func() (string, string) {
			return decided, fmt.Sprintf("%d conflicts", len(instancetype.CheckRequirements(objects[0], objects[1], objects[2])))
		})
	}}
}

// judgedExpanded judges a list of VMs that all name the same instance type or preference.
func judgedExpanded(name string, n int, template, given string) attack {
	return attack{name: "instancetypes/" + name, calls: func(p *probe) {
		text := `{"spec":{"instancetype":{"name":""},"template":` + template + `}}`
		it, preference := object(given), map[string]any(nil)
		if strings.HasPrefix(given, `{"spec":{"annotations"`) {
			text = strings.Replace(text, "instancetype", "preference", 1)
			it, preference = nil, it
		}
		rules, _ := p.parse(annotation(5, `"rule":"string","path":"jsonpath::.metadata.annotations.k1"`))
		vms := object(`{"kind":"VirtualMachineList","items":[` + list(n, text) + `]}`)
		p.render(p.validate(rules, vms, vmrules.WithInstancetype(it, preference)))
	}}
}

// updated judges an update that changes nothing.
func updated(name, vm string) attack {
	return attack{name: "instancetypes/update " + name, calls: func(p *probe) {
		rules, _ := p.parse(annotation(3, `"rule":"enum","values":["virtio"],"path":"jsonpath::.spec.domain.devices.disks[*].disk.bus"`))
		p.render(p.validate(rules, object(vm), vmrules.WithOldObject(object(vm)), vmrules.Ratcheting()))
	}}
}
