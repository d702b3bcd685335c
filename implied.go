package vmrules

import (
	"errors"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
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

// An implied field counts though it is not written, or may be set by others. They
// are a tree; nil stands for all other fields.
type implied struct {
	members     map[string]*implied
	others      *implied // members that are not in the tree
	items       *implied
	value       any  // the default; nil: none
	zeroIsUnset bool // 0 means not set

	by   setters // who may set the field, or make the object for fields in it
	when condition
	only func(w *walk, parent any) bool // nil: always
}

var (
	plainFields    = mustFields(newFields)
	settableInTree = mustFields(newSettableFields)
)

func mustFields(build func([]fieldDefault) (*implied, error)) *implied {
	f, err := build(alwaysThere)
	if err != nil {
		panic(err)
	}
	return f
}

// newFields builds the tree. Of two defaults for one field the later counts.
func newFields(defaults []fieldDefault) (*implied, error) {
	root := &implied{}
	for _, d := range defaults {
		f, err := root.grow(d.path)
		if err != nil {
			return nil, err
		}
		if n := len(d.path.steps()); n == 0 || !isChild(d.path.steps()[n-1]) {
			return nil, errDefaultPath
		}
		f.value = value.Resolve(d.value)
	}
	for _, path := range zeroIsUnset {
		f, _ := root.grow(path)
		f.zeroIsUnset = true
	}
	return root, nil
}

// newSettableFields is newFields for a VM that leaves fields to others.
func newSettableFields(defaults []fieldDefault) (*implied, error) {
	root, err := newFields(defaults)
	if err == nil {
		root.addSettable()
	}
	return root, err
}

var errDefaultPath = errors.New("WithDefault takes a path of names and [*] that ends in a name")

func isChild(step jp.Frag) bool {
	_, ok := step.(jp.Child)
	return ok
}

// grow returns the node of a path, and makes those that are missing.
func (f *implied) grow(path Path) (*implied, error) {
	for _, step := range path.steps() {
		switch step := step.(type) {
		case jp.Child:
			f = f.growMember(string(step))
		case jp.Wildcard:
			if step == jp.Wildcard('*') {
				return nil, errDefaultPath
			}
			f = f.growItems()
		default:
			return nil, errDefaultPath
		}
	}
	return f, nil
}

func (f *implied) growMember(name string) *implied {
	if f.members == nil {
		f.members = map[string]*implied{}
	}
	if f.members[name] == nil {
		f.members[name] = &implied{}
	}
	return f.members[name]
}

func (f *implied) growItems() *implied {
	if f.items == nil {
		f.items = &implied{}
	}
	return f.items
}

// at is the node of a member or item.
func (f *implied) at(e jsonpath.Element) *implied {
	switch {
	case f == nil:
		return nil
	case e.IsItem():
		return f.items
	}
	return f.member(e.Name())
}

func (f *implied) member(name string) *implied {
	if member := f.members[name]; member != nil {
		return member
	}
	return f.others
}

// after is the node behind a step that names a member or selects items.
func (f *implied) after(step jp.Frag) *implied {
	if name, ok := step.(jp.Child); ok {
		return f.at(jsonpath.Member(string(name)))
	}
	return f.at(jsonpath.Item(0))
}

// standIn is the default that counts for a member of parent, and why; next is
// what the object holds there, nil where it holds nothing.
func (f *implied) standIn(parent, next any) (any, standIn) {
	switch {
	case f == nil || f.value == nil || value.ShapeOf(parent) != value.Object:
		return nil, written
	case next == nil:
		return f.value, unset
	case f.zeroIsUnset && isZero(next):
		return f.value, zero
	}
	return nil, written
}

func isZero(v any) bool {
	s, ok := value.ScalarOf(v)
	return ok && s.Shape() == value.Number && s.Err() == nil && s.Number().IsZero()
}
