package lint

// A scalar describes a scalar field: its values in JSON, and its type in Go.
type scalar struct {
	sort    scalarSort
	values  []string // the values that KubeVirt lists; nil if it lists none
	pointee *field   // not nil if the type in Go is a pointer to this one
}

type scalarSort int

const (
	textScalar scalarSort = iota
	integerScalar
	booleanScalar
	quantityScalar      // a number, or a string that is one
	timeScalar          // a string
	integerOrTextScalar // a struct in Go
)

// scalarSorts has the sorts by their names in fields.txt.
var scalarSorts = map[string]scalarSort{
	"": textScalar, "string": textScalar, "int": integerScalar, "bool": booleanScalar,
	"quantity": quantityScalar, "time": timeScalar, "int-or-string": integerOrTextScalar,
}

// valueType returns the scalar itself, or that to which it points.
func (s scalar) valueType() scalar {
	if s.pointee != nil {
		return s.pointee.scalar
	}
	return s
}
