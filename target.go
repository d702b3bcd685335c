package vmrules

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/parameter"
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

// A target is a part of an object that rules apply to. Its Root is what they call $.
type target = vmtarget.Target

// emptiness returns why there is nothing to validate, as an error.
func emptiness(t *target) error {
	return doubtful{doubtOfCause[t.Cause], errors.New("nothing to validate: " + t.Nothing)}
}

var doubtOfCause = map[vmtarget.Cause]Doubt{
	vmtarget.Empty: DoubtNothing, vmtarget.Beyond: DoubtBound, vmtarget.Unfilled: DoubtParameter,
}

// pointerIn returns a path in a target as a JSON Pointer. The pointer ends before the first
// step that is neither a name nor an index.
func pointerIn(t *target, p Path) string { return t.At.Join(jsonpath.Fixed(p.steps())).Pointer() }

// WholeObjects makes rules about whole objects of any kind, not about the spec.template of VMs.
// What their paths call $ is the object; in a list each item, in an OpenShift Template each
// object, and in a VirtualMachineTemplate the VM. The fields that always exist in a VM have no
// defaults here. It is for rules that come from documents about whole objects.
func WholeObjects() ParseOption { return parseOption(func(o *parseOptions) { o.isWhole = true }) }

// appendTargets appends the targets in an object for rules about VMs, or about
// whole objects.
func (e *evaluation) appendTargets(targets []target, v any, isWhole bool) []target {
	if isWhole {
		return vmtarget.AppendObjects(targets, v, &e.budget.Meter)
	}
	before := len(targets)
	if e.partial {
		targets = vmtarget.AppendForm(targets, v, &e.budget.Meter)
	} else {
		targets = vmtarget.Append(targets, v, &e.budget.Meter)
	}
	if e.find != nil {
		e.expand(targets[before:])
	}
	return targets
}

// lookWork returns the cost of looking at a scalar, in units of a short value. It is higher in
// a template, where the scalar is searched for parameters.
func lookWork(t *target, s *value.Scalar) int {
	if t.HasParameters {
		return 3 * s.Cost()
	}
	return s.Cost()
}

// unfilled returns an error that names the first parameter in a string of a template;
// nil if there is none.
func unfilled(s *value.Scalar, template bool) error {
	if !template {
		return nil
	}
	return templateParameters.Within(s.Text())
}

// templateParameters tells a search how to find parameters in the strings of a template.
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

// TemplateOf returns the namespace and name of the template that a VM was made from. It
// reads the VM's labels if they have both: the namespace is in TemplateNamespaceLabel or
// OldTemplateNamespaceLabel. Otherwise it reads the annotations in the same way. It never
// mixes the two, and returns false if neither has both, or if one of the values has no JSON
// form, which RulesFor reports.
func TemplateOf(vm map[string]any) (namespace, name string, ok bool) {
	if unreadableName(vm) != nil {
		return "", "", false
	}
	for _, where := range []string{"labels", "annotations"} {
		values := value.At(vm, "metadata", where)
		name = value.StringAt(values, TemplateLabel)
		namespace = cmp.Or(value.StringAt(values, TemplateNamespaceLabel), value.StringAt(values, OldTemplateNamespaceLabel))
		if name != "" && namespace != "" {
			return namespace, name, true
		}
	}
	return "", "", false
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
