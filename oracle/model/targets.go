package model

import (
	"fmt"
	"strings"
)

// A target is a place where rules apply (design 4: Where rules apply).
type target struct {
	name       string   // "", or where the VM is: objects[0]
	at         location // where the rules' $ is
	root       any      // what $ is; nil where there is nothing to validate
	implied    *settable
	inTemplate bool
	partial    bool
}

func targetsOf(v any, opts Options) []target {
	kind := kindOf(v, "")
	if kind == "" && opts.Partial && object(v) != nil && at(v, "kind") == nil {
		kind = "VirtualMachine"
	}
	return targetsIn(v, kind, target{partial: opts.Partial}, opts.RootObject)
}

// targetsIn returns the targets in an object of a kind of the table, or of "" for
// anything else.
func targetsIn(v any, kind string, t target, whole bool) []target {
	switch {
	case strings.HasSuffix(kind, "List"):
		return t.each(v, "items", func(item any, t target) []target {
			kind := kindOf(item, strings.TrimSuffix(kind, "List"))
			if object(item) == nil || kind == "" && at(item, "kind") != nil && !whole {
				return nil // of another kind
			}
			return targetsIn(item, kind, t, whole)
		})
	case kind == "Template":
		t.inTemplate = true
		return t.each(v, "objects", func(item any, t target) []target {
			if whole {
				return []target{t.inside(item)}
			}
			if kindOf(item, "") != "VirtualMachine" {
				return nil
			}
			return []target{t.vm(item)}
		})
	case kind == "VirtualMachineTemplate":
		t.inTemplate = true
		if whole {
			return []target{t.inside(v, "spec", "virtualMachine")}
		}
		return []target{t.vm(v, "spec", "virtualMachine")}
	case whole:
		return []target{t.inside(v)}
	case kind == "VirtualMachine":
		return []target{t.vm(v)}
	case kind == "VirtualMachinePool":
		return []target{t.vm(v, "spec", "virtualMachineTemplate")}
	case kind == "VirtualMachineInstanceReplicaSet":
		return []target{t.inside(v, "spec", "template")}
	}
	return []target{t.inside(v)}
}

// inside returns the target whose $ is what names select from v. Only an object
// can be one.
func (t target) inside(v any, names ...string) target {
	for _, name := range names {
		t.at = t.at.with(name)
	}
	switch root := object(at(v, names...)); {
	case root != nil:
		t.root = root
	case t.partial:
		t.root = map[string]any{} // still to be filled in
	}
	return t
}

// vm returns the target in the VM that names select from v: its spec.template,
// with what its instance type and preference may set.
func (t target) vm(v any, names ...string) target {
	spec := at(at(v, names...), "spec")
	t.implied = fieldsSetBy(at(spec, "instancetype") != nil, at(spec, "preference") != nil)
	return t.inside(v, append(names, "spec", "template")...)
}

// each returns the targets in each item of a list; one with nothing to validate if
// there is none.
func (t target) each(v any, key string, in func(any, target) []target) []target {
	var found []target
	items, _ := at(v, key).([]any)
	for i, item := range items {
		u := t
		u.at = t.at.with(key).with(i)
		u.name = u.at.field()
		found = append(found, in(item, u)...)
	}
	if len(found) == 0 {
		return []target{t} // nothing to validate
	}
	return found
}

// groups lists the API groups of the kinds that the table names. An object without
// apiVersion may be of any.
var groups = map[string]string{
	"VirtualMachine":                   "kubevirt.io",
	"VirtualMachineInstance":           "kubevirt.io",
	"VirtualMachineInstanceReplicaSet": "kubevirt.io",
	"VirtualMachinePool":               "pool.kubevirt.io",
	"Template":                         "template.openshift.io",
	"VirtualMachineTemplate":           "template.kubevirt.io",
}

// kindOf returns which row of the table an object is of: by its kind and API group
// or, where it has no kind, by the list that it is in or by its shape; "" for
// anything else.
func kindOf(v any, inList string) string {
	kind := text(at(v, "kind"))
	if kind == "" && inList != "" {
		return inList
	}
	if kind == "" {
		return kindByShape(v)
	}
	if kind == "List" {
		return kind
	}
	wanted := groups[strings.TrimSuffix(kind, "List")]
	version := text(at(v, "apiVersion"))
	group, _, grouped := strings.Cut(version, "/")
	if !grouped && version != "" && kind != "Template" || grouped && group != wanted || wanted == "" {
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

// fieldOf writes a location below the target's $ from the object's own root.
func (t target) fieldOf(l location) string { return append(t.at[:len(t.at):len(t.at)], l...).field() }

// missing writes a path that selects nothing, as the rule writes it, from the
// object's own root.
func (t target) missing(p path) string {
	if len(t.at) == 0 {
		return p.written
	}
	if strings.HasPrefix(p.written, "[") || strings.HasPrefix(p.written, "..") {
		return t.at.field() + p.written
	}
	return fmt.Sprintf("%s.%s", t.at.field(), p.written)
}
