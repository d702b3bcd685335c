package model

import (
	"fmt"
	"strings"
)

// A target is a place where rules apply (design 4: Where rules apply).
type target struct {
	name string // "", or where the VM is: objects[0]
	at   string // where the rules' $ is, with a dot in front
	root any    // what $ is; nil where there is nothing to validate

	options                  Options
	inTemplate               bool
	instancetype, preference bool // the VM has a reference to one
}

// A holder is a row of the table: where an object of a kind has the rules' $, or a
// VM with a spec.template, which is $.
type holder struct {
	group string
	names []string
	vm    bool
}

var holders = map[string]holder{
	"VirtualMachine":                   {group: "kubevirt.io", vm: true},
	"VirtualMachineInstance":           {group: "kubevirt.io"},
	"VirtualMachineInstanceReplicaSet": {group: "kubevirt.io", names: []string{"spec", "template"}},
	"VirtualMachinePool":               {group: "pool.kubevirt.io", names: []string{"spec", "virtualMachineTemplate"}, vm: true},
	"VirtualMachineTemplate":           {group: "template.kubevirt.io", names: []string{"spec", "virtualMachine"}, vm: true},
	"Template":                         {group: "template.openshift.io"},
}

func targetsOf(v any, opts Options) []target {
	kind := kindOf(v, "")
	if kind == "" && opts.Partial && object(v) != nil && at(v, "kind") == nil {
		kind = "VirtualMachine"
	}
	return target{options: opts}.in(v, kind)
}

// in returns the targets in an object of a kind of the table, or of "" for anything
// else.
func (t target) in(v any, kind string) []target {
	t.inTemplate = t.inTemplate || strings.HasSuffix(kind, "Template")
	whole := t.options.RootObject
	item, isList := strings.CutSuffix(kind, "List")
	switch {
	case isList:
		return t.each(v, "items", func(v any) (string, bool) {
			kind := kindOf(v, item)
			return kind, object(v) != nil && (kind != "" || at(v, "kind") == nil || whole)
		})
	case kind == "Template":
		return t.each(v, "objects", func(v any) (string, bool) {
			kind := kindOf(v, "")
			return kind, kind == "VirtualMachine" || whole
		})
	case whole && kind != "VirtualMachineTemplate":
		return []target{t.inside(v)}
	}
	names := holders[kind].names
	if holders[kind].vm && !whole {
		vm := at(v, names...)
		t.instancetype = at(vm, "spec", "instancetype") != nil
		t.preference = at(vm, "spec", "preference") != nil
		names = append(names[:len(names):len(names)], "spec", "template")
	}
	return []target{t.inside(v, names...)}
}

// inside returns the target whose $ is what names select from v. Only an object can
// be one.
func (t target) inside(v any, names ...string) target {
	for _, name := range names {
		t.at += "." + name
	}
	switch root := object(at(v, names...)); {
	case root != nil:
		t.root = root
	case t.options.Partial:
		t.root = map[string]any{} // still to be filled in
	}
	return t
}

// each returns the targets in each item of a list that has a kind; one with nothing
// to validate if there is none.
func (t target) each(v any, key string, kindOf func(any) (kind string, ok bool)) []target {
	var found []target
	items, _ := at(v, key).([]any)
	for i, item := range items {
		u := t
		u.name = strings.TrimPrefix(fmt.Sprintf("%s.%s[%d]", t.at, key, i), ".")
		u.at = "." + u.name
		if kind, ok := kindOf(item); ok {
			found = append(found, u.in(item, kind)...)
		}
	}
	if len(found) == 0 {
		return []target{t}
	}
	return found
}

// kindOf returns which row of the table an object is of: by its kind and API group
// or, where it has no kind, by the list that it is in or by its shape; "" for
// anything else.
func kindOf(v any, inList string) string {
	kind := text(at(v, "kind"))
	switch {
	case kind == "" && inList != "":
		return inList
	case kind == "":
		return kindByShape(v)
	case kind == "List":
		return kind
	}
	row, known := holders[strings.TrimSuffix(kind, "List")]
	version := text(at(v, "apiVersion"))
	group, _, grouped := strings.Cut(version, "/")
	switch {
	case !known, grouped && group != row.group, !grouped && version != "" && kind != "Template":
		return ""
	}
	return kind
}

func kindByShape(v any) string {
	switch {
	case at(v, "spec", "template", "spec") != nil:
		return "VirtualMachine"
	case at(v, "spec", "domain") != nil:
		return "VirtualMachineInstance"
	case at(v, "spec", "virtualMachineTemplate") != nil:
		return "VirtualMachinePool"
	}
	return ""
}

// missing writes a path that selects nothing, as the rule writes it, from the
// object's own root.
func (t target) missing(p path) string {
	at := t.at
	if at != "" && !strings.HasPrefix(p.written, "[") && !strings.HasPrefix(p.written, "..") {
		at += "."
	}
	return strings.TrimPrefix(at, ".") + p.written
}
