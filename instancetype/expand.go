package instancetype

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// An Expansion is what KubeVirt makes of a VM, or why it refuses the VM.
type Expansion struct {
	// VM is the expanded VM. It is nil if there are conflicts. It shares nothing with the
	// arguments of Expand, and has the types of unstructured objects: map[string]any, []any,
	// string, bool, int64, float64, and json.Number for other numbers.
	VM map[string]any `json:"vm,omitempty"`
	// Conflicts lists the fields that the VM and the instance type both set, in the order
	// in which KubeVirt reports them.
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// Origins lists what KubeVirt sets and by which object, in the order in which it does.
	Origins []Origin `json:"origins,omitempty"`
	// Ignored lists the fields of the instance type and the preference that this package
	// does not know, such as "preference.spec.devices.preferedDiskBus". It does not list
	// fields inside an object that is copied as a whole.
	Ignored []string `json:"ignored,omitempty"`
}

// An Origin says where a field of the expanded VM comes from. An object that KubeVirt copies
// as a whole has one Origin.
type Origin struct {
	// Field is the path of the field, such as "spec.template.spec.domain.cpu.sockets".
	Field string `json:"field"`
	// Pointer is the same as a JSON Pointer (RFC 6901).
	Pointer string `json:"pointer"`
	// From names the object, such as "instancetype u1.small".
	From string `json:"from"`
	// Removed means that the object removes the field: it sets the field to false or 0,
	// which KubeVirt does not write.
	Removed bool `json:"removed,omitempty"`
}

// Expand returns a VirtualMachine as KubeVirt expands it by an instance type and a preference,
// or their conflicts. Either object may be nil; then it changes nothing. The caller finds the
// objects that the VM names: Expand does not compare the names.
//
// If the VM and the instance type set the same field, the Expansion has conflicts and no VM.
// KubeVirt refuses to start such a VM. A preference never conflicts.
//
// Expand returns an error for objects that KubeVirt cannot use: an object of another kind, an
// instance type without spec.cpu.guest or spec.memory.guest, a field of a wrong type on the way
// to what is set, a value without a JSON form, more than 1,000 levels, and two combinations on
// which KubeVirt crashes. The same is true if a call would take more than about a second or
// 64 MB of memory. The error has no type of its own.
func Expand(vm, instancetype, preference map[string]any) (*Expansion, error) {
	m := meter.OrDefault(0, 0)
	return expandFrom(&m, vm, instancetype, preference)
}

// expandFrom is Expand, paid for from a Meter.
func expandFrom(m *meter.Meter, vm, instancetype, preference map[string]any) (*Expansion, error) {
	if vm == nil {
		return nil, errors.New("the VM is nil")
	}
	copied, err := value.Copy(vm, 0, m)
	if err != nil {
		return nil, fmt.Errorf("the VM cannot be read: %w", err)
	}
	e := expansion{meter: m, vm: copied.(map[string]any)}
	if kind := e.vm["kind"]; kind != nil && kind != "VirtualMachine" {
		return nil, fmt.Errorf("the VM is of the kind %s, not a VirtualMachine", value.Describe(kind))
	}
	if e.instancetype, err = instancetypes.read(instancetype, m); err != nil {
		return nil, err
	}
	if e.preference, err = preferences.read(preference, m); err != nil {
		return nil, err
	}
	return e.expand()
}

// An expansion is one call of Expand.
type expansion struct {
	meter        *meter.Meter
	vm           map[string]any // the copy that it fills in
	instancetype *object
	preference   *object
	set          []Origin
}

func (e *expansion) expand() (*Expansion, error) {
	expanded := &Expansion{Ignored: slices.Concat(e.instancetype.unknown, e.preference.unknown)}
	if e.instancetype == none && e.preference == none {
		expanded.VM = e.vm
		return expanded, nil
	}
	if _, ok := value.At(e.vm, "spec", "template").(map[string]any); !ok {
		return nil, errors.New("the VM has no spec.template")
	}
	var err error
	if expanded.Conflicts, err = e.conflicts(); err != nil {
		return nil, err
	}
	if len(expanded.Conflicts) > 0 {
		return expanded, nil
	}
	for _, from := range []*object{e.instancetype, e.preference} {
		for _, f := range from.class.fields {
			if err := e.apply(from, f); err != nil {
				return nil, err
			}
		}
	}
	expanded.VM, expanded.Origins = e.vm, e.set
	return expanded, nil
}

// apply sets the fields of the VM that come from one field of an object.
func (e *expansion) apply(from *object, f vmfields.Field) error {
	given, places, err := e.places(from, f)
	if err != nil {
		return err
	}
	for _, p := range places {
		changes, err := e.changes(from, f, p, given)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if err := e.change(from, f, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOpen reports whether KubeVirt sets the field at a place.
func (e *expansion) isOpen(f vmfields.Field, p place) bool {
	mayBeMade := !f.Inside || p.parent != nil
	isUnset := f.When == jsonpath.Appended || f.When.Holds(p.value())
	return mayBeMade && isUnset && (f.Only == nil || f.Only(e, p.parent))
}

// Object returns the part of the VM for which the fields have conditions. It makes e a
// jsonpath.Around, as do Look and Spend.
func (e *expansion) Object() any { return e.vm["spec"].(map[string]any)["template"] }

// Look returns the value at a path of members.
func (e *expansion) Look(v any, names ...string) any { return value.At(v, names...) }

// Spend pays for looking at values.
func (e *expansion) Spend(values int) bool {
	return e.spend(meter.Times(values, jsonpath.NodeWork), 0) == nil
}

// spend pays for work and memory. After a refusal, it returns an error even for nothing.
func (e *expansion) spend(work, kept int) error {
	err := cmp.Or(e.meter.Err(), e.meter.Spend(work, kept))
	if err != nil {
		return fmt.Errorf("the VM cannot be expanded: %w", err)
	}
	return nil
}
