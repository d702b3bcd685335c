package vmtarget

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
)

// API groups of the kinds that hold VMs.
const (
	groupKubeVirt          = "kubevirt.io"
	groupPool              = "pool.kubevirt.io"
	groupOpenShiftTemplate = "template.openshift.io"
	groupKubeVirtTemplate  = "template.kubevirt.io"
	groupCore              = "" // also that of an OpenShift template's old apiVersion, v1
)

// A holder is a form in which an object contains VMs.
type holder int

const (
	kindOther   holder = iota
	kindUnknown        // it cannot be known
	kindVirtualMachine
	kindInstance
	kindReplicaSet
	kindPool
	kindOpenShiftTemplate
	kindKubeVirtTemplate
	kindList
)

// A kindOfHolder is a kind whose objects contain VMs, and its API groups.
type kindOfHolder struct {
	kind   string
	groups []string
	holder
}

var holders = []kindOfHolder{
	{"VirtualMachine", []string{groupKubeVirt}, kindVirtualMachine},
	{"VirtualMachineInstance", []string{groupKubeVirt}, kindInstance},
	{"VirtualMachineInstanceReplicaSet", []string{groupKubeVirt}, kindReplicaSet},
	{"VirtualMachinePool", []string{groupPool}, kindPool},
	{"Template", []string{groupOpenShiftTemplate, groupCore}, kindOpenShiftTemplate},
	{"VirtualMachineTemplate", []string{groupKubeVirtTemplate}, kindKubeVirtTemplate},
	{"List", []string{groupCore}, kindList},
}

// kindIn returns how an object contains VMs. An object without an apiVersion is recognized by
// its kind. An object without a kind is what the list around it says or, if that says
// nothing, is recognized by its shape.
func (f finder) kindIn(v any, inList holder) holder {
	kind := value.At(v, "kind")
	if kind == nil || kind == "" {
		return cmp.Or(inList, kindByShape(v))
	}
	name, _ := kind.(string)
	if !value.IsReadable(kind) || f.mayBeAny(name) {
		return kindUnknown
	}
	if found := f.holderNamed(v, name); found != kindOther {
		return found
	}
	item, isList := strings.CutSuffix(name, "List")
	if !isList {
		return kindOther
	}
	switch found := f.holderNamed(v, item); found {
	case kindOther, kindUnknown:
		return found
	}
	return kindList
}

// itemKind returns what the kind of a list says about items without a kind.
func (f finder) itemKind(v any) holder {
	return f.holderNamed(v, strings.TrimSuffix(value.StringAt(v, "kind"), "List"))
}

// holderNamed returns the kind with a name, if the object is in the API group of that kind.
func (f finder) holderNamed(v any, name string) holder {
	i := slices.IndexFunc(holders, func(h kindOfHolder) bool { return h.kind == name })
	if i < 0 {
		return kindOther
	}
	found := value.At(v, "apiVersion")
	version, _ := found.(string)
	if !value.IsReadable(found) || f.mayBeAny(version) {
		return kindUnknown
	}
	group, _, hasGroup := strings.Cut(version, "/")
	if !hasGroup {
		group = groupCore
	}
	if version != "" && !slices.Contains(holders[i].groups, group) {
		return kindOther
	}
	return holders[i].holder
}

// mayBeAny reports whether a string inside a template contains a parameter, so that it may
// become any other.
func (f finder) mayBeAny(s string) bool { return f.inTemplate && parameter.First(s) != "" }

func kindByShape(v any) holder {
	for _, shape := range []struct {
		holder
		path []string
	}{
		{kindVirtualMachine, []string{"spec", "template", "spec"}},
		{kindInstance, []string{"spec", "domain"}},
		{kindPool, []string{"spec", "virtualMachineTemplate"}},
	} {
		switch found := value.At(v, shape.path...); {
		case !value.IsReadable(found):
			return kindUnknown
		case found != nil:
			return shape.holder
		}
	}
	return kindOther
}

// isBegun reports whether an object does not yet say what it contains.
func isBegun(v any) bool {
	kind := value.At(v, "kind")
	return (kind == nil || kind == "") && kindByShape(v) == kindOther
}
