package value

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/quantity"
)

// A Scalar is a boolean, a string or a number. The zero Scalar is none of these.
type Scalar struct {
	shape  Shape
	isRead bool            // a string has been read as a quantity
	text   string          // of a string; "true" or "false" of a boolean
	number quantity.Number // of a number, and of a string that is read as a quantity
	err    error           // why there is no such number
}

// Shape returns Boolean, String or Number.
func (s *Scalar) Shape() Shape { return s.shape }

// Text returns the text of a string or a rendered boolean; "" for a number.
func (s *Scalar) Text() string { return s.text }

// Number returns the number of a scalar with the shape Number and without an Err.
func (s *Scalar) Number() quantity.Number { return s.number }

// Err returns an error if the scalar is a number beyond the bounds, which cannot be used.
func (s *Scalar) Err() error {
	if s.shape != Number {
		return nil
	}
	return s.err
}

// FromString returns a string as a Scalar.
func FromString(s string) Scalar { return Scalar{shape: String, text: s} }

// FromBool returns a boolean as a Scalar.
func FromBool(b bool) Scalar { return Scalar{shape: Boolean, text: strconv.FormatBool(b)} }

// FromNumber returns a number as a Scalar.
func FromNumber(n quantity.Number) Scalar { return Scalar{shape: Number, number: n} }

// ScalarOf returns the scalar that a resolved value is. It returns false for an
// array, an object, null, and a value that has no JSON form.
func ScalarOf(v any) (Scalar, bool) {
	var s Scalar
	ok := s.Set(v)
	return s, ok
}

// IsZero reports whether a resolved value is the number 0.
func IsZero(v any) bool {
	s, ok := ScalarOf(v)
	return ok && s.shape == Number && s.err == nil && s.number.IsZero()
}

// Set makes s the scalar that a resolved value is, as ScalarOf returns it. It does
// not clear the number of a string or boolean, which nothing reads.
func (s *Scalar) Set(v any) bool {
	s.isRead = false
	switch v := v.(type) {
	case string:
		s.shape, s.text = String, v
		return true
	case bool:
		s.shape, s.text = Boolean, strconv.FormatBool(v)
		return true
	}
	n, err := numberOf(v)
	s.shape, s.text, s.number, s.err = Number, "", n, err
	return err != quantity.ErrNotNumber
}

// numberOf returns the number that a resolved value is.
func numberOf(v any) (quantity.Number, error) {
	switch v := v.(type) {
	case int:
		return quantity.FromInt(int64(v)), nil
	case int64:
		return quantity.FromInt(v), nil
	case uint64:
		return quantity.FromUint(v), nil
	case float32:
		return quantity.FromFloat(float64(v), 32)
	case float64:
		return quantity.FromFloat(v, 64)
	case json.Number:
		if v == "" {
			return quantity.Number{}, nil // which encoding/json writes as 0
		}
		return quantity.ParseJSON(string(v))
	}
	return quantity.Number{}, quantity.ErrNotNumber
}

// String renders the scalar as a string: a string stays as it is, a number is in plain decimal
// notation, and a boolean is "true" or "false".
func (s *Scalar) String() string {
	if s.shape == Number {
		return s.number.String()
	}
	return s.text
}

// Quantity reads the scalar as a number: a JSON number, or a string that is a
// Kubernetes quantity. It returns quantity.ErrNotNumber for any other scalar.
func (s *Scalar) Quantity() (quantity.Number, error) {
	switch {
	case s.shape == Boolean:
		return quantity.Number{}, quantity.ErrNotNumber
	case s.shape == String && !s.isRead:
		return quantity.Parse(s.text)
	}
	return s.number, s.err
}

// ReadQuantity stores what Quantity returns, for a value that is compared several times.
func (s *Scalar) ReadQuantity() {
	if s.shape == String && !s.isRead {
		s.number, s.err = quantity.Parse(s.text)
		s.isRead = true
	}
}

// Length returns the length of the rendered scalar, in code points.
func (s *Scalar) Length() int {
	if s.shape != Number {
		return utf8.RuneCountInString(s.text)
	}
	return len(s.number.AppendTo(make([]byte, 0, quantity.UsualSize)))
}

// Cost returns the cost of looking at the scalar, as a number of values of usual length.
// Writing the digits of a large number takes longer than reading a text.
func (s *Scalar) Cost() int {
	if s.shape == Number {
		return 1 + s.number.Digits()/5
	}
	return 1 + len(s.text)/100
}

// RenderedSize returns how many bytes rendering the scalar allocates; 0 if it creates no new
// string.
func (s *Scalar) RenderedSize() int {
	if s.shape != Number {
		return 0
	}
	return quantity.UsualSize + s.number.Digits()
}

// Canonical returns the scalar as a string, a bool or a json.Number in plain decimal notation,
// whatever its original type; nil for a number beyond the bounds.
func (s *Scalar) Canonical() any {
	switch {
	case s.Err() != nil:
		return nil
	case s.shape == Number:
		return json.Number(s.number.String())
	case s.shape == Boolean:
		return s.text == "true"
	}
	return s.text
}

// Canonical returns the Canonical of the scalar that a resolved value is; nil if it is not a
// scalar.
func Canonical(v any) any {
	switch v.(type) {
	case string, bool:
		return v
	}
	if s, ok := ScalarOf(v); ok {
		return s.Canonical()
	}
	return nil
}
