package vmapi

// A Type describes a scalar field: its values in JSON, and its type in Go.
type Type struct {
	Sort    Sort
	Values  []string // the values that KubeVirt lists; nil if it lists none
	Pointee *Field   // not nil if the type in Go is a pointer to this one
}

// A Sort says what the values of a scalar field are.
type Sort int

// The sorts.
const (
	Text Sort = iota
	Integer
	Boolean
	Quantity      // a number, or a string that is one
	Time          // a string
	IntegerOrText // a struct in Go
)

// sorts has the sorts by their names in fields.txt.
var sorts = map[string]Sort{
	"": Text, "string": Text, "int": Integer, "bool": Boolean,
	"quantity": Quantity, "time": Time, "int-or-string": IntegerOrText,
}

// Value returns the type itself, or that to which it points.
func (t Type) Value() Type {
	if t.Pointee != nil {
		return t.Pointee.Type
	}
	return t
}
