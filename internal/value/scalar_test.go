package value

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/quantity"
)

// shown has the results of a Scalar's methods.
type shown struct {
	Shape     Shape
	Text      string
	Rendered  string
	Length    int
	Quantity  string // rendered, or why there is none
	Canonical any
}

func show(s Scalar) shown {
	found := shown{Shape: s.Shape(), Text: s.Text(), Rendered: s.String(), Length: s.Length(), Canonical: s.Canonical()}
	n, err := s.Quantity()
	if found.Quantity = n.String(); err != nil {
		found.Quantity = err.Error()
	}
	return found
}

func TestScalar(t *testing.T) {
	const notNumber = "is not a number"
	beyond := quantity.ErrRange.Error()
	tests := []struct {
		in   any
		want shown
	}{
		{"2Gi", shown{String, "2Gi", "2Gi", 3, "2147483648", "2Gi"}},
		{"äöü", shown{String, "äöü", "äöü", 3, notNumber, "äöü"}},
		{"1e1001", shown{String, "1e1001", "1e1001", 6, beyond, "1e1001"}},
		{true, shown{Boolean, "true", "true", 4, notNumber, true}},
		{false, shown{Boolean, "false", "false", 5, notNumber, false}},
		{-12, shown{Number, "", "-12", 3, "-12", json.Number("-12")}},
		{uint64(math.MaxUint64),
			shown{Number, "", "18446744073709551615", 20, "18446744073709551615", json.Number("18446744073709551615")}},
		{float32(0.1), shown{Number, "", "0.1", 3, "0.1", json.Number("0.1")}},
		{json.Number("2.50"), shown{Number, "", "2.5", 3, "2.5", json.Number("2.5")}},
		{json.Number(""), shown{Number, "", "0", 1, "0", json.Number("0")}},
	}
	for _, test := range tests {
		s, ok := ScalarOf(test.in)
		if !ok || s.Err() != nil {
			t.Errorf("%#v: %v, %v", test.in, ok, s.Err())
		}
		if diff := cmp.Diff(test.want, show(s)); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", test.in, diff)
		}
		s.ReadQuantity()
		if diff := cmp.Diff(test.want, show(s)); diff != "" {
			t.Errorf("%#v, after ReadQuantity (-want +got):\n%s", test.in, diff)
		}
		if diff := cmp.Diff(test.want.Canonical, Canonical(test.in)); diff != "" {
			t.Errorf("Canonical(%#v) (-want +got):\n%s", test.in, diff)
		}
	}
}

// TestScalarFrom: a Scalar that is made equals the one that is read.
func TestScalarFrom(t *testing.T) {
	for _, test := range []struct {
		made Scalar
		of   any
	}{
		{FromString("2Gi"), "2Gi"}, {FromBool(true), true}, {FromBool(false), false}, {FromNumber(quantity.FromInt(7)), 7},
	} {
		if read, ok := ScalarOf(test.of); !ok || read != test.made {
			t.Errorf("%#v is made, and %#v read", test.made, read)
		}
	}
}

func TestNotScalar(t *testing.T) {
	for _, v := range []any{nil, []any{1}, map[string]any{}, math.NaN(), json.Number("x"), noJSON{what: "func()"}} {
		if s, ok := ScalarOf(v); ok || Canonical(v) != nil {
			t.Errorf("%#v is the scalar %s, %v", v, s.String(), Canonical(v))
		}
	}
	s, ok := ScalarOf(json.Number("1e1001"))
	if !ok || s.Err() != quantity.ErrRange || s.Canonical() != nil {
		t.Errorf("a number beyond the bounds: %v, %v, %v", ok, s.Err(), s.Canonical())
	}
}

func TestCosts(t *testing.T) {
	for _, test := range []struct {
		in             any
		cost, rendered int
	}{
		{"", 1, 0}, {strings.Repeat("a", 1000), 11, 0}, {true, 1, 0}, {7, 1, 20}, {json.Number("1e1000"), 201, 1020},
	} {
		if s, _ := ScalarOf(test.in); s.Cost() != test.cost || s.RenderedSize() != test.rendered {
			t.Errorf("%.20v costs %d and takes %d bytes, want %d and %d", test.in, s.Cost(), s.RenderedSize(), test.cost, test.rendered)
		}
	}
	for _, test := range []struct {
		in          any
		count, cost int
	}{
		{nil, 0, 0}, {"abc", 0, 0}, {1, 0, 0}, {[]any{1, 2}, 2, 2}, {[]string{"a"}, 1, 1}, {[3]int{}, 3, 3},
		{map[string]any{"a": 1}, 1, 1}, {map[string]string{"a": "b"}, 1, 8}, {map[any]any{1: 2, 3: 4}, 2, 16},
	} {
		if ChildCount(test.in) != test.count || ChildrenCost(test.in) != test.cost {
			t.Errorf("%#v has %d children that cost %d, want %d and %d", test.in, ChildCount(test.in), ChildrenCost(test.in), test.count,
				test.cost)
		}
	}
}
