package command

import (
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// Audit reads only some parts of a VM, because decoding all of it takes most of the time. The
// report is the same, because the parts include
//
//   - what the paths of the rules select, and all objects on the way there, even if they are
//     empty: a field with a default exists if the object around it exists;
//   - what determines where the rules apply: kind, apiVersion, and spec.template;
//   - what the report names: name, namespace, and the template.
//
// Audit reads the whole object if the parts might not suffice:
//
//   - The object is of another kind or API group.
//   - It names an instance type or a preference. Which fields these set depends on many others.
//   - A rule is of a kind beyond the format, or is about the whole object.
//   - Something other than kind and apiVersion comes before the metadata, which holds the
//     rules. The API server and kubectl never write that.

// needs are the parts of VMs and of instances that rules need; nil for the whole object.
type needs struct{ ofVM, ofInstance *selection }

// needsOf returns the parts that rules need besides head.
func needsOf(all ...vmrules.Rules) needs {
	root := &selection{}
	count := 0
	for _, rules := range all {
		count += rules.Len()
		if !root.addRules(rules) {
			return needs{}
		}
	}
	found := needs{ofVM: &selection{}, ofInstance: root}
	spec := found.ofVM.addMember("spec")
	*spec.addMember("template") = *root
	if count > 0 {
		spec.addMember("instancetype")
		spec.addMember("preference")
	}
	if root.isWhole || root.items != nil || root.member([]byte("metadata")) != nil {
		found.ofInstance = nil // the metadata is read before the rules are known
	}
	return found
}

// head is what audit needs of every VM. It includes the annotation with the rules.
var head = func() *selection {
	s := &selection{}
	s.addMember("apiVersion")
	s.addMember("kind")
	metadata := s.addMember("metadata")
	metadata.addMember("name")
	metadata.addMember("namespace")
	metadata.addMember("uid") // which Reports are named after
	labels, annotations := metadata.addMember("labels"), metadata.addMember("annotations")
	for _, name := range []string{vmrules.TemplateLabel, vmrules.TemplateNamespaceLabel, vmrules.OldTemplateNamespaceLabel} {
		labels.addMember(name)
		annotations.addMember(name)
	}
	annotations.addMember(vmrules.Annotation).isWhole = true // a message describes it if it is not a string
	annotations.addMember(vmrules.SkipAnnotation)
	return s
}()

// parts reads the parts of a VM that audit needs; nil if it needs the whole object.
func (a *auditor) parts(r *partReader, object []byte) map[string]any {
	if !r.begin(object) {
		return nil
	}
	vm := map[string]any{}
	wanted := head
	for r.hasMember() {
		name, err := r.text()
		if err != nil {
			return nil
		}
		key, part := wanted.of(name)
		switch {
		case part != nil:
			vm[key], err = r.read(part)
		case wanted == head:
			return nil
		default:
			err = r.skip()
		}
		if err == nil && key == "metadata" {
			wanted = a.needed(vm)
		}
		if err != nil || wanted == nil {
			return nil
		}
	}
	if wanted == head || namesOthers(vm) {
		return nil
	}
	return vm
}

// needed returns the parts of a VM that its rules need, given its head; nil for the whole VM.
func (a *auditor) needed(vm map[string]any) *selection {
	if !strings.HasPrefix(text(vm["apiVersion"]), "kubevirt.io/") {
		return nil
	}
	n := a.needs
	if !a.book.isGiven() {
		source := vmrules.SourceOf(vm)
		if len(source.Annotation) > maxKept || source.From == vmrules.SourceExempt {
			return nil // the cache does not keep these rules, or nothing uses them
		}
		if a.templates != nil && source.Annotation == "" {
			return nil // the rules are those of a template
		}
		n = a.parse(source.Annotation).needs
	}
	switch text(vm["kind"]) {
	case "VirtualMachine":
		return n.ofVM
	case "VirtualMachineInstance":
		return n.ofInstance
	}
	return nil
}

// namesOthers reports whether a VM names an instance type or a preference.
func namesOthers(vm map[string]any) bool {
	return value(vm, "spec", "instancetype") != nil || value(vm, "spec", "preference") != nil
}

// value returns the value at a path of members; nil if there is none.
func value(v any, names ...string) any {
	found, _ := manifest.Value(v, names...)
	return found
}
