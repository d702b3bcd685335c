package vmtarget

import (
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// whole returns the objects in an object: those that it contains, or the object itself.
func (f finder) whole(v any, inList holder, lists int) []Target {
	if v == nil {
		return []Target{{Nothing: noObject}}
	}
	items := value.At(v, "items")
	kind := f.kindIn(v, inList)
	switch {
	case kind == kindUnknown:
		return []Target{f.unknown(v)}
	case strings.HasSuffix(value.StringAt(v, "kind"), "List") && value.ShapeOf(items) == value.Array:
		return f.eachWhole(v, "items", lists+1)
	case kind == kindOpenShiftTemplate:
		targets := f.eachWhole(v, "objects", lists+1)
		for i := range targets {
			targets[i].HasParameters = true
		}
		return targets
	case kind == kindKubeVirtTemplate:
		at := holders[kind].at
		vm := jsonpath.Lookup(v, at)
		return []Target{Target{VM: vm, VMAt: at, IsWhole: true, HasParameters: true}.rootedAt(vm, at)}
	}
	return []Target{{Root: v, VM: v, IsWhole: true}}
}

// eachWhole returns the objects in a list.
func (f finder) eachWhole(v any, list string, lists int) []Target {
	if lists > maxLists {
		return []Target{beyond(tooDeep)}
	}
	var targets []Target
	items := value.At(v, list)
	if !value.IsReadable(items) {
		return []Target{f.unknown(items)}
	}
	for i := range value.Len(items) {
		if !f.pays(1) {
			break
		}
		next, _ := value.Item(items, i)
		if value.IsReadable(next) && value.ShapeOf(next) != value.Object {
			continue
		}
		for _, t := range f.whole(next, f.itemKind(v), lists) {
			targets = append(targets, t.inside(list, i))
		}
	}
	if targets == nil {
		return []Target{nothing("there are no objects in " + list)}
	}
	return targets
}
