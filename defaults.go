package vmrules

import (
	"errors"

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

// What an instance type sets, where a VM names one and does not say it itself.
var setByInstancetype = []Path{
	MustParsePath("jsonpath::.spec.domain.cpu"),
	MustParsePath("jsonpath::.spec.domain.memory"),
	MustParsePath("jsonpath::.spec.domain.resources.requests.cpu"),
	MustParsePath("jsonpath::.spec.domain.resources.requests.memory"),
	MustParsePath("jsonpath::.spec.domain.resources.limits.cpu"),
	MustParsePath("jsonpath::.spec.domain.resources.limits.memory"),
}

type fieldDefault struct {
	path  Path
	value any
}

// A field is a node in the tree of fields that count though they are not
// written. A nil field stands for all others.
type field struct {
	members     map[string]*field
	items       *field
	value       any  // the default; nil: none
	zeroIsUnset bool // 0 means not set
	byOthers    bool // the instance type sets this and all below
}

var (
	plainFields        = mustFields(alwaysThere, false)
	instancetypeFields = mustFields(alwaysThere, true)
)

func mustFields(defaults []fieldDefault, instancetype bool) *field {
	f, err := newFields(defaults, instancetype)
	if err != nil {
		panic(err)
	}
	return f
}

// newFields builds the tree. Of two defaults for one field the later counts.
func newFields(defaults []fieldDefault, instancetype bool) (*field, error) {
	root := &field{}
	for _, d := range defaults {
		if _, ok := last(d.path.expr).(jp.Child); !ok {
			return nil, errDefaultPath
		}
		f, err := root.grow(d.path)
		if err != nil {
			return nil, err
		}
		f.value = d.value
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

func last(expr jp.Expr) jp.Frag {
	if len(expr) == 0 {
		return nil
	}
	return expr[len(expr)-1]
}

// grow returns the node of a path, and makes those that are missing.
func (f *field) grow(path Path) (*field, error) {
	for _, step := range path.expr {
		switch step := step.(type) {
		case jp.Child:
			if f.members == nil {
				f.members = map[string]*field{}
			}
			if f.members[string(step)] == nil {
				f.members[string(step)] = &field{}
			}
			f = f.members[string(step)]
		case jp.Wildcard:
			if step == jp.Wildcard('*') {
				return nil, errDefaultPath
			}
			if f.items == nil {
				f.items = &field{}
			}
			f = f.items
		default:
			return nil, errDefaultPath
		}
	}
	return f, nil
}

// leaveToOthers says that the instance type sets a field and all below it.
func (f *field) leaveToOthers() {
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
func (f *field) at(e element) *field {
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

// standIn is the default that counts for a member of parent, and why; next is
// what the object holds there, nil where it holds nothing.
func (f *field) standIn(parent, next any) (any, standIn) {
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
	return ok && s.shape == numeric && s.err == nil && s.number.isZero()
}

// isSetByOthers tells whether the next steps ask for a field that the instance
// type sets, and that is not written; next is what the object holds at the
// first of them.
func (f *field) isSetByOthers(steps jp.Expr, next any) bool {
	for i, step := range steps {
		name, ok := step.(jp.Child)
		if f == nil || !ok {
			return false
		}
		f = f.at(named(string(name)))
		if i == 0 && next != nil && !(f != nil && f.zeroIsUnset && isZero(next)) {
			return false
		}
		if f != nil && f.byOthers {
			return true
		}
	}
	return false
}
