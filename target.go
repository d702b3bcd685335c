package vmrules

import (
	"errors"
	"fmt"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
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
