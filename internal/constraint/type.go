package constraint

import (
	"fmt"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A Type is the type that a value must have. The operator | combines types: the result
// admits the values that both admit. Spec: Validation rules.
type Type uint8

// The types, apart from their combinations.
const (
	Scalar  Type = 0                 // a string, a number or a boolean
	String  Type = 1 << 0            // a string
	Number  Type = 1 << 1            // a number, or a string that is a quantity
	Integer Type = Number | (1 << 2) // an integral number, or a string that is an integral quantity
)

// IsKind reports whether a kind of rule is one of the format.
func IsKind[Kind ~string](kind Kind) bool {
	_, ok := kinds[string(kind)]
	return ok
}

// OfKind returns the type that a kind of rule demands. Kinds that are not of the format demand a scalar, to
// which arguments can be applied.
func OfKind[Kind ~string](kind Kind) Type { return kinds[string(kind)] }

var kinds = map[string]Type{"integer": Integer, "string": String, "enum": Scalar, "regex": Scalar}

// String returns the name of the type.
func (t Type) String() string {
	return typeNames[t]
}

var typeNames = map[Type]string{
	Scalar: "scalar", String: "string", Number: "number", Integer: "integer",
	String | Number: "quantity", String | Integer: "integralQuantity",
}

// Is reports whether all values of the type also have another type.
func (t Type) Is(other Type) bool { return t&other == other }

// Admits reports whether a value has the type; isScalar is false for an array or
// object. An error says why that cannot be decided.
func (t Type) Admits(v *value.Scalar, isScalar bool) (bool, error) {
	switch {
	case !isScalar, t.Is(String) && v.Shape() != value.String:
		return false, nil
	case v.Err() != nil:
		return false, fmt.Errorf("the value %w", v.Err())
	case !t.Is(Number):
		return true, nil
	}
	n, err := v.Quantity()
	if err == quantity.ErrNotNumber {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the value %w", err)
	}
	return !t.Is(Integer) || n.IsInteger(), nil
}

// Mismatch says what is wrong with a value that the type does not admit.
func (t Type) Mismatch(v any) string {
	noun := "a string, number or boolean"
	switch {
	case t.Is(Integer):
		noun = "an integer"
	case t.Is(Number):
		noun = "a number"
	case t.Is(String):
		noun = "a string"
	}
	return value.Describe(v) + " is not " + noun
}
