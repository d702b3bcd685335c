package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// Annotation and label keys. The rules stand in Annotation on a VM or on the
// VM inside a template; version 201901-1 had them in TemplateAnnotation on the
// template itself.
const (
	Annotation         = "vm.kubevirt.io/validations"
	TemplateAnnotation = "validations"
	// SkipAnnotation on a VM, whatever its value, exempts it from all rules.
	SkipAnnotation = "vm.kubevirt.io/skip-validations"
	// TemplateKey and TemplateNamespaceKey are the labels, or annotations,
	// that say which template a VM was made from.
	TemplateKey          = "vm.kubevirt.io/template"
	TemplateNamespaceKey = "vm.kubevirt.io/template.namespace"
	// OldTemplateNamespaceKey is how older VMs spell TemplateNamespaceKey.
	OldTemplateNamespaceKey = "vm.kubevirt.io/template-namespace"
)

// API groups of the kinds that hold VMs.
const (
	groupKubeVirt          = "kubevirt.io"
	groupPool              = "pool.kubevirt.io"
	groupOpenShiftTemplate = "template.openshift.io"
	groupKubeVirtTemplate  = "template.kubevirt.io"
	groupCore              = "" // also that of an OpenShift template's old apiVersion, v1
)

// A target is one place in an object that rules apply to.
type target struct {
	name       string            // "", or "objects[0]" inside a template or list
	at         jsonpath.Location // of what the rules call $
	root       any
	nothing    string           // why there is nothing to validate; "" where there is
	isBeyond   bool             // it is because of a bound
	holdsNone  bool             // a list or template without a VM: nothing that could be filled in
	parameters bool             // strings may hold unfilled parameters of a template
	others     jsonpath.Setters // what may set fields that the VM leaves out
	vm         any              // whose annotations may hold the rules
	vmAt       jsonpath.Location
	isWhole    bool // what the rules are about is no VM but any object
	template   any  // the template around it; nil: none
}

// emptiness is why there is nothing to validate, as an error.
func (t *target) emptiness() error {
	doubt := DoubtNothing
	if t.isBeyond {
		doubt = DoubtBound
	}
	return doubtful{doubt, errors.New("nothing to validate: " + t.nothing)}
}

// A Root is what rules call $.
type Root string

const (
	// RootTemplate is the spec.template of a VM, which an annotation means.
	RootTemplate Root = ""
	// RootObject is the whole object, of any kind: each item of a list, each
	// object inside an OpenShift Template, and the VM inside a
	// VirtualMachineTemplate. Fields that always exist in a VM do not here.
	RootObject Root = "object"
)

// WithRoot says what the rules call $. It is for rules from documents about
// whole objects; for those of an annotation it is RootTemplate, the default.
func WithRoot(r Root) ParseOption { return parseOption(func(o *parseOptions) { o.root = r }) }

// appendTargets appends what rules with a root apply to in an object.
func (e *evaluation) appendTargets(targets []target, v any, root Root) []target {
	f := targetFinder{&e.budget}
	switch {
	case root == RootObject:
		return f.complete(append(targets, f.whole(v, kindOther, 0)...))
	case e.partial && isBegun(v):
		return append(targets, vmTarget(v, nil, specTemplate))
	}
	return f.appendVMs(targets, v)
}

// isBegun reports whether an object does not say yet what it holds.
func isBegun(v any) bool {
	kind, _ := value.Member(v, "kind")
	return (kind == nil || kind == "") && kindByShape(v) == kindOther
}

// targetsOf finds what rules apply to in an object, as the kind says or, where
// it has none, the shape.
func targetsOf(v any, b *budget) []target { return targetFinder{b}.appendVMs(nil, v) }

// appendVMs is targetsOf behind what is in a slice already.
func (f targetFinder) appendVMs(targets []target, v any) []target {
	found, ok := f.find(targets, v, kindOther, 0)
	if !ok {
		found = append(targets, itself(v))
	}
	return f.complete(found)
}

// A targetFinder pays for what it finds. Where the budget does not suffice, it
// stops, and nothing that it found counts.
type targetFinder struct{ budget *budget }

// pays pays for looking at so many objects, each of which may be a target.
func (f targetFinder) pays(n int) bool {
	return f.budget.Spend(meter.Times(n, targetWork), meter.Times(n, targetSize)) == nil
}

// complete are the targets that were found, or one that stands for all of them
// where there are too many.
func (f targetFinder) complete(targets []target) []target {
	if f.budget.Err() == nil {
		return targets
	}
	return []target{{nothing: tooMuchToLookAt(f.budget.Err()), isBeyond: true, holdsNone: true}}
}

func tooMuchToLookAt(err error) string {
	return "there are more VMs in the object than can be looked at: " + err.Error()
}

// itself is the target of rules about an object of another kind, and of a
// VirtualMachineInstance.
func itself(v any) target { return target{root: v, vm: v} }

// maxLists is how many lists may stand inside each other. Nobody nests them;
// an object built in Go could hold itself.
const maxLists = 4

// find appends the targets in an object, and returns false for one that
// is neither a VM in one of its forms nor holds any. It stands inside so many
// lists, the inner one of which says what an item without kind is.
func (f targetFinder) find(targets []target, v any, inList holder, lists int) ([]target, bool) {
	if v == nil {
		return append(targets, target{nothing: "there is no object"}), true
	}
	switch kindIn(v, inList) {
	case kindVirtualMachine:
		return append(targets, vmTarget(v, nil, specTemplate)), true
	case kindInstance:
		return append(targets, itself(v)), true
	case kindReplicaSet:
		template := value.At(v, "spec", "template")
		return append(targets, rootedAt(target{vm: template, vmAt: specTemplate}, template, specTemplate)), true
	case kindPool:
		at := jsonpath.Members("spec", "virtualMachineTemplate")
		return append(targets, vmTarget(v, at, at.Join(specTemplate))), true
	case kindKubeVirtTemplate:
		at := jsonpath.Members("spec", "virtualMachine")
		t := vmTarget(v, at, at.Join(specTemplate))
		t.template, t.parameters = v, true
		return append(targets, t), true
	case kindOpenShiftTemplate:
		return append(targets, f.inTemplate(v)...), true
	case kindList:
		return append(targets, f.inList(v, lists+1)...), true
	}
	return targets, false
}

// specTemplate is where a VirtualMachine has what rules are about.
var specTemplate = jsonpath.Members("spec", "template")

// A holder is a form in which an object holds VMs.
type holder int

const (
	kindOther holder = iota
	kindVirtualMachine
	kindInstance
	kindReplicaSet
	kindPool
	kindOpenShiftTemplate
	kindKubeVirtTemplate
	kindList
)

// holders are the kinds that hold VMs, and their API groups.
var holders = []struct {
	kind   string
	groups []string
	holder
}{
	{"VirtualMachine", []string{groupKubeVirt}, kindVirtualMachine},
	{"VirtualMachineInstance", []string{groupKubeVirt}, kindInstance},
	{"VirtualMachineInstanceReplicaSet", []string{groupKubeVirt}, kindReplicaSet},
	{"VirtualMachinePool", []string{groupPool}, kindPool},
	{"Template", []string{groupOpenShiftTemplate, groupCore}, kindOpenShiftTemplate},
	{"VirtualMachineTemplate", []string{groupKubeVirtTemplate}, kindKubeVirtTemplate},
	{"List", []string{groupCore}, kindList},
}

// kindIn tells how an object holds VMs. An object without apiVersion is taken
// by its kind, one without kind by what the list around it says or, where that
// says nothing, by its shape.
func kindIn(v any, inList holder) holder {
	kind, _ := value.Member(v, "kind")
	if kind == nil || kind == "" {
		return cmp.Or(inList, kindByShape(v))
	}
	name, _ := kind.(string)
	if found := holderNamed(v, name); found != kindOther {
		return found
	}
	if item, ok := strings.CutSuffix(name, "List"); ok && holderNamed(v, item) != kindOther {
		return kindList
	}
	return kindOther
}

// itemKind is what the kind of a list says about items without kind.
func itemKind(v any) holder {
	return holderNamed(v, strings.TrimSuffix(value.StringAt(v, "kind"), "List"))
}

// holderNamed is a kind by its name, if the object's API group is that kind's.
func holderNamed(v any, name string) holder {
	version := value.StringAt(v, "apiVersion")
	group, _, hasGroup := strings.Cut(version, "/")
	if !hasGroup {
		group = groupCore
	}
	for _, h := range holders {
		if h.kind == name && (version == "" || slices.Contains(h.groups, group)) {
			return h.holder
		}
	}
	return kindOther
}

func kindByShape(v any) holder {
	switch {
	case value.At(v, "spec", "template", "spec") != nil:
		return kindVirtualMachine
	case value.At(v, "spec", "domain") != nil:
		return kindInstance
	case value.At(v, "spec", "virtualMachineTemplate") != nil:
		return kindPool
	}
	return kindOther
}

// vmTarget is the VirtualMachine at a place in an object, whose rules' $ is at
// another.
func vmTarget(v any, at, root jsonpath.Location) target {
	vm := jsonpath.Lookup(v, at)
	spec, _ := value.Member(vm, "spec")
	template, _ := value.Member(spec, "template")
	t := rootedAt(target{vm: vm, vmAt: at}, template, root)
	t.others = vmfields.SettersOf(spec)
	return t
}

// rootedAt says where the rules' $ is, and what is there, or that it is missing.
func rootedAt(t target, root any, at jsonpath.Location) target {
	if value.ShapeOf(root) != value.Object {
		t.nothing = "the object has no " + at.String()
	}
	t.at, t.root = at, root
	return t
}

// inTemplate are the VMs among the objects of an OpenShift template.
func (f targetFinder) inTemplate(v any) []target {
	var targets []target
	list, _ := value.Member(v, "objects")
	for i := range value.Len(list) {
		if !f.pays(1) {
			break
		}
		vm, _ := value.Item(list, i)
		if kindIn(vm, kindOther) != kindVirtualMachine {
			continue
		}
		t := inside("objects", i, vmTarget(vm, nil, specTemplate))
		t.template, t.parameters = v, true
		targets = append(targets, t)
	}
	if targets == nil {
		return []target{{nothing: "the template holds no VirtualMachine", holdsNone: true, template: v}}
	}
	return targets
}

// inList are those of the items of a list. What is no object or of another
// kind, such as a Service beside the VM, is passed over.
func (f targetFinder) inList(v any, lists int) []target {
	if lists > maxLists {
		return []target{{nothing: "lists are nested too deep", isBeyond: true, holdsNone: true}}
	}
	var targets []target
	list, _ := value.Member(v, "items")
	for i := range value.Len(list) {
		if !f.pays(1) {
			break
		}
		next, _ := value.Item(list, i)
		found, ok := f.find(nil, next, itemKind(v), lists)
		switch {
		case value.ShapeOf(next) != value.Object, !ok && value.StringAt(next, "kind") != "":
			continue
		case !ok:
			found = []target{itself(next)}
		}
		if lists > 1 && !f.pays(len(found)) { // which move once more for each list around them
			break
		}
		for _, t := range found {
			targets = append(targets, inside("items", i, t))
		}
	}
	if targets == nil {
		return []target{{nothing: "the list holds no VirtualMachine", holdsNone: true}}
	}
	return targets
}

// whole are the objects in an object, itself or those that it holds.
func (f targetFinder) whole(v any, inList holder, lists int) []target {
	if v == nil {
		return []target{{nothing: "there is no object"}}
	}
	items, _ := value.Member(v, "items")
	kind := kindIn(v, inList)
	switch {
	case strings.HasSuffix(value.StringAt(v, "kind"), "List") && value.ShapeOf(items) == value.Array:
		return f.eachWhole(v, "items", lists+1)
	case kind == kindOpenShiftTemplate:
		targets := f.eachWhole(v, "objects", lists+1)
		for i := range targets {
			targets[i].parameters = true
		}
		return targets
	case kind == kindKubeVirtTemplate:
		at := jsonpath.Members("spec", "virtualMachine")
		t := rootedAt(target{isWhole: true, parameters: true, vmAt: at}, jsonpath.Lookup(v, at), at)
		t.vm = t.root
		return []target{t}
	}
	return []target{{root: v, vm: v, isWhole: true}}
}

// eachWhole are the objects in a list.
func (f targetFinder) eachWhole(v any, list string, lists int) []target {
	if lists > maxLists {
		return []target{{nothing: "lists are nested too deep", isBeyond: true, holdsNone: true}}
	}
	var targets []target
	items, _ := value.Member(v, list)
	for i := range value.Len(items) {
		if !f.pays(1) {
			break
		}
		next, _ := value.Item(items, i)
		if value.ShapeOf(next) != value.Object {
			continue
		}
		for _, t := range f.whole(next, itemKind(v), lists) {
			targets = append(targets, inside(list, i, t))
		}
	}
	if targets == nil {
		return []target{{nothing: "there are no objects in " + list, holdsNone: true}}
	}
	return targets
}

// inside moves a target of an item to its place in the list around it.
func inside(list string, i int, t target) target {
	at := jsonpath.Location{jsonpath.Member(list), jsonpath.Item(i)}
	t.at, t.vmAt = at.Join(t.at), at.Join(t.vmAt)
	t.name = strings.TrimSuffix(at.String()+"."+t.name, ".")
	return t
}

// lookWork is how many values it takes as long to look at a scalar as at these. In a
// template, parameters are looked for in it.
func (t *target) lookWork(s *value.Scalar) int {
	if t.parameters {
		return 3 * s.Cost()
	}
	return s.Cost()
}

// unfilled returns an error that names the parameter that a string inside a
// template still holds; nil where it holds none.
func unfilled(s *value.Scalar, template bool) error {
	if !template {
		return nil
	}
	return templateParameters.Within(s.Text())
}

// templateParameters are what a search finds in the strings of a template.
var templateParameters = jsonpath.Placeholders{
	Whole:  func(s string) error { return unfilledParameter(parameter.OfAnyType(s)) },
	Within: func(s string) error { return unfilledParameter(parameter.First(s)) },
}

// unfilledParameter returns an error that names a parameter; nil for "".
func unfilledParameter(name string) error {
	if name == "" {
		return nil
	}
	return doubtful{DoubtParameter, fmt.Errorf("the template's parameter %s is not filled in", name)}
}

// TemplateOf returns the template that a VM was made from: what the VM's labels
// say if they have both its name and its namespace, in TemplateNamespaceKey or
// OldTemplateNamespaceKey; else what the annotations say, on the same condition.
// The two are never mixed. It returns false where neither says both.
func TemplateOf(vm map[string]any) (namespace, name string, ok bool) {
	metadata, _ := value.Member(vm, "metadata")
	for _, where := range []string{"labels", "annotations"} {
		values, _ := value.Member(metadata, where)
		name = value.StringAt(values, TemplateKey)
		namespace = cmp.Or(value.StringAt(values, TemplateNamespaceKey), value.StringAt(values, OldTemplateNamespaceKey))
		if name != "" && namespace != "" {
			return namespace, name, true
		}
	}
	return "", "", false
}
