package vmfields

import "github.com/vmrules/vmrules/internal/jsonpath"

// A Field is a field of an instance type or a preference, and the field of the VM that
// KubeVirt sets from it when it expands the VM. The tables [Instancetype] and [Preference]
// list them in the order in which KubeVirt applies them.
type Field struct {
	// From is the path of the field below the object's spec.
	From string
	// Is says what the field must be.
	Is FieldType
	// To is the path of the field of the VM, in the form of jsonpath.Settable. It is "" if
	// KubeVirt sets no field, or only together with another field of the object.
	To string
	// When and Only say whether KubeVirt sets the field. If it does not, a field of an
	// instance type conflicts with the VM.
	When jsonpath.Condition
	Only func(in jsonpath.Around, parent any) bool
	// Inside means that KubeVirt does not create the object around the field.
	Inside bool
	// How says how the VM's field gets its value.
	How How
	// Reported is what KubeVirt calls the VM's field in a conflict, if that is not its path.
	Reported string
}

// FieldType is the type of a field of an instance type or a preference.
type FieldType uint8

// The types.
const (
	Object    FieldType = iota // an object that counts even if it is empty
	Names                      // strings by any names; KubeVirt does not write it if it is empty
	List                       // a list that counts as missing if it is empty
	Text                       // a string that counts as missing if it is empty
	EmptyText                  // a string that counts even if it is empty
	Flag                       // a boolean that counts even if it is false
	Count                      // a whole number from 0 to 4,294,967,295
	Integer                    // a whole number
	Amount                     // a quantity
)

// How says how a field of the VM gets its value.
type How uint8

const (
	// Copied means that the VM gets a copy.
	Copied How = iota
	// Canonical means that the VM gets a quantity in its canonical form.
	Canonical
	// Merged means that the VM gets each member. The same value on both sides is no conflict.
	Merged
	// Created means that the VM gets an empty object.
	Created
	// CreatedIfTrue means that the VM gets an empty object if the value is true.
	CreatedIfTrue
	// NotAllowed means that the VM gets nothing, but must not have the field.
	NotAllowed
	// Topology means that the VM gets its part of the vCPUs, by the preference.
	Topology
	// Overcommitted means that the VM requests a part of its memory.
	Overcommitted
	// NewFeatures means that the VM gets the CPU features that it does not name.
	NewFeatures
	// PanicDevice means that the VM gets a list of one device of this model.
	PanicDevice
	// IfVirtio means that a disk gets a copy if its bus is virtio.
	IfVirtio
	// WithTimezone means that the VM gets a copy, and the preferred time zone too.
	WithTimezone
	// UnlessNewEFI means that the VM gets a copy if the object around the field is not
	// itself a copy from the preference.
	UnlessNewEFI
)
