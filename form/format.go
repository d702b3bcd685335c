package form

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A Format is a format of JSON Schema that an InputSchema uses: strings that are quantities
// within bounds. Its name says all of it, such as "quantity-from-1Gi-to-8Gi",
// "integral-quantity-from-1" or "quantity". The zero Format allows nothing.
type Format struct {
	name     string
	kind     constraint.Type
	min, max *quantity.Number
}

// These are the parts of a format's name.
const (
	formatOfQuantity = "quantity"
	formatOfIntegral = "integral-quantity"
	formatFrom       = "-from-"
	formatTo         = "-to-"
)

// ParseFormat returns the Format of a name. It returns an error if it is the name of no
// Format.
func ParseFormat(name string) (Format, error) {
	f := Format{name: name, kind: constraint.Number}
	bounds, ok := strings.CutPrefix(name, formatOfIntegral)
	if ok {
		f.kind = constraint.Integer
	} else if bounds, ok = strings.CutPrefix(name, formatOfQuantity); !ok {
		return Format{}, f.unknown()
	}
	bounds, most, hasMax := strings.Cut(bounds, formatTo)
	least, hasMin := strings.CutPrefix(bounds, formatFrom)
	if !hasMin && bounds != "" {
		return Format{}, f.unknown()
	}
	for _, b := range []struct {
		is   bool
		text string
		to   **quantity.Number
	}{{hasMin, least, &f.min}, {hasMax, most, &f.max}} {
		if !b.is {
			continue
		}
		n, err := quantity.Parse(b.text)
		if err != nil {
			return Format{}, f.unknown()
		}
		*b.to = &n
	}
	return f, nil
}

func (f Format) unknown() error {
	return fmt.Errorf("%s is not the name of a format: one is %q", value.Quoted(f.name), formatOfQuantity+formatFrom+"1Gi"+formatTo+"8Gi")
}

// String returns the name.
func (f Format) String() string { return f.name }

// Allows reports whether a string is a quantity that is within the bounds, as Validate
// judges it.
func (f Format) Allows(s string) bool {
	v := value.FromString(s)
	if f.kind == constraint.Scalar {
		return false
	}
	if ok, err := f.kind.Admits(&v, true); !ok || err != nil {
		return false
	}
	n, err := v.Quantity()
	return err == nil && (f.min == nil || n.Compare(*f.min) >= 0) && (f.max == nil || n.Compare(*f.max) <= 0)
}

// formatOf returns the name of the format that expresses the type and the bounds of a
// total; "" if no string needs to be a quantity.
func formatOf(t *total) string {
	name := formatOfQuantity
	switch {
	case t.set.Type().Is(constraint.Integer):
		name = formatOfIntegral
	case !t.set.Type().Is(constraint.Number):
		return ""
	}
	return name + boundOf(t, constraint.Min, formatFrom) + boundOf(t, constraint.Max, formatTo)
}

// boundOf returns a bound as the rule writes it, if that is the whole of it.
func boundOf(t *total, key, before string) string {
	c, ok := t.set.Get(key).(*constraint.Bound)
	if !ok {
		return ""
	}
	written := c.String()
	if n, err := quantity.Parse(written); err != nil || n.Compare(c.Number()) != 0 {
		written = c.Number().String()
	}
	return before + written
}
