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
}

func targetsOf(v any, opts Options) []target {
	if found := targetsIn(v, target{}, opts); len(found) > 0 {
		return found
	}
	return []target{{}}
}

func targetsIn(v any, t target, opts Options) []target {
	if object(v) == nil {
		return []target{t}
	}
	switch kindOf(v, opts.Partial) {
	case "List":
		return t.each(v, "items", func(item any, t target) []target { return targetsIn(item, t, opts) })
	case "Template":
		t.inTemplate = true
		return t.each(v, "objects", func(item any, t target) []target {
			if opts.RootObject {
				return []target{t.inside(item)}
			}
			if kindOf(item, false) != "VirtualMachine" {
				return nil
			}
			return []target{t.vm(item)}
		})
	case "VirtualMachineTemplate":
		t.inTemplate = true
		if opts.RootObject {
			return []target{t.inside(v, "spec", "virtualMachine")}
		}
		return []target{t.vm(v, "spec", "virtualMachine")}
	}
	if opts.RootObject {
		return []target{t.inside(v)}
	}
	switch kindOf(v, opts.Partial) {
	case "VirtualMachine":
		return []target{t.vm(v)}
	case "VirtualMachinePool":
		return []target{t.vm(v, "spec", "virtualMachineTemplate")}
	case "VirtualMachineInstanceReplicaSet":
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
	if root := object(at(v, names...)); root != nil {
		t.root = root
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

// each returns the targets in each item of a list.
func (t target) each(v any, key string, in func(any, target) []target) []target {
	var found []target
	items, _ := at(v, key).([]any)
	for i, item := range items {
		u := t
		u.at = t.at.with(key).with(i)
		u.name = u.at.field()
		found = append(found, in(item, u)...)
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
// or, where it has no kind, by its shape; "" for anything else.
func kindOf(v any, partial bool) string {
	kind := text(at(v, "kind"))
	group, _, grouped := strings.Cut(text(at(v, "apiVersion")), "/")
	switch {
	case kind == "":
		return kindByShape(v, partial)
	case strings.HasSuffix(kind, "List"):
		return "List"
	case groups[kind] == "":
		return ""
	case kind == "Template" && !grouped: // the specification's examples say v1
		return kind
	case group != "" && (group != groups[kind] || !grouped):
		return ""
	}
	return kind
}

func kindByShape(v any, partial bool) string {
	switch {
	case at(v, "spec", "template", "spec") != nil:
		return "VirtualMachine"
	case at(v, "spec", "domain") != nil:
		return "VirtualMachineInstance"
	case at(v, "spec", "virtualMachineTemplate") != nil:
		return "VirtualMachinePool"
	case partial:
		return "VirtualMachine"
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
