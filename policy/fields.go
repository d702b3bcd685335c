package policy

import (
	"iter"
	"maps"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// A fieldType is the JSON type of a field in KubeVirt's API.
type fieldType int

const (
	anyType     fieldType = iota // the type is not known here
	integerType                  // a whole number
	stringType
	quantityType // a string or a number, such as "2Gi"
)

// typesOf has the types of the fields that most rules are about, by their paths below a VM's
// spec.template. In a path, [] stands for any item of a list.
var typesOf = map[string]fieldType{
	"spec.domain.cpu.cores":                             integerType,
	"spec.domain.cpu.sockets":                           integerType,
	"spec.domain.cpu.maxSockets":                        integerType,
	"spec.domain.cpu.threads":                           integerType,
	"spec.domain.cpu.model":                             stringType,
	"spec.domain.memory.guest":                          quantityType,
	"spec.domain.memory.maxGuest":                       quantityType,
	"spec.domain.memory.hugepages.pageSize":             stringType,
	"spec.domain.machine.type":                          stringType,
	"spec.domain.ioThreadsPolicy":                       stringType,
	"spec.domain.devices.disks[].name":                  stringType,
	"spec.domain.devices.disks[].serial":                stringType,
	"spec.domain.devices.disks[].cache":                 stringType,
	"spec.domain.devices.disks[].io":                    stringType,
	"spec.domain.devices.disks[].tag":                   stringType,
	"spec.domain.devices.disks[].bootOrder":             integerType,
	"spec.domain.devices.disks[].disk.bus":              stringType,
	"spec.domain.devices.disks[].cdrom.bus":             stringType,
	"spec.domain.devices.disks[].lun.bus":               stringType,
	"spec.domain.devices.interfaces[].name":             stringType,
	"spec.domain.devices.interfaces[].model":            stringType,
	"spec.domain.devices.interfaces[].macAddress":       stringType,
	"spec.domain.devices.interfaces[].pciAddress":       stringType,
	"spec.domain.devices.interfaces[].tag":              stringType,
	"spec.domain.devices.interfaces[].bootOrder":        integerType,
	"spec.domain.devices.interfaces[].ports[].name":     stringType,
	"spec.domain.devices.interfaces[].ports[].protocol": stringType,
	"spec.domain.devices.interfaces[].ports[].port":     integerType,
	"spec.domain.devices.inputs[].bus":                  stringType,
	"spec.domain.devices.inputs[].type":                 stringType,
	"spec.domain.devices.inputs[].name":                 stringType,
	"spec.hostname":                                     stringType,
	"spec.subdomain":                                    stringType,
	"spec.architecture":                                 stringType,
	"spec.evictionStrategy":                             stringType,
	"spec.priorityClassName":                            stringType,
	"spec.schedulerName":                                stringType,
	"spec.terminationGracePeriodSeconds":                integerType,
	"spec.networks[].name":                              stringType,
	"spec.networks[].multus.networkName":                stringType,
	"spec.volumes[].name":                               stringType,
	"spec.volumes[].containerDisk.image":                stringType,
	"spec.volumes[].dataVolume.name":                    stringType,
	"spec.volumes[].persistentVolumeClaim.claimName":    stringType,
	"spec.domain.features.hyperv.spinlocks.spinlocks":   integerType,
}

// mapsOf has the objects whose members may have any names, and the types of the members.
var mapsOf = map[string]fieldType{
	"metadata.labels":                stringType,
	"metadata.annotations":           stringType,
	"spec.nodeSelector":              stringType,
	"spec.domain.resources.requests": quantityType,
	"spec.domain.resources.limits":   quantityType,
}

// containers has all fields that contain a field of typesOf or mapsOf, and whether they are an
// object or an array.
var containers = func() map[string]string {
	found := map[string]string{}
	for field := range mapsOf {
		found[field] = "object"
	}
	for _, fields := range []iter.Seq[string]{maps.Keys(typesOf), maps.Keys(mapsOf)} {
		for field := range fields {
			for i := range field {
				switch {
				case field[i] == '.':
					found[field[:i]] = "object"
				case field[i] == '[':
					found[field[:i]] = "array"
				}
			}
		}
	}
	return found
}()

// typeAt returns the type of the field that steps select.
func typeAt(steps []step) fieldType {
	if n := len(steps) - 1; steps[n].name != "" {
		if of, ok := mapsOf[fieldKey(steps[:n])]; ok {
			return of
		}
	}
	return typesOf[fieldKey(steps)]
}

// defaultAt returns what vmrules knows about the field that steps select. Its Default is nil if
// the field has none.
func defaultAt(steps []step) form.Place {
	text := "jsonpath::$"
	for _, s := range steps {
		text += s.String()
	}
	return placeOf(vmrules.MustParsePath(text))
}

// placeOf returns what vmrules knows about a path in a VM without any fields. The VM names an
// object in each field of setters.
func placeOf(path vmrules.Path, setters ...string) form.Place {
	spec := map[string]any{"template": map[string]any{"spec": map[string]any{}}}
	for _, setter := range setters {
		spec[setter] = map[string]any{"name": "any"}
	}
	rules, err := vmrules.NewRules([]vmrules.Rule{{Kind: vmrules.KindString, Name: "any", Path: path, Message: "any"}})
	if err != nil {
		return form.Place{} // the rule with this path is refused elsewhere
	}
	for resolved := range form.Resolve(rules, map[string]any{"kind": "VirtualMachine", "spec": spec}) {
		return resolved.AtPath
	}
	return form.Place{}
}
