package vmrules

import "github.com/vmrules/vmrules/internal/jsonpath"

// The fields that 201902-2 lists under "valid" as always there. They are there
// wherever the object that they belong to is.
var alwaysThere = []Default{
	{mustField(".spec.domain.cpu.sockets"), 1},
	{mustField(".spec.domain.cpu.cores"), 1},
	{mustField(".spec.domain.cpu.threads"), 1},
	{mustField(".spec.domain.machine.type"), ""},
	{mustField(".spec.domain.devices.disks[*].serial"), ""},
	{mustField(".spec.domain.devices.disks[*].cache"), ""},
	{mustField(".spec.domain.devices.disks[*].io"), ""},
	{mustField(".spec.domain.devices.disks[*].tag"), ""},
	{mustField(".spec.domain.devices.interfaces[*].model"), ""},
	{mustField(".spec.domain.devices.interfaces[*].macAddress"), ""},
	{mustField(".spec.domain.devices.interfaces[*].pciAddress"), ""},
	{mustField(".spec.domain.devices.interfaces[*].tag"), ""},
	{mustField(".spec.domain.devices.interfaces[*].ports[*].protocol"), ""},
	{mustField(".spec.domain.devices.interfaces[*].ports[*].port"), 0},
}

// KubeVirt reads a 0 in these as not set.
var zeroIsUnset = []jsonpath.FieldPath{
	mustField(".spec.domain.cpu.sockets"),
	mustField(".spec.domain.cpu.cores"),
	mustField(".spec.domain.cpu.threads"),
}

func mustField(path string) jsonpath.FieldPath {
	field, ok := MustParsePath(jsonpath.Prefix + path).parsed.AsField()
	if !ok {
		panic("vmrules: " + path + " does not name a field")
	}
	return field
}

var (
	plainFields    = newFields(alwaysThere)
	settableInTree = newSettableFields(alwaysThere)
)

// newFields builds the tree. Of two defaults for one field the later counts.
func newFields(defaults []Default) *jsonpath.Implied {
	root := &jsonpath.Implied{}
	for _, d := range defaults {
		root.SetDefault(d.field, d.value)
	}
	for _, field := range zeroIsUnset {
		root.SetZeroIsUnset(field)
	}
	return root
}

// newSettableFields is newFields for a VM that leaves fields to others.
func newSettableFields(defaults []Default) *jsonpath.Implied {
	root := newFields(defaults)
	root.AddSettable(settableFields)
	return root
}
