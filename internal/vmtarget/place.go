package vmtarget

import (
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// Places identifies places in the VM of a target, so that they can be compared with places in
// another version of the VM. It is not safe for concurrent use.
type Places struct {
	target *Target
	meter  *meter.Meter
	items  map[string][]string // a text for each item of a list, by the place of the list

	Doubt bool // a value is not readable that decides which item is which
}

// NewPlaces returns the Places of a target, which pay from m.
func NewPlaces(t *Target, m *meter.Meter) *Places {
	return &Places{target: t, meter: m, items: map[string][]string{}}
}

// Of returns a text for the place of a JSON Pointer in the whole object, and what is there.
// The text is the pointer in the VM, with names instead of the indexes of items that have one.
// If several items have the same name, the text also says which of them it is.
func (p *Places) Of(pointer string) (string, any) {
	pointer, isInside := strings.CutPrefix(pointer, p.target.VMAt.Pointer()+"/")
	if !isInside {
		return "", p.target.VM
	}
	_ = p.meter.Spend(meter.Times(len(pointer), placeWork), len(pointer)) // the caller sees a refusal
	v, list := p.target.VM, ""
	var at strings.Builder
	for token := range strings.SplitSeq(pointer, "/") {
		if value.ShapeOf(v) != value.Array {
			list = pointerNames.Replace(token)
			_ = p.meter.Spend(meter.Times(value.LookupCost(v, list), jsonpath.NodeWork), 0)
			v, _ = value.Member(v, list)
		} else if i, err := strconv.Atoi(token); err != nil || i < 0 || i >= value.Len(v) {
			v = nil
		} else {
			if value.NamedIn[list] {
				token = p.itemsOf(at.String(), v)[i]
			}
			v, _ = value.Item(v, i)
			list = ""
		}
		at.WriteString("/" + token)
	}
	return at.String(), v
}

var pointerNames = strings.NewReplacer("~1", "/", "~0", "~")

// These are about what a byte of a pointer and an item of a list cost.
const (
	placeWork = 60
	itemWork  = 200
	itemSize  = 100
)

// itemsOf returns a text for each item of the list at a place.
func (p *Places) itemsOf(at string, list any) []string {
	if known := p.items[at]; known != nil {
		return known
	}
	n := value.Len(list)
	_ = p.meter.Spend(meter.Times(n, itemWork), meter.Times(n, itemSize)) // the caller sees a refusal
	all := make([]string, n)
	times := map[string]int{}
	for i := range all {
		item, _ := value.Item(list, i)
		all[i] = strconv.Itoa(i)
		name := value.At(item, "name")
		p.Doubt = p.Doubt || !value.IsReadable(name)
		if name, _ := name.(string); name != "" {
			all[i] = strconv.Quote(name) + "#" + strconv.Itoa(times[name])
			times[name]++
		}
	}
	p.items[at] = all
	return all
}
