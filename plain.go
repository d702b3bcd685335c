package vmrules

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A plainer copies values of any decoder into the types of Kubernetes'
// unstructured objects.
type plainer struct {
	nodes *int // values that may still be looked at
	err   error
}

// plain copies a resolved value.
func (p *plainer) plain(v any, depth int) any {
	if !p.spend(v, depth) {
		return nil
	}
	switch shapeOf(v) {
	case null, boolean, text:
		return v
	case numeric:
		return p.number(v)
	case array:
		return p.array(v, depth)
	case object:
		return p.object(v, depth)
	}
	return p.number(v)
}

// spend counts a value that is copied.
func (p *plainer) spend(v any, depth int) bool {
	size := 1
	if s, ok := v.(string); ok {
		size += len(s) / 100
	}
	if *p.nodes -= size; *p.nodes < 0 {
		p.fail(errTooManyNodes)
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

func (p *plainer) array(v any, depth int) any {
	items := make([]any, length(v))
	for i := range items {
		next, _ := item(v, i)
		items[i] = p.plain(next, depth+1)
	}
	return items
}

func (p *plainer) object(v any, depth int) any {
	names := memberNames(v)
	members := make(map[string]any, len(names))
	for _, name := range names {
		next, _ := member(v, name)
		members[name] = p.plain(next, depth+1)
	}
	return members
}

// number is an int64 or float64 that says what v says, or a json.Number.
func (p *plainer) number(v any) any {
	n, err := numberOf(v)
	if written, ok := v.(json.Number); ok && err == errNumberRange {
		return written
	}
	if err != nil {
		p.fail(fmt.Errorf("the object holds %s", describe(v)))
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
