package vmtarget

import (
	"cmp"
	"slices"
	"strings"

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
	kindOther holder = iota
	kindVirtualMachine
	kindInstance
	kindReplicaSet
	kindPool
	kindOpenShiftTemplate
	kindKubeVirtTemplate
	kindList
)

// holders lists the kinds that contain VMs, and their API groups.
var holders = []struct {
	kind   string
	groups []string
	holder
}{
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
func kindIn(v any, inList holder) holder {
	kind, _ := value.Member(v, "kind")
	if kind == nil || kind == "" {
		return cmp.Or(inList, kindByShape(v))
	}
	name, _ := kind.(string)
	if found := holderNamed(v, name); found != kindOther {
		return found
	}
	if item, ok := strings.CutSuffix(name, "List"); ok && holderNamed(v, item) != kindOther {
		return kindList
	}
	return kindOther
}

// itemKind returns what the kind of a list says about items without a kind.
func itemKind(v any) holder {
	return holderNamed(v, strings.TrimSuffix(value.StringAt(v, "kind"), "List"))
}

// holderNamed returns the kind with a name, if the object is in the API group of that kind.
func holderNamed(v any, name string) holder {
	version := value.StringAt(v, "apiVersion")
	group, _, hasGroup := strings.Cut(version, "/")
	if !hasGroup {
		group = groupCore
	}
	for _, h := range holders {
		if h.kind == name && (version == "" || slices.Contains(h.groups, group)) {
			return h.holder
		}
	}
	return kindOther
}

func kindByShape(v any) holder {
	switch {
	case value.At(v, "spec", "template", "spec") != nil:
		return kindVirtualMachine
	case value.At(v, "spec", "domain") != nil:
		return kindInstance
	case value.At(v, "spec", "virtualMachineTemplate") != nil:
		return kindPool
	}
	return kindOther
}

// isBegun reports whether an object does not yet say what it contains.
func isBegun(v any) bool {
	kind, _ := value.Member(v, "kind")
	return (kind == nil || kind == "") && kindByShape(v) == kindOther
}
