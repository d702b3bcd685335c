package vmrules

import (
	"errors"

	"github.com/vmrules/vmrules/internal/jsonpath"
)

// The fields that 201902-2 lists under "valid" as always there. They are there
// wherever the object that they belong to is.
var alwaysThere = []fieldDefault{
	{MustParsePath("jsonpath::.spec.domain.cpu.sockets"), 1},
	{MustParsePath("jsonpath::.spec.domain.cpu.cores"), 1},
	{MustParsePath("jsonpath::.spec.domain.cpu.threads"), 1},
	{MustParsePath("jsonpath::.spec.domain.machine.type"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.disks[*].serial"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.disks[*].cache"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.disks[*].io"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.disks[*].tag"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.interfaces[*].model"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.interfaces[*].macAddress"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.interfaces[*].pciAddress"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.interfaces[*].tag"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.interfaces[*].ports[*].protocol"), ""},
	{MustParsePath("jsonpath::.spec.domain.devices.interfaces[*].ports[*].port"), 0},
}

// KubeVirt reads a 0 in these as not set.
var zeroIsUnset = []Path{
	MustParsePath("jsonpath::.spec.domain.cpu.sockets"),
	MustParsePath("jsonpath::.spec.domain.cpu.cores"),
	MustParsePath("jsonpath::.spec.domain.cpu.threads"),
}

type fieldDefault struct {
	path  Path
	value any
}

var (
	plainFields    = mustFields(newFields)
	settableInTree = mustFields(newSettableFields)
)

func mustFields(build func([]fieldDefault) (*jsonpath.Implied, error)) *jsonpath.Implied {
	f, err := build(alwaysThere)
	if err != nil {
		panic(err)
	}
	return f
}

// newFields builds the tree. Of two defaults for one field the later counts.
func newFields(defaults []fieldDefault) (*jsonpath.Implied, error) {
	root := &jsonpath.Implied{}
	for _, d := range defaults {
		if err := root.SetDefault(d.path.parsed, d.value); err != nil {
			return nil, errDefaultPath
		}
	}
	for _, path := range zeroIsUnset {
		if err := root.SetZeroIsUnset(path.parsed); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// newSettableFields is newFields for a VM that leaves fields to others.
func newSettableFields(defaults []fieldDefault) (*jsonpath.Implied, error) {
	root, err := newFields(defaults)
	if err == nil {
		root.AddSettable(settableFields)
	}
	return root, err
}

var errDefaultPath = errors.New("WithDefault takes a path of names and [*] that ends in a name")
