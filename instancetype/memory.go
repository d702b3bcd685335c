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

func canonical(_ *expansion, _ *object, p place, given any) ([]change, error) {
	a, err := amountOf(given)
	return one(p, a.String()), err
}

// overcommitted sets the memory that a VM requests, if that is less than what the guest sees.
func overcommitted(_ *expansion, from *object, p place, given any) ([]change, error) {
	percent, _ := from.count("memory.overcommitPercent")
	if percent == 0 {
		return nil, nil
	}
	if percent > 100 {
		return nil, from.errorf("spec.memory.overcommitPercent is %d, which is more than 100", percent)
	}
	guest, err := amountOf(given)
	return one(p, guest.without(percent).String()), err
}

// without returns the amount without some percent of it. Like KubeVirt, it calculates in single
// precision.
func (a amount) without(percent int64) amount {
	whole, _ := a.number.RoundUp()
	rest := 1 - float32(percent)/100
	return amount{quantity.FromInt(int64(float32(whole) * rest)), a.format}
}
