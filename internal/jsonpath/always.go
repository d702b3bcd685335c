package jsonpath

// AlwaysThere lists the fields that 201902-2 calls always there, under "valid", with
// what they count as where they are not written. They are there wherever the object
// that they belong to is.
var AlwaysThere = []struct {
	Path  string
	Value any
}{
	{".spec.domain.cpu.sockets", 1},
	{".spec.domain.cpu.cores", 1},
	{".spec.domain.cpu.threads", 1},
	{".spec.domain.machine.type", ""},
	{".spec.domain.devices.disks[*].serial", ""},
	{".spec.domain.devices.disks[*].cache", ""},
	{".spec.domain.devices.disks[*].io", ""},
	{".spec.domain.devices.disks[*].tag", ""},
	{".spec.domain.devices.interfaces[*].model", ""},
	{".spec.domain.devices.interfaces[*].macAddress", ""},
	{".spec.domain.devices.interfaces[*].pciAddress", ""},
	{".spec.domain.devices.interfaces[*].tag", ""},
	{".spec.domain.devices.interfaces[*].ports[*].protocol", ""},
	{".spec.domain.devices.interfaces[*].ports[*].port", 0},
}
