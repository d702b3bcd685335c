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

	version string // apiVersion
	file    *File
	node    *node
	filled  map[*node]filledText // texts in which a parameter was filled in
}

// Kinds that hold VMs.
var kinds = setOf("VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstanceReplicaSet",
	"VirtualMachinePool", kindOpenShift, kindKubeVirt)

const (
	kindOpenShift = "Template"
	kindKubeVirt  = "VirtualMachineTemplate"
)

// String returns a name of the object for people.
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

// File returns the file that contains the object.
func (o Object) File() *File { return o.file }

// IsTemplate reports whether the object is a template of either kind.
func (o Object) IsTemplate() bool { return IsTemplate(o.Kind) }

// IsTemplate reports whether a kind is that of a template of either kind.
func IsTemplate(kind string) bool { return kind == kindOpenShift || kind == kindKubeVirt }

// HoldsVM reports whether the object may contain VMs, or has rules anyway.
func (o Object) HoldsVM() bool { return HoldsVM(o.Content()) }

// HoldsVM reports whether an object may contain VMs, or has rules anyway.
func HoldsVM(content map[string]any) bool {
	kind, _ := content["kind"].(string)
	if kinds[kind] || has(content, "metadata", "annotations", vmrules.Annotation) {
		return true
	}
	isVM := has(content, "spec", "template", "spec") || has(content, "spec", "domain") || has(content, "spec", "virtualMachineTemplate")
	return kind == "" && isVM
}

// has reports whether an object has a field, which may be null.
func has(object map[string]any, names ...string) bool {
	last := len(names) - 1
	for _, name := range names[:last] {
		object, _ = object[name].(map[string]any)
	}
	_, ok := object[names[last]]
	return ok
}

// Content returns the object in the form that the library takes.
func (o Object) Content() map[string]any {
	content := o.node.plain().(map[string]any)
	if o.Kind != "" {
		content["kind"] = o.Kind // which items of a typed list leave out
	}
	if o.version != "" {
		content["apiVersion"] = o.version // the same
	}
	return content
}

// Objects returns the objects of all documents, in order.
func (f *File) Objects() []Object {
	var all []Object
	for _, document := range f.documents {
		all = f.appendObjects(all, document, "", "")
	}
	return all
}

// appendObjects appends an object, or the items of a list. The kind and the version come from
// a list around the object.
func (f *File) appendObjects(all []Object, n *node, kind, version string) []Object {
	if n.shape != object {
		return all
	}
	if written := n.text("kind"); written != "" {
		kind, version = written, ""
	}
	if written := n.text("apiVersion"); written != "" {
		version = written
	}
	if itemKind, ok := strings.CutSuffix(kind, "List"); ok && n.get("items") != nil {
		if itemKind == "" {
			version = "" // of List itself
		}
		for _, item := range n.get("items").items {
			all = f.appendObjects(all, item, itemKind, version)
		}
		return all
	}
	line, _ := f.source.place(n.at)
	return append(all, Object{
		Kind: kind, Namespace: n.text("metadata", "namespace"), Name: n.text("metadata", "name"),
		Line: line, version: version, file: f, node: n,
	})
}
