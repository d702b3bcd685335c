package vmrules

import (
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmsource"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// Annotation and label keys. The rules are in Annotation on a VM, or on the VM inside
// a template. Version 201901-1 had them in OldAnnotation on the template itself.
const (
	Annotation    = "vm.kubevirt.io/validations"
	OldAnnotation = "validations"
	// SkipAnnotation exempts a VM from all rules, whatever the annotation's value.
	SkipAnnotation = "vm.kubevirt.io/skip-validations"
	// TemplateLabel and TemplateNamespaceLabel are the labels, or annotations, that say which
	// template a VM was made from. TemplateOf reads them, and what older VMs have instead.
	TemplateLabel          = "vm.kubevirt.io/template"
	TemplateNamespaceLabel = "vm.kubevirt.io/template.namespace"
)

// A SourceKind says from where a VM has its rules. "" means that it has none.
type SourceKind string

const (
	// SourceGiven: the caller gave the rules.
	SourceGiven SourceKind = "given"
	// SourceOwn: the VM has an annotation of its own, whatever template it names.
	SourceOwn SourceKind = "own"
	// SourceAround: the annotation of the template around the VM.
	SourceAround SourceKind = "around"
	// SourceTemplate: the VM names a template, and has no annotation of its own.
	SourceTemplate SourceKind = "template"
)

// RulesFor returns the rules for a VM. If SkipAnnotation exempts the VM, there are none. If
// the VM's own annotation is not blank, its rules are those. Otherwise they are those of the
// template: an OpenShift Template or a KubeVirt VirtualMachineTemplate, which has them on the
// VirtualMachine inside it or in its own OldAnnotation. The template may lack a kind, as objects of a
// typed client do. The VM of a replica set has its annotations in the metadata of spec.template, and
// that of a pool in the metadata of spec.virtualMachineTemplate.
//
// Either argument may be nil, but not both. Any error is a *ParseError, whose problems say whose
// annotation is wrong. It is an error if the rules would be those of a template, and the template is
// not given or is something else, with the Code no-template; and if the VMs inside an object have
// different annotations, with the Code different-rules: for these, there is ValidateOwn.
func RulesFor(vm, template map[string]any, opts ...ParseOption) (Rules, error) {
	o := parseOptionsOf(opts)
	text, problems := textFor(vm, template, &o.budget.Meter)
	if o.budget.Err() != nil {
		problems = wholeProblem("", ReasonTooLong, codeTooLong, vmtarget.TooMany(o.budget.Err()))
	}
	if problems != nil {
		return o.usable(nil, problems), asParseError(problems)
	}
	rules, problems := parseText(text, o)
	return rules, asParseError(problems)
}

func textFor(vm, template map[string]any, m *meter.Meter) (vmsource.Text, []Problem) {
	if vm == nil {
		return templateText(template, true, m)
	}
	targets := vmtarget.Append(nil, value.Resolve(vm), m)
	own, problems := commonText(targets, vmsource.OfVM)
	first := vmsource.Of(&targets[0])
	switch {
	case problems != nil, first.From == vmsource.Exempt:
		return vmsource.Text{}, problems
	case !own.IsBlank():
		return own, nil
	}
	for i := range targets[1:] {
		if next := vmsource.Of(&targets[1+i]); !next.IsSame(first) {
			return own, differentRules(vmsource.OfVM)
		}
	}
	switch first.From {
	case vmsource.Around:
		return first.Text, nil
	case vmsource.Unreadable: // the template may be that of a VM that names none
		if found, problems := templateText(template, false, m); problems != nil || !found.IsBlank() {
			return found, problems
		}
		return first.Text, nil
	}
	return templateText(template, first.From == vmsource.Template, m)
}

// templateText returns the one annotation of a template, which must be given if it is needed.
func templateText(template map[string]any, isNeeded bool, m *meter.Meter) (vmsource.Text, []Problem) {
	switch {
	case template == nil && isNeeded:
		return vmsource.Text{}, wholeProblem(vmsource.OfTemplate, ReasonRequired, codeNoTemplate, "the template that has the rules is not given")
	case template == nil:
		return vmsource.Text{}, nil
	}
	v, isTemplate := vmtarget.AsTemplate(value.Resolve(template))
	if !isTemplate {
		return vmsource.Text{}, wholeProblem(vmsource.OfTemplate, ReasonTypeInvalid, codeNoTemplate, "this is not a template: it must be a Template of template.openshift.io or a VirtualMachineTemplate of template.kubevirt.io")
	}
	found, problems := commonText(vmtarget.Append(nil, v, m), vmsource.OfTemplate)
	if problems == nil && found.IsBlank() {
		found = vmsource.TextAt(v, OldAnnotation, vmsource.OfTemplate)
	}
	return found, problems
}

// commonText returns the annotation that all VMs inside an object share, apart from those without
// one. Source says whether the object is the VM or the template.
func commonText(targets []target, source string) (vmsource.Text, []Problem) {
	var found vmsource.Text
	for i := range targets {
		t := &targets[i]
		own := vmsource.OwnText(t.VM)
		own.Of = source
		switch {
		case t.Cause != vmtarget.Empty:
			return found, wholeProblem(source, ReasonInvalid, codeDifferentRules, "there may be VirtualMachines with other rules inside: "+t.Nothing)
		case vmsource.IsExempt(t.VM) != vmsource.IsExempt(targets[0].VM):
			return found, differentRules(source)
		case own.IsBlank():
		case !found.IsBlank() && !own.HasSame(found):
			return found, differentRules(source)
		default:
			found = own
		}
	}
	return found, nil
}

func differentRules(source string) []Problem {
	return wholeProblem(source, ReasonInvalid, codeDifferentRules,
		"the VirtualMachines inside have different rules: validate each by its own, or make a template of each")
}

// wholeProblem returns the only problem: that of a whole annotation, or of the object that should have one.
func wholeProblem(source string, reason Reason, code, message string) []Problem {
	return []Problem{{Index: -1, Reason: reason, Code: code, Source: source, Message: message}}
}

// parseText reads the rules in an annotation. A template's own annotation is of version 201901-1,
// unless some path in it has the prefix of 201902-2.
func parseText(text vmsource.Text, o parseOptions) (Rules, []Problem) {
	if text.Value == nil {
		return Rules{}, nil
	}
	if wrong := text.Wrong(); wrong != "" {
		problems := wholeProblem(text.Of, ReasonTypeInvalid, codeWrongType, wrong)
		return o.usable(nil, problems), problems
	}
	if text.Key == OldAnnotation && !o.isOld {
		o.detects = true
	}
	rules, problems := parseRules(text.Value.(string), o)
	for i := range problems {
		problems[i].Source = text.Of
	}
	return rules, problems
}

// TemplateOf returns the namespace and name of the template that a VM was made from. It
// reads the VM's labels if they have both: the namespace is in TemplateNamespaceLabel or
// vm.kubevirt.io/template-namespace. Otherwise it reads the annotations in the same way. It never
// mixes the two, and returns false if neither has both, or if one of the values has no JSON
// form, which RulesFor reports.
func TemplateOf(vm map[string]any) (namespace, name string, ok bool) {
	namespace, name = vmsource.TemplateOf(vm)
	return namespace, name, name != ""
}
