package manifest

import "strings"

// homes has the kinds of objects that may contain VMs, and says where the rules of these belong.
var homes = map[string]string{
	"VirtualMachine":                   "in the metadata of the VirtualMachine itself",
	"VirtualMachineInstance":           "in the metadata of the VirtualMachineInstance itself",
	"VirtualMachineInstanceReplicaSet": "in spec.template.metadata",
	"VirtualMachinePool":               "in spec.virtualMachineTemplate.metadata",
	kindOpenShift:                      "in the metadata of the VirtualMachine in objects",
	kindKubeVirt:                       "in spec.virtualMachine.metadata",
}

// readers returns the values inside an object whose own annotations are read as rules.
func readers(n *node, kind string) []*node {
	switch item, isList := strings.CutSuffix(kind, "List"); {
	case kind == kindOpenShift:
		return readersIn(n.get("objects"), "")
	case isList:
		return readersIn(n.get("items"), item)
	case kind == kindKubeVirt:
		return []*node{n.get("spec", "virtualMachine")}
	case kind == "VirtualMachineInstanceReplicaSet":
		return []*node{n.get("spec", "template")}
	case kind == "VirtualMachinePool":
		return []*node{n.get("spec", "virtualMachineTemplate")}
	}
	return []*node{n}
}

func readersIn(list *node, kind string) []*node {
	if list == nil {
		return nil
	}
	var all []*node
	for _, item := range list.items {
		of := kind
		if written := item.text("kind"); written != "" {
			of = written
		}
		all = append(all, readers(item, of)...)
	}
	return all
}
