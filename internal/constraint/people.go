package constraint

import (
	"fmt"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// unmistakable is so much that a quantity of it is a size, and not a number of processors.
var unmistakable = quantity.FromInt(1 << 20)

// ForPeople returns how people say the value and the detail, if they are about sizes; otherwise "". It takes the
// key of the argument, the value, and a function that reports whether the field is a quantity.
func (b *Breach) ForPeople(key string, found any, isQuantity func() bool) (shown, detail string) {
	isText := b.Fault == WrongType
	if !isText && (key != Min && key != Max || b.Fault != Invalid) {
		return "", ""
	}
	var v, limit value.Scalar
	v.Set(found)
	if isText {
		return v.Describe(), b.meant(&v, isQuantity)
	}
	limit.Set(b.Limit)
	n, err := v.Quantity()
	m, err2 := limit.Quantity()
	isSize := quantity.IsSize(v.Text()) || quantity.IsSize(limit.Text()) ||
		n.Compare(unmistakable) >= 0 && m.Compare(unmistakable) >= 0 && isQuantity()
	if err != nil || err2 != nil || !isSize {
		return "", ""
	}
	compared := " is more than max "
	if key == Min {
		compared = " is less than min "
	}
	text, ok := n.AppendSize(make([]byte, 0, 64))
	size := len(text)
	text, isBytes := m.AppendSize(append(text, compared...))
	if !ok || !isBytes {
		return "", ""
	}
	detail = string(text)
	return detail[:size], detail
}

// meant returns what to write instead of a text that is nearly a size; "" if it is not.
func (b *Breach) meant(v *value.Scalar, isQuantity func() bool) string {
	if v.Shape() != value.String {
		return ""
	}
	meant := quantity.Meant(v.Text())
	if meant == nil || meant[0] == v.Text() || !quantity.IsSize(meant[0]) || !isQuantity() {
		return ""
	}
	return fmt.Sprintf("write a size such as 2Gi, not %s: perhaps %s", v.Describe(), meant[0])
}
