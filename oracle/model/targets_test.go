package model

import (
	"fmt"
	"strings"
)

// A target is a place where rules apply (vmrules: Where rules apply).
type target struct {
	options    Options
	name       string // where the VM is, such as objects[0]; "" for the object itself
	at         string // the path to the rules' $, with a leading dot
	root       any    // the value of $; nil if there is nothing to validate
	inTemplate bool

	instancetype, preference bool // the VM refers to one
}

// holders has, for each kind of object, the path to the rules' $, or to a VM whose
// spec.template is $.
var holders = map[string]struct {
	group, path string
	vm          bool
}{
	"VirtualMachine":                   {"kubevirt.io", "", true},
	"VirtualMachineInstance":           {"kubevirt.io", "", false},
	"VirtualMachineInstanceReplicaSet": {"kubevirt.io", ".spec.template", false},
	"VirtualMachinePool":               {"pool.kubevirt.io", ".spec.virtualMachineTemplate", true},
	"VirtualMachineTemplate":           {"template.kubevirt.io", ".spec.virtualMachine", true},
	"Template":                         {"template.openshift.io", "", false},
}

func targetsOf(v any, opts Options) []target {
	kind := kindOf(v, "")
	if kind == "" && opts.Partial && object(v) != nil && at(v, "kind") == nil {
		kind = "VirtualMachine"
	}
	return target{options: opts}.in(v, kind)
}

// in returns the targets in an object of a kind in the table, or of "" for other kinds. A
// list or template without a VM has one target, with nothing to validate.
func (t target) in(v any, kind string) []target {
	t.inTemplate = t.inTemplate || strings.HasSuffix(kind, "Template")
	list := "items"
	itemKind, isList := strings.CutSuffix(kind, "List")
	switch {
	case kind == "Template":
		list, itemKind = "objects", ""
	case !isList:
		return []target{t.inside(v, kind)}
	}
	var found []target
	items, _ := at(v, list).([]any)
	for i, item := range items {
		kind := kindOf(item, itemKind)
		judged := kind != "" || at(item, "kind") == nil
		if object(item) == nil || !judged && !t.options.RootObject {
			continue
		}
		u := t
		u.at = fmt.Sprintf("%s.%s[%d]", t.at, list, i)
		u.name = u.at[1:]
		found = append(found, u.in(item, kind)...)
	}
	if len(found) == 0 {
		return []target{t}
	}
	return found
}

// inside returns the target in an object that is not a list.
func (t target) inside(v any, kind string) target {
	row := holders[kind]
	path := row.path
	switch whole := t.options.RootObject; {
	case whole && kind != "VirtualMachineTemplate":
		path = ""
	case !whole && row.vm:
		t.instancetype = at(v, path+".spec.instancetype") != nil
		t.preference = at(v, path+".spec.preference") != nil
		path += ".spec.template"
	}
	t.at += path
	if root := object(at(v, path)); root != nil {
		t.root = root
	} else if t.options.Partial {
		t.root = map[string]any{} // still to be filled in
	}
	return t
}

// kindOf returns the row of the table for an object, and "" if there is none. It depends on
// the object's kind and API group. An object without a kind has that of its list, or one
// that suits its shape.
func kindOf(v any, inList string) string {
	kind, version := text(at(v, "kind")), text(at(v, "apiVersion"))
	group, _, grouped := strings.Cut(version, "/")
	row, known := holders[strings.TrimSuffix(kind, "List")]
	switch {
	case kind == "" && inList != "":
		return inList
	case kind == "" && at(v, "spec.template.spec") != nil:
		return "VirtualMachine"
	case kind == "" && at(v, "spec.domain") != nil:
		return "VirtualMachineInstance"
	case kind == "" && at(v, "spec.virtualMachineTemplate") != nil:
		return "VirtualMachinePool"
	case kind == "List":
		return kind
	case !known, grouped && group != row.group, !grouped && version != "" && kind != "Template":
		return ""
	}
	return kind
}

// missing returns the rule's spelling of a path that selects nothing, from the object's own
// root.
func (t target) missing(p path) string {
	dot := "."
	if t.at == "" || strings.HasPrefix(p.written, "[") || strings.HasPrefix(p.written, "..") {
		dot = ""
	}
	return strings.TrimPrefix(t.at, ".") + dot + p.written
}
