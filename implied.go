package vmrules

import (
	"errors"
	"slices"

	"github.com/ohler55/ojg/jp"
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

// What an instance type sets, where a VM names one and does not say it itself:
// these and all below them. Some are named apart for the sake of "..guest".
var setByInstancetype = []Path{
	MustParsePath("jsonpath::.spec.domain.cpu"),
	MustParsePath("jsonpath::.spec.domain.cpu.maxSockets"),
	MustParsePath("jsonpath::.spec.domain.memory"),
	MustParsePath("jsonpath::.spec.domain.memory.guest"),
	MustParsePath("jsonpath::.spec.domain.memory.maxGuest"),
	MustParsePath("jsonpath::.spec.domain.resources.requests.cpu"),
	MustParsePath("jsonpath::.spec.domain.resources.requests.memory"),
	MustParsePath("jsonpath::.spec.domain.resources.limits.cpu"),
	MustParsePath("jsonpath::.spec.domain.resources.limits.memory"),
}

type fieldDefault struct {
	path  Path
	value any
}

// An implied field counts though it is not written. They are a tree; nil stands
// for all other fields.
type implied struct {
	members     map[string]*implied
	items       *implied
	value       any  // the default; nil: none
	zeroIsUnset bool // 0 means not set
	byOthers    bool // the instance type sets this and all below
}

var (
	plainFields        = mustFields(alwaysThere, false)
	instancetypeFields = mustFields(alwaysThere, true)
)

func mustFields(defaults []fieldDefault, instancetype bool) *implied {
	f, err := newFields(defaults, instancetype)
	if err != nil {
		panic(err)
	}
	return f
}

// newFields builds the tree. Of two defaults for one field the later counts.
func newFields(defaults []fieldDefault, instancetype bool) (*implied, error) {
	root := &implied{}
	for _, d := range defaults {
		f, err := root.grow(d.path)
		if err != nil {
			return nil, err
		}
		if n := len(d.path.steps()); n == 0 || !isChild(d.path.steps()[n-1]) {
			return nil, errDefaultPath
		}
		f.value = resolve(d.value)
	}
	for _, path := range zeroIsUnset {
		f, _ := root.grow(path)
		f.zeroIsUnset = true
	}
	if instancetype {
		for _, path := range setByInstancetype {
			f, _ := root.grow(path)
			f.leaveToOthers()
		}
	}
	return root, nil
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
			if f.members == nil {
				f.members = map[string]*implied{}
			}
			if f.members[string(step)] == nil {
				f.members[string(step)] = &implied{}
			}
			f = f.members[string(step)]
		case jp.Wildcard:
			if step == jp.Wildcard('*') {
				return nil, errDefaultPath
			}
			if f.items == nil {
				f.items = &implied{}
			}
			f = f.items
		default:
			return nil, errDefaultPath
		}
	}
	return f, nil
}

// leaveToOthers says that the instance type sets a field and all below it.
func (f *implied) leaveToOthers() {
	if f == nil {
		return
	}
	f.byOthers = true
	f.items.leaveToOthers()
	for _, member := range f.members {
		member.leaveToOthers()
	}
}

// at is the node of a member or item.
func (f *implied) at(e element) *implied {
	if f == nil {
		return nil
	}
	next := f.items
	if e.index < 0 {
		next = f.members[e.name]
	}
	if next == nil && f.byOthers {
		return f
	}
	return next
}

// after is the node behind a step that names a member or selects items.
func (f *implied) after(step jp.Frag) *implied {
	if name, ok := step.(jp.Child); ok {
		return f.at(named(string(name)))
	}
	return f.at(indexed(0))
}

// standIn is the default that counts for a member of parent, and why; next is
// what the object holds there, nil where it holds nothing.
func (f *implied) standIn(parent, next any) (any, standIn) {
	switch {
	case f == nil || f.value == nil || shapeOf(parent) != object:
		return nil, written
	case next == nil:
		return f.value, unset
	case f.zeroIsUnset && isZero(next):
		return f.value, zero
	}
	return nil, written
}

func isZero(v any) bool {
	s, ok := scalarOf(v)
	return ok && s.shape == numeric && s.err() == nil && s.number.isZero()
}

// isLeftOut tells whether a field is left to the instance type; next is what
// the object holds there.
func (f *implied) isLeftOut(next any) bool {
	return f != nil && f.byOthers && (next == nil || f.zeroIsUnset && isZero(next))
}

// leaves tells whether a path asks for a field that the instance type sets.
func (f *implied) leaves(steps jp.Expr) bool {
	switch {
	case f == nil:
		return false
	case len(steps) == 0:
		return f.byOthers
	}
	switch step := steps[0].(type) {
	case jp.Child:
		return f.at(named(string(step))).leaves(steps[1:])
	case jp.Union:
		return slices.ContainsFunc(step, func(key any) bool {
			name, ok := key.(string)
			return ok && f.at(named(name)).leaves(steps[1:])
		})
	case jp.Wildcard:
		if step == jp.Wildcard('*') {
			return f.anyMember(func(f *implied) bool { return f.leaves(steps[1:]) })
		}
	case jp.Descent:
		return f.names(steps[1]) && f.leaves(steps[1:]) ||
			f.anyMember(func(f *implied) bool { return f.leaves(steps) })
	}
	return f.items.leaves(steps[1:])
}

// leavesBelow tells whether the instance type sets a field below this one.
func (f *implied) leavesBelow() bool {
	return f != nil && f.anyMember(func(f *implied) bool { return f.byOthers || f.leavesBelow() })
}

// names tells whether a step names a member that the tree knows.
func (f *implied) names(step jp.Frag) bool {
	name, ok := step.(jp.Child)
	return ok && f.members[string(name)] != nil
}

func (f *implied) anyMember(is func(*implied) bool) bool {
	for _, member := range f.members {
		if is(member) {
			return true
		}
	}
	return false
}
