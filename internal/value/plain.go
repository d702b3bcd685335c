package value

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
)

// MaxDepth is the largest number of levels of an object. An object built in Go may contain
// itself.
const MaxDepth = 1_000

var (
	// ErrTooDeep means that an object has more levels than MaxDepth.
	ErrTooDeep = errors.New("the object is nested deeper than 1,000 levels")
	// errNoJSON does not name the value: if there are several, any may be found first.
	errNoJSON = errors.New("the object holds a value that JSON does not have, such as NaN or a function")
)

// What Plain and Copy pay, in units of about a nanosecond, and what Copy pays in bytes.
const (
	PlainWork   = 120 // each value; a long string counts as several
	digitWork   = 30  // a digit of a number beyond quantity.UsualSize
	copiedSize  = 64  // about the size of a map or slice
	copiedChild = 48  // the same, for each value in it
)

// Plain converts v to the types of Kubernetes' unstructured objects: map[string]any, []any,
// string, bool, nil, int64 for every whole number that fits, float64 for every other number
// whose digits it keeps, and json.Number for the rest. Parts of v that already have these
// types are shared, not copied. The depth is the number of levels around v in its object, and
// m pays for looking at v. If there is an error, parts of the result are nil.
func Plain(v any, depth int, m *meter.Meter) (any, error) {
	p := plainer{meter: m}
	converted, _ := p.plain(v, depth)
	return converted, p.err
}

// Copy is Plain, except that the result shares no map or slice with v. The meter also pays for
// the memory: in a Go object, the same part may be in many places.
func Copy(v any, depth int, m *meter.Meter) (any, error) {
	p := plainer{meter: m, copies: true}
	converted, _ := p.plain(v, depth)
	return converted, p.err
}

// IsEqual reports whether two values are equal when both are Plain, whatever their types in
// Go. It returns false if they have no such form, or if m refuses to pay. Comparing costs as
// much again as making them Plain.
func IsEqual(x, y any, m *meter.Meter) bool {
	before, _ := m.Left()
	plainX, errX := Plain(x, 0, m)
	plainY, errY := Plain(y, 0, m)
	after, _ := m.Left()
	if errX != nil || errY != nil || m.Spend(before-after, 0) != nil {
		return false
	}
	return reflect.DeepEqual(plainX, plainY)
}

// A plainer converts values for Plain and Copy. It stops at the first error.
type plainer struct {
	meter  *meter.Meter
	copies bool // all maps and slices, not only those that change
	err    error
}

// plain converts v, and reports whether the result is another value.
func (p *plainer) plain(v any, depth int) (any, bool) {
	if !p.spend(v, depth) {
		return nil, true
	}
	switch v := v.(type) {
	case nil, bool, string, int64:
		return v, false
	case float64:
		plain := p.number(v)
		_, isFloat := plain.(float64)
		return plain, !isFloat
	case map[string]any:
		if v != nil {
			return p.members(v, depth)
		}
	case []any:
		if v != nil {
			return p.items(v, depth)
		}
	}
	return p.converted(Resolve(v), depth), true
}

// spend pays for looking at a value, and reports whether to go on.
func (p *plainer) spend(v any, depth int) bool {
	size := 1
	if s, ok := v.(string); ok {
		size += len(s) / 100
	}
	p.fail(p.meter.Spend(PlainWork*size, 0))
	if depth > MaxDepth {
		p.fail(ErrTooDeep)
	}
	return p.err == nil
}

// fail keeps the first error that is not nil.
func (p *plainer) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// buys pays for the copy of a map or slice, and reports whether to go on.
func (p *plainer) buys(children int) bool {
	if p.copies && p.err == nil {
		p.fail(p.meter.Spend(0, copiedSize+meter.Times(children, copiedChild)))
	}
	return p.err == nil
}

func (p *plainer) members(v map[string]any, depth int) (any, bool) {
	if !p.buys(len(v)) {
		return nil, true
	}
	changed, isOther := v, p.copies
	if isOther {
		changed = maps.Clone(v)
	}
	for name, next := range v {
		member, differs := p.plain(next, depth+1)
		if differs && !isOther {
			changed, isOther = maps.Clone(v), true
		}
		if differs {
			changed[name] = member
		}
	}
	return changed, isOther
}

func (p *plainer) items(v []any, depth int) (any, bool) {
	if !p.buys(len(v)) {
		return nil, true
	}
	changed, isOther := v, p.copies
	if isOther {
		changed = slices.Clone(v)
	}
	for i, next := range v {
		item, differs := p.plain(next, depth+1)
		if differs && !isOther {
			changed, isOther = slices.Clone(v), true
		}
		if differs {
			changed[i] = item
		}
	}
	return changed, isOther
}

// converted converts a resolved value that has other types.
func (p *plainer) converted(v any, depth int) any {
	shape := ShapeOf(v)
	if (shape == Array || shape == Object) && !p.buys(ChildCount(v)) {
		return nil
	}
	switch shape {
	case Null, Boolean, String:
		return v
	case Array:
		items := make([]any, Len(v))
		for i := range items {
			next, _ := Item(v, i)
			items[i], _ = p.plain(next, depth+1)
		}
		return items
	case Object:
		v = ByName(v)
		names := Names(v)
		members := make(map[string]any, len(names))
		for _, name := range names {
			next, _ := Member(v, name)
			members[name], _ = p.plain(next, depth+1)
		}
		return members
	}
	return p.number(v)
}

// number returns a number as an int64 or float64 with the same digits, or as a json.Number.
func (p *plainer) number(v any) any {
	n, err := numberOf(v)
	if written, ok := v.(json.Number); ok && err == quantity.ErrRange {
		return written
	}
	if err != nil {
		p.fail(errNoJSON)
		return nil
	}
	if p.fail(p.meter.Spend(n.Digits()*digitWork, 0)); p.err != nil {
		return nil
	}
	digits := n.String()
	if i, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return i
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err == nil && !math.IsInf(f, 0) && strconv.FormatFloat(f, 'f', -1, 64) == digits {
		return f
	}
	return json.Number(digits)
}
