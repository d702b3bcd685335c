package vmtarget

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
)

// API groups of several kinds that hold VMs.
const (
	groupKubeVirt = "kubevirt.io"
	groupCore     = "" // also that of an OpenShift template's old apiVersion, v1
)

const nameVirtualMachine = "VirtualMachine"

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

// A kindOfHolder is a kind whose objects contain VMs.
type kindOfHolder struct {
	name       string
	groups     []string          // its API groups
	shape      jsonpath.Location // of a field that tells it from other kinds; nil if none does
	at         jsonpath.Location // of the VM in an object, or of the objects in a template
	parameters jsonpath.Location // of those that a template declares
}

// holders lists the kinds. An object without a kind is of the first whose shape it has.
var holders = [...]kindOfHolder{
	kindVirtualMachine: {name: nameVirtualMachine, groups: []string{groupKubeVirt}, shape: specTemplate.Join(jsonpath.Members("spec"))},
	kindInstance:       {name: "VirtualMachineInstance", groups: []string{groupKubeVirt}, shape: jsonpath.Members("spec", "domain")},
	kindReplicaSet:     {name: "VirtualMachineInstanceReplicaSet", groups: []string{groupKubeVirt}, at: specTemplate},
	kindPool:           {name: "VirtualMachinePool", groups: []string{"pool.kubevirt.io"}, shape: inPool, at: inPool},
	kindOpenShiftTemplate: {name: "Template", groups: []string{"template.openshift.io", groupCore},
		at: jsonpath.Members("objects"), parameters: jsonpath.Members("parameters")},
	kindKubeVirtTemplate: {name: "VirtualMachineTemplate", groups: []string{"template.kubevirt.io"},
		at: jsonpath.Members("spec", "virtualMachine"), parameters: jsonpath.Members("spec", "parameters")},
	kindList: {name: "List", groups: []string{groupCore}},
}

// Kinds maps the kinds whose objects contain VMs, apart from lists, to their API groups.
var Kinds = func() map[string][]string {
	all := map[string][]string{}
	for _, h := range holders[kindVirtualMachine:kindList] {
		all[h.name] = h.groups
	}
	return all
}()

var inPool = jsonpath.Members("spec", "virtualMachineTemplate")

// specTemplate is the location in a VirtualMachine of the template for its VM.
var specTemplate = jsonpath.Members("spec", "template")

// TemplateParts returns the parameters that a template declares, and the location of its VM or
// of its objects; nil for an object that is not a template.
func TemplateParts(v any) (parameters any, objects jsonpath.Location) {
	kind := holders[finder{}.kindIn(v, kindOther)]
	if kind.parameters == nil {
		return nil, nil
	}
	return jsonpath.Lookup(v, kind.parameters), kind.at
}

// AsTemplate returns a template as one with a kind, and false for an object that is no template. One
// without a kind is recognized by what is in it, as nothing else may be meant.
func AsTemplate(v any) (template any, ok bool) {
	if value.StringAt(v, "kind") != "" || value.ShapeOf(v) != value.Object {
		return v, holders[finder{}.kindIn(v, kindOther)].parameters != nil
	}
	for _, kind := range []holder{kindOpenShiftTemplate, kindKubeVirtTemplate} {
		if found := jsonpath.Lookup(v, holders[kind].at); found != nil {
			named := map[string]any{"kind": holders[kind].name}
			for _, name := range value.Names(v) {
				if name != "kind" && name != "apiVersion" {
					named[name], _ = value.Member(v, name)
				}
			}
			return named, true
		}
	}
	return v, false
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
	switch found := f.holderNamed(v, strings.TrimSuffix(name, "List")); found {
	case kindOther, kindUnknown: // the kind of the items, or again the name of no list
		return found
	}
	return kindList
}

// holderNamed returns the kind with a name, if the object is in the API group of that kind.
func (f finder) holderNamed(v any, name string) holder {
	i := slices.IndexFunc(holders[:], func(h kindOfHolder) bool { return h.name == name })
	if name == "" || i < 0 {
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
	return holder(i)
}

// mayBeAny reports whether a string contains a parameter of a template, so that it may become any other.
func (f finder) mayBeAny(s string) bool { return f.inTemplate && parameter.First(s) != "" }

func kindByShape(v any) holder {
	for i, h := range holders[:] {
		switch found := jsonpath.Lookup(v, h.shape); {
		case h.shape == nil:
		case !value.IsReadable(found):
			return kindUnknown
		case found != nil:
			return holder(i)
		}
	}
	return kindOther
}
