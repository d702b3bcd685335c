package vmrules

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// Annotation and label keys. The rules are in Annotation on a VM, or on the VM inside
// a template. Version 201901-1 had them in OldAnnotation on the template itself.
const (
	Annotation    = "vm.kubevirt.io/validations"
	OldAnnotation = "validations"
	// SkipAnnotation exempts a VM from all rules, whatever the annotation's value.
	SkipAnnotation = "vm.kubevirt.io/skip-validations"
	// TemplateLabel and TemplateNamespaceLabel are the labels, or annotations,
	// that say which template a VM was made from.
	TemplateLabel          = "vm.kubevirt.io/template"
	TemplateNamespaceLabel = "vm.kubevirt.io/template.namespace"
	// OldTemplateNamespaceLabel is what older VMs have instead of TemplateNamespaceLabel.
	OldTemplateNamespaceLabel = "vm.kubevirt.io/template-namespace"
)

// A SourceKind says from where a VM has its rules.
type SourceKind string

const (
	// SourceGiven: the caller gave the rules.
	SourceGiven SourceKind = "given"
	// SourceExempt: SkipAnnotation exempts the VM from all rules.
	SourceExempt SourceKind = "exempt"
	// SourceOwn: the VM has an annotation of its own, whatever template it names.
	SourceOwn SourceKind = "own"
	// SourceAround: the annotation of the template around the VM.
	SourceAround SourceKind = "around"
	// SourceTemplate: the VM names a template, and has no annotation of its own. If it names no
	// Namespace, only its user knows where to look for it.
	SourceTemplate SourceKind = "template"
	// SourceUnknown: the annotations cannot be read, or VMs in the object differ. RulesFor says
	// why.
	SourceUnknown SourceKind = "unknown"
)

// A Source says where the rules of a VM come from. The zero Source means that it has none.
type Source struct {
	From SourceKind `json:"from,omitempty"`
	// Field is where the VM says so, as in Violation: an annotation, or a label.
	Field string `json:"field,omitempty"`
	// Annotation is the text of the VM's own annotation.
	Annotation string `json:"annotation,omitempty"`
	// Namespace and Name are those of the template that the VM names, wherever its rules come from.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// SourceOf returns where the rules of a VM come from. It is the answer by which RulesFor works.
// A pool or replica set is asked for the VM that it makes.
func SourceOf(vm map[string]any) Source {
	b := Budget{}.whole()
	s, _, _ := sourceOfVM(vm, &b)
	return s
}

// sourceOfVM returns the source of a VM's rules, and the annotation that it has itself. An error
// says why that cannot be used.
func sourceOfVM(vm map[string]any, b *budget) (Source, annotation, error) {
	targets := vmtarget.Append(nil, value.Resolve(vm), &b.Meter)
	own, err := common(targets, "VM")
	if err != nil {
		return Source{From: SourceUnknown}, own, err
	}
	only := &target{VM: vm}
	if len(targets) == 1 {
		only = &targets[0]
	}
	s, where, unreadable := Source{}, "", unreadableName(only.VM)
	if unreadable == nil {
		s.Namespace, s.Name, where = templateOf(only.VM)
	}
	text, isText := own.value.(string)
	switch {
	case isExempt(&targets[0]):
		s.From, s.Field, own = SourceExempt, fieldOf(&targets[0], "annotations", SkipAnnotation), annotation{}
	case !own.isBlank() && !isText:
		s.From, s.Field = SourceUnknown, own.field
	case !own.isBlank():
		s.From, s.Field, s.Annotation = SourceOwn, own.field, text
	case unreadable != nil:
		s.From, own = SourceUnknown, annotation{value: unreadable, key: TemplateLabel, source: "VM"}
	case s.Name != "":
		s.From, s.Field = SourceTemplate, fieldOf(only, where, TemplateLabel)
	}
	return s, own, nil
}

// RulesFor returns the rules for a VM. If SkipAnnotation exempts the VM, there are none. If
// the VM's own annotation is not blank, its rules are those. Otherwise they are those of the
// template: an OpenShift Template or a KubeVirt VirtualMachineTemplate, which has them on the
// VirtualMachine inside it or in its own OldAnnotation. The template may lack a kind, as objects of a
// typed client do. The VM of a replica set has its annotations in the metadata of spec.template, and
// that of a pool in the metadata of spec.virtualMachineTemplate.
//
// Either argument may be nil, but not both. Any error is a *ParseError, whose problems say whose
// annotation is wrong. It is an error if the rules would be those of a template, and the template is
// not given or is something else; and if the VMs inside an object have different annotations: for
// these, there is ValidateOwn.
func RulesFor(vm, template map[string]any, opts ...ParseOption) (Rules, error) {
	o := parseOptionsOf(opts)
	var s Source
	var found annotation
	var err error
	if vm != nil {
		s, found, err = sourceOfVM(vm, o.budget)
	}
	if err == nil && s.From != SourceExempt && s.From != SourceOwn && (found.isBlank() || found.key == TemplateLabel) {
		var of annotation
		if of, err = templateAnnotation(template, vm == nil || s.From == SourceTemplate, o.budget); !of.isBlank() {
			found = of
		}
	}
	if o.budget.Err() != nil {
		return Rules{}, asParseError([]Problem{{Index: -1, Reason: ReasonTooLong, Code: codeTooLong, Message: vmtarget.TooMany(o.budget.Err())}})
	}
	if err != nil {
		return Rules{}, err
	}
	rules, problems := found.parse(o)
	return rules, asParseError(problems)
}

// templateAnnotation returns the one annotation of a template, which must be given if it is needed.
func templateAnnotation(template map[string]any, isNeeded bool, b *budget) (annotation, error) {
	wrong := func(reason Reason, message string) (annotation, error) {
		return annotation{}, asParseError([]Problem{{Index: -1, Reason: reason, Code: codeNoTemplate, Source: "template", Message: message}})
	}
	if template == nil && isNeeded {
		return wrong(ReasonRequired, "the template that has the rules is not given")
	}
	if template == nil {
		return annotation{}, nil
	}
	v, isTemplate := vmtarget.AsTemplate(value.Resolve(template))
	if !isTemplate {
		return wrong(ReasonTypeInvalid, "this is no template: it must be a Template of template.openshift.io or a VirtualMachineTemplate of template.kubevirt.io")
	}
	found, err := common(vmtarget.Append(nil, v, &b.Meter), "template")
	if err == nil && found.isBlank() {
		found = annotationAt(v, OldAnnotation, "template")
	}
	return found, err
}

// common returns the annotation that all VMs inside an object share, apart from those
// without one.
func common(targets []target, source string) (annotation, error) {
	wrong := func(message string) (annotation, error) {
		return annotation{}, asParseError([]Problem{{Index: -1, Reason: ReasonInvalid, Code: codeDifferentRules, Source: source, Message: message}})
	}
	var found annotation
	for i := range targets {
		t := &targets[i]
		a := ownAnnotation(t, source)
		switch {
		case t.Cause != vmtarget.Empty:
			return wrong("there may be VirtualMachines with other rules inside: " + t.Nothing)
		case !a.isBlank() && !found.isBlank() && !a.hasText(found), isExempt(t) != isExempt(&targets[0]):
			return wrong("the VirtualMachines inside have different rules: judge each by its own, or make a template of each")
		case !a.isBlank():
			found = a
			found.field = fieldOf(t, "annotations", a.key)
		}
	}
	return found, nil
}

// ownAnnotation returns the annotation of the VM of a target itself. That is SkipAnnotation if
// it is not readable, so that the VM may be exempt.
func ownAnnotation(t *target, source string) annotation {
	if skip := annotationAt(t.VM, SkipAnnotation, source); !value.IsReadable(skip.value) {
		return skip
	}
	return annotationAt(t.VM, Annotation, source)
}

// isExempt reports whether the VM of a target is certainly exempt from all rules.
func isExempt(t *target) bool {
	skip := value.At(t.VM, "metadata", "annotations", SkipAnnotation)
	return skip != nil && value.IsReadable(skip)
}

// An annotation is the text of rules and whose it is.
type annotation struct {
	value  any // nil: absent
	key    string
	source string
	field  string // of a VM: where it is
}

func annotationAt(v any, key, source string) annotation {
	a := annotation{value: value.At(v, "metadata", "annotations", key), key: key, source: source}
	if a.value == nil {
		a.value = misshapenIn(v, "annotations")
	}
	return a
}

// A misshapen says what is wrong with metadata in which an annotation or label may be meant to be.
type misshapen string

// misshapenIn returns what is wrong with the shape of an object's metadata, or with a member of it
// that holds texts by their keys; nil if both are well.
func misshapenIn(v any, member string) any {
	at := "metadata"
	found := value.At(v, "metadata")
	if value.ShapeOf(found) == value.Object {
		at += "." + member
		found = value.At(found, member)
	}
	if found == nil || !value.IsReadable(found) || value.ShapeOf(found) == value.Object {
		return nil
	}
	return misshapen(fmt.Sprintf("%s must be an object, not %s", at, value.Describe(found)))
}

// fieldOf returns where an annotation or label of the VM of a target is.
func fieldOf(t *target, where, key string) string {
	return t.VMAt.Join(jsonpath.Members("metadata", where, key)).String()
}

func (a annotation) isBlank() bool {
	s, isString := a.value.(string)
	return a.value == nil || isString && strings.TrimSpace(s) == ""
}

// hasText reports whether two annotations have the same text.
func (a annotation) hasText(b annotation) bool {
	text, isText := a.value.(string)
	return isText && text == b.value
}

// parse reads the rules. A template's own annotation is of version 201901-1,
// unless some path in it has the prefix of 201902-2.
func (a annotation) parse(o parseOptions) (Rules, []Problem) {
	if a.value == nil {
		return Rules{}, nil
	}
	s, ok := a.value.(string)
	if !ok {
		message := fmt.Sprintf("the annotation %s must be a string that holds JSON, not %s", a.key, value.Describe(a.value))
		if wrong, ok := a.value.(misshapen); ok {
			message = string(wrong)
		} else if !value.IsReadable(a.value) {
			message = fmt.Sprintf("%s cannot be read: it is, or is inside, %s", a.key, value.Describe(a.value))
		}
		return Rules{}, []Problem{{Index: -1, Reason: ReasonTypeInvalid, Code: codeWrongType, Source: a.source, Message: message}}
	}
	if a.key == OldAnnotation && o.version == "" {
		o.detects = true
	}
	rules, problems := parseRules(s, o)
	for i := range problems {
		problems[i].Source = a.source
	}
	return rules, problems
}

// TemplateOf returns the namespace and name of the template that a VM was made from. It
// reads the VM's labels if they have both: the namespace is in TemplateNamespaceLabel or
// OldTemplateNamespaceLabel. Otherwise it reads the annotations in the same way. It never
// mixes the two, and returns false if neither has both, or if one of the values has no JSON
// form, which RulesFor reports.
func TemplateOf(vm map[string]any) (namespace, name string, ok bool) {
	if unreadableName(vm) != nil {
		return "", "", false
	}
	if namespace, name, _ = templateOf(vm); namespace == "" {
		name = ""
	}
	return namespace, name, name != ""
}

// templateOf returns the template that a VM names, and whether in its labels or its annotations.
// If neither has the namespace, it returns the name alone.
func templateOf(vm any) (namespace, name, where string) {
	for _, in := range []string{"labels", "annotations"} {
		values := value.At(vm, "metadata", in)
		next := value.StringAt(values, TemplateLabel)
		if next == "" {
			continue
		}
		namespace = cmp.Or(value.StringAt(values, TemplateNamespaceLabel), value.StringAt(values, OldTemplateNamespaceLabel))
		if namespace != "" {
			return namespace, next, in
		}
		if name == "" {
			name, where = next, in
		}
	}
	return "", name, where
}

// unreadableName returns the first of the values by which TemplateOf finds a template that is
// not readable; nil if all are.
func unreadableName(vm any) any {
	for _, where := range []string{"labels", "annotations"} {
		for _, key := range []string{TemplateLabel, TemplateNamespaceLabel, OldTemplateNamespaceLabel} {
			if v := value.At(vm, "metadata", where, key); !value.IsReadable(v) {
				return v
			}
		}
	}
	return nil
}
