package vmfields

import "github.com/vmrules/vmrules/internal/jsonpath"

// A Default is the value of a field if its parent exists and the field is missing. A nil Value
// means that there is no default.
type Default struct {
	Field *jsonpath.Path // one that IsField
	Value any
}

// AlwaysThere lists the fields that 201902-2, under "valid", says are always there, with their
// defaults. Such a field exists if its parent exists.
var AlwaysThere = []Default{
	{field(".spec.domain.cpu.sockets"), 1},
	{field(".spec.domain.cpu.cores"), 1},
	{field(".spec.domain.cpu.threads"), 1},
	{field(".spec.domain.machine.type"), ""},
	{field(".spec.domain.devices.disks[*].serial"), ""},
	{field(".spec.domain.devices.disks[*].cache"), ""},
	{field(".spec.domain.devices.disks[*].io"), ""},
	{field(".spec.domain.devices.disks[*].tag"), ""},
	{field(".spec.domain.devices.interfaces[*].model"), ""},
	{field(".spec.domain.devices.interfaces[*].macAddress"), ""},
	{field(".spec.domain.devices.interfaces[*].pciAddress"), ""},
	{field(".spec.domain.devices.interfaces[*].tag"), ""},
	{field(".spec.domain.devices.interfaces[*].ports[*].protocol"), ""},
	{field(".spec.domain.devices.interfaces[*].ports[*].port"), 0},
}

// zeroIsUnset lists the fields in which KubeVirt reads a 0 as not set: sockets, cores and threads.
var zeroIsUnset = AlwaysThere[:3]

func field(path string) *jsonpath.Path {
	parsed, _ := jsonpath.Parse(path)
	if !parsed.IsField() {
		panic("vmfields: " + path + " does not name a field")
	}
	return parsed
}
