package manifest

import (
	"cmp"
	"errors"
	"strings"

	"github.com/vmrules/vmrules"
)

// An Object is one Kubernetes object in a file. The items of lists are separate objects.
type Object struct {
	Kind, Namespace, Name string
	File                  *File
	Line                  int      // where it begins
	Missing               []string // by Fill: required parameters without a value, whose references stay

	version string // apiVersion
	node    *node
}

const (
	kindOpenShift = "Template"
	kindKubeVirt  = "VirtualMachineTemplate"
)

// String returns a name of the object for messages.
func (o Object) String() string {
	return strings.TrimSpace(cmp.Or(o.Kind, "object") + " " + FullName(o.Namespace, o.Name))
}

// FullName joins a namespace, which may be "", and a name as people write them.
func FullName(namespace, name string) string { return strings.TrimPrefix(namespace+"/"+name, "/") }

// IsTemplate reports whether the object is a template of OpenShift or KubeVirt.
func (o Object) IsTemplate() bool { return IsTemplate(o.Kind) }

// IsTemplate reports whether objects of a kind are templates of OpenShift or KubeVirt.
func IsTemplate(kind string) bool { return kind == kindOpenShift || kind == kindKubeVirt }

func (o Object) tree() *node { return o.File.source.whole(o.node) }

// Loaded returns the object with all of its values in memory. Any other object of JSON is read again
// by each method that needs more than what identifies it.
func (o Object) Loaded() Object {
	o.node = o.tree()
	return o
}

// HoldsVM reports whether the object may contain VMs or has an annotation with rules.
func (o Object) HoldsVM() bool { return homes[o.Kind] != "" || HoldsVM(o.Content()) }

// IsOfVM reports whether the object may contain VMs, by its kind or, without one, by its shape.
func (o Object) IsOfVM() bool { return homes[o.Kind] != "" || o.Kind == "" && o.HoldsVM() }

// HoldsVM reports whether an object may contain VMs or has an annotation with rules.
func HoldsVM(content map[string]any) bool {
	kind := TextAt(content, "kind")
	hasRules := has(content, "metadata", "annotations", vmrules.Annotation)
	isVM := has(content, "spec", "template", "spec") || has(content, "spec", "domain") || has(content, "spec", "virtualMachineTemplate")
	return homes[kind] != "" || hasRules || kind == "" && isVM
}

// has reports whether an object has a field, even if its value is null.
func has(object map[string]any, names ...string) bool {
	_, ok := Value(object, names...)
	return ok
}

// Value returns the value at a path of members; false if there is none.
func Value(in any, names ...string) (any, bool) {
	for _, name := range names {
		object, _ := in.(map[string]any)
		found, ok := object[name]
		if !ok {
			return nil, false
		}
		in = found
	}
	return in, true
}

// TextAt returns the string at a path of members; "" if there is none.
func TextAt(in any, names ...string) string {
	found, _ := Value(in, names...)
	text, _ := found.(string)
	return text
}

// RemoveRules removes the annotations with rules that VMs in an object have themselves, but not those that
// exempt them.
func RemoveRules(content map[string]any) {
	for _, at := range [][]string{{}, {"spec", "template"}, {"spec", "virtualMachineTemplate"}} {
		found, _ := Value(content, append(at, "metadata", "annotations")...)
		annotations, _ := found.(map[string]any)
		delete(annotations, vmrules.Annotation)
	}
}

// Content returns the object in the form that the library takes. The items of a typed list,
// such as a VirtualMachineList, have no kind and apiVersion of their own: Content adds them.
func (o Object) Content() map[string]any {
	content, _ := o.tree().plain().(map[string]any) // nil for a Document that is no object
	if o.Kind != "" {
		content["kind"] = o.Kind
	}
	if o.version != "" {
		content["apiVersion"] = o.version
	}
	return content
}

// Objects returns the objects of all documents, in order.
func (f *File) Objects() []Object {
	var all []Object
	for _, n := range f.documents {
		if n.shape == object {
			all = f.appendObjects(all, n, "", "")
		}
	}
	return all
}

// appendObjects appends a document, or the objects in a list. An object without a kind or a
// version has the given ones, which come from the list around it.
func (f *File) appendObjects(all []Object, n *node, kind, version string) []Object {
	if written := n.text("kind"); written != "" {
		kind, version = written, ""
	}
	version = cmp.Or(n.text("apiVersion"), version)
	if itemKind, ok := strings.CutSuffix(kind, "List"); ok && n.get("items") != nil {
		if itemKind == "" {
			version = "" // it was that of List, and not of its items
		}
		for _, item := range n.get("items").inside(array) {
			if item.value.shape == object {
				all = f.appendObjects(all, item.value, itemKind, version)
			}
		}
		return all
	}
	line, _ := f.source.place(n.at)
	return append(all, Object{
		Kind: kind, Namespace: n.text("metadata", "namespace"), Name: n.text("metadata", "name"),
		Line: line, version: version, File: f, node: n,
	})
}

// checkItems returns an error about what nobody would validate: an item of a list that is not an
// object, and an object in an array, which may only hold rules.
func checkItems(s *source, n *node) error {
	for _, item := range n.inside(array) {
		if item.value.text("kind") != "" {
			return s.fail(item.at, errors.New("objects in an array are not read: write a List, or separate documents"))
		}
	}
	items := n.get("items")
	if items == nil || !isListOfObjects(n.text("kind")) || items.shape == scalar && items.scalar == nil {
		return nil
	}
	if items.shape != array {
		return s.fail(items.at, errors.New("the items of a list must be an array"))
	}
	for _, item := range items.members {
		if item.value.shape != object {
			return s.fail(item.at, errors.New("an object is expected here, in the items of a list"))
		}
	}
	for _, item := range items.members {
		if err := checkItems(s, item.value); err != nil {
			return err
		}
	}
	return nil
}

// isListOfObjects reports whether a kind is that of a list which is read. Others may end in List too.
func isListOfObjects(kind string) bool {
	item, isList := strings.CutSuffix(kind, "List")
	return isList && (item == "" || item == kindOpenShift || strings.HasPrefix(item, "VirtualMachine"))
}
