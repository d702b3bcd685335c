package vmfields

import "github.com/vmrules/vmrules/internal/jsonpath"

// A Field is a field of an instance type or a preference, and the field of the VM that
// KubeVirt sets from it when it expands the VM. The tables [Instancetype] and [Preference]
// list them in the order in which KubeVirt applies them.
type Field struct {
	From string    // the path of the field below the object's spec
	Is   FieldType // what the field must be
	// To is the path of the field of the VM, in the form of jsonpath.Settable. It is "" if
	// KubeVirt sets no field, or only together with another field of the object.
	To string
	// When and Only say whether KubeVirt sets the field. If it does not, a field of an
	// instance type conflicts with the VM.
	When jsonpath.Condition
	Only func(in jsonpath.Around, parent any) bool

	Inside   bool   // KubeVirt does not create the object around the field
	How      How    // how the VM's field gets its value
	Reported string // what KubeVirt calls the VM's field in a conflict, if that is not its path
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

// What the VM gets.
const (
	Copied        How = iota // a copy
	Canonical                // a quantity in its canonical form
	Merged                   // each member; the same value on both sides is no conflict
	Created                  // an empty object, unless the value is false
	NotAllowed               // nothing, but it must not have the field
	Topology                 // its part of the vCPUs, by the preference
	Overcommitted            // a request of a part of its memory
	NewFeatures              // the CPU features that it does not name
	PanicDevice              // a list of one device of this model
	IfVirtio                 // a copy, on a disk whose bus is virtio
	WithTimezone             // a copy, and the preferred time zone too
	UnlessNewEFI             // a copy, if the object around the field is not itself a copy from the preference
)
