package vmrules

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/vmrules/vmrules/internal/quantity"
)

// errNoJSON does not say which value it is: of several, any may be met first.
var errNoJSON = errors.New("the object holds a value that JSON does not have, such as NaN or a function")

// A plainer turns values of any decoder into the types of Kubernetes'
// unstructured objects. What has them already is not copied.
type plainer struct {
	budget *budget
	err    error
}

// plain is v in these types, and whether that is another value.
func (p *plainer) plain(v any, depth int) (any, bool) {
	if !p.spend(v, depth) {
		return nil, true
	}
	switch v := v.(type) {
	case nil, bool, string, int64:
		return v, false
	case float64:
		return p.float(v)
	case map[string]any:
		if v != nil {
			return p.members(v, depth)
		}
	case []any:
		if v != nil {
			return p.items(v, depth)
		}
	}
	return p.converted(resolve(v), depth), true
}

// spend counts a value that is looked at.
func (p *plainer) spend(v any, depth int) bool {
	size := 1
	if s, ok := v.(string); ok {
		size += len(s) / 100
	}
	if err := p.budget.Spend(plainWork*size, 0); err != nil {
		p.fail(err)
	}
	if depth > maxDepth {
		p.fail(errTooDeep)
	}
	return p.err == nil
}

func (p *plainer) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *plainer) members(v map[string]any, depth int) (any, bool) {
	var changed map[string]any
	for name, next := range v {
		member, isOther := p.plain(next, depth+1)
		if isOther && changed == nil {
			changed = maps.Clone(v)
		}
		if isOther {
			changed[name] = member
		}
	}
	if changed == nil {
		return v, false
	}
	return changed, true
}

func (p *plainer) items(v []any, depth int) (any, bool) {
	var changed []any
	for i, next := range v {
		item, isOther := p.plain(next, depth+1)
		if isOther && changed == nil {
			changed = slices.Clone(v)
		}
		if isOther {
			changed[i] = item
		}
	}
	if changed == nil {
		return v, false
	}
	return changed, true
}

// converted makes a resolved value of other types.
func (p *plainer) converted(v any, depth int) any {
	switch shapeOf(v) {
	case null, boolean, text:
		return v
	case array:
		items := make([]any, length(v))
		for i := range items {
			next, _ := item(v, i)
			items[i] = p.below(next, depth)
		}
		return items
	case object:
		v = byName(v)
		names := memberNames(v)
		members := make(map[string]any, len(names))
		for _, name := range names {
			next, _ := member(v, name)
			members[name] = p.below(next, depth)
		}
		return members
	}
	return p.number(v)
}

// below is plain for a value that is resolved already.
func (p *plainer) below(v any, depth int) any {
	if _, isNone := v.(noJSON); isNone {
		return p.number(v)
	}
	plain, _ := p.plain(v, depth+1)
	return plain
}

func (p *plainer) float(f float64) (any, bool) {
	plain := p.number(f)
	_, isFloat := plain.(float64)
	return plain, !isFloat
}

// number is an int64 or float64 that says what v says, or a json.Number.
func (p *plainer) number(v any) any {
	n, err := numberOf(v)
	if written, ok := v.(json.Number); ok && err == quantity.ErrRange {
		return written
	}
	if err != nil {
		p.fail(errNoJSON)
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
