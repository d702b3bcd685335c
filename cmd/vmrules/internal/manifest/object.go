package manifest

import (
	"strings"

	"github.com/vmrules/vmrules"
)

// An Object is one Kubernetes object in a file; the items of lists are objects
// of their own.
type Object struct {
	Kind, Namespace, Name string
	Line                  int // where it begins

	file *File
	node *node
}

// Kinds that hold VMs.
var kinds = setOf("VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstanceReplicaSet",
	"VirtualMachinePool", kindOpenShift, kindKubeVirt)

const (
	kindOpenShift = "Template"
	kindKubeVirt  = "VirtualMachineTemplate"
)

// String names the object as people do.
func (o Object) String() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	kind := o.Kind
	if kind == "" {
		kind = "object"
	}
	return strings.TrimSpace(kind + " " + name)
}

// File is the file that the object is in.
func (o Object) File() *File { return o.file }

// IsTemplate tells whether the object is a template of either kind.
func (o Object) IsTemplate() bool { return o.Kind == kindOpenShift || o.Kind == kindKubeVirt }

// HoldsVM tells whether the object may hold VMs, or has rules all the same.
func (o Object) HoldsVM() bool {
	if kinds[o.Kind] || o.node.get("metadata", "annotations", vmrules.Annotation) != nil {
		return true
	}
	spec := o.node.get("spec")
	isVM := spec.get("template", "spec") != nil || spec.get("domain") != nil || spec.get("virtualMachineTemplate") != nil
	return o.Kind == "" && isVM
}

// Content is the object as the library takes it.
func (o Object) Content() map[string]any {
	content := o.node.plain().(map[string]any)
	if o.Kind != "" {
		content["kind"] = o.Kind // which items of a typed list leave out
	}
	return content
}

// Objects are those of all documents, in order.
func (f *File) Objects() []Object {
	var all []Object
	for _, document := range f.documents {
		all = f.appendObjects(all, document, "")
	}
	return all
}

func (f *File) appendObjects(all []Object, n *node, kind string) []Object {
	if n.shape != object {
		return all
	}
	if written := n.text("kind"); written != "" {
		kind = written
	}
	if itemKind, ok := strings.CutSuffix(kind, "List"); ok && n.get("items") != nil {
		for _, item := range n.get("items").items {
			all = f.appendObjects(all, item, itemKind)
		}
		return all
	}
	line, _ := f.source.place(n.at)
	return append(all, Object{
		Kind: kind, Namespace: n.text("metadata", "namespace"), Name: n.text("metadata", "name"),
		Line: line, file: f, node: n,
	})
}
