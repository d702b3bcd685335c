package model

import (
	"fmt"
	"strings"
)

// A target is a place where rules apply (design 4: Where rules apply).
type target struct {
	options    Options
	name       string // "", or where the VM is: objects[0]
	at         string // where the rules' $ is, with a dot in front
	root       any    // what $ is; nil where there is nothing to validate
	inTemplate bool

	instancetype, preference bool // the VM refers to one
}

// holders says where an object of a kind has the rules' $, or a VM, whose
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

// in returns the targets in an object of a kind of the table, or of "" for anything
// else: one with nothing to validate in a list or template without a VM.
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
		judged := kind == "VirtualMachine" || isList && (kind != "" || at(item, "kind") == nil)
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

// inside returns the target in an object that is no list.
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

// kindOf returns which row of the table an object is of: by its kind and API group
// or, where it has no kind, by the list that it is in or by its shape; "" for
// anything else.
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

// missing writes a path that selects nothing, as the rule writes it, from the
// object's own root.
func (t target) missing(p path) string {
	dot := "."
	if t.at == "" || strings.HasPrefix(p.written, "[") || strings.HasPrefix(p.written, "..") {
		dot = ""
	}
	return strings.TrimPrefix(t.at, ".") + dot + p.written
}
