package instancetype

import (
	"fmt"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// An amount is a quantity in the format in which it was written.
type amount struct {
	number quantity.Number
	format quantity.Format
}

// amountOf returns a quantity that is not negative. The error continues a sentence that begins
// with the path of the value.
func amountOf(v any) (amount, error) {
	s, _ := value.ScalarOf(v)
	n, err := s.Quantity()
	if err != nil {
		return amount{}, fmt.Errorf("is %s, not a quantity such as 2Gi", value.Describe(v))
	}
	if _, ok := n.RoundUp(); !ok || n.Sign() < 0 {
		return amount{}, fmt.Errorf("is %s, not a quantity from 0 to 2⁶³-1", value.Describe(v))
	}
	return amount{n, quantity.FormatOf(s.Text())}, nil
}

// String returns the amount as Kubernetes writes it.
func (a amount) String() string {
	text, _ := a.number.Canonical(a.format)
	return text
}
