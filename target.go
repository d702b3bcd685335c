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

// Annotation and label keys. The rules stand in Annotation on a VM or on the
// VM inside a template; version 201901-1 had them in OldAnnotation on the
// template itself.
const (
	Annotation    = "vm.kubevirt.io/validations"
	OldAnnotation = "validations"
	// SkipAnnotation on a VM, whatever its value, exempts it from all rules.
	SkipAnnotation = "vm.kubevirt.io/skip-validations"
	// TemplateLabel and TemplateNamespaceLabel are the labels, or annotations,
	// that say which template a VM was made from.
	TemplateLabel          = "vm.kubevirt.io/template"
	TemplateNamespaceLabel = "vm.kubevirt.io/template.namespace"
	// OldTemplateNamespaceLabel is how older VMs spell TemplateNamespaceLabel.
	OldTemplateNamespaceLabel = "vm.kubevirt.io/template-namespace"
)

// A target is a place in an object that rules apply to; its Root is what they call $.
type target = vmtarget.Target

// emptiness returns why there is nothing to validate, as an error.
func emptiness(t *target) error {
	doubt := DoubtNothing
	if t.IsBeyond {
		doubt = DoubtBound
	}
	return doubtful{doubt, errors.New("nothing to validate: " + t.Nothing)}
}

// pointerIn returns a path of a target as a JSON Pointer, which ends before the first step
// that is neither a name nor an index.
func pointerIn(t *target, p Path) string { return t.At.Join(jsonpath.Fixed(p.steps())).Pointer() }

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
	switch {
	case root == RootObject:
		return vmtarget.AppendObjects(targets, v, &e.budget.Meter)
	case e.partial:
		return vmtarget.AppendForm(targets, v, &e.budget.Meter)
	}
	return vmtarget.Append(targets, v, &e.budget.Meter)
}

// lookWork is how many values it takes as long to look at a scalar as at these. In a
// template, parameters are looked for in it.
func lookWork(t *target, s *value.Scalar) int {
	if t.HasParameters {
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
// say if they have both its name and its namespace, in TemplateNamespaceLabel or
// OldTemplateNamespaceLabel; else what the annotations say, on the same condition.
// The two are never mixed. It returns false where neither says both.
func TemplateOf(vm map[string]any) (namespace, name string, ok bool) {
	metadata, _ := value.Member(vm, "metadata")
	for _, where := range []string{"labels", "annotations"} {
		values, _ := value.Member(metadata, where)
		name = value.StringAt(values, TemplateLabel)
		namespace = cmp.Or(value.StringAt(values, TemplateNamespaceLabel), value.StringAt(values, OldTemplateNamespaceLabel))
		if name != "" && namespace != "" {
			return namespace, name, true
		}
	}
	return "", "", false
}
