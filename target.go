package vmrules

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A target is a part of an object that rules apply to. Its Root is what they call $.
type target = vmtarget.Target

// emptiness returns why there is nothing to validate, as an error.
func emptiness(t *target) error {
	return doubtError{doubtOfCause[t.Cause], errors.New("nothing to validate: " + t.Nothing)}
}

var doubtOfCause = map[vmtarget.Cause]Doubt{
	vmtarget.Empty: DoubtNothing, vmtarget.Beyond: DoubtBound, vmtarget.Unfilled: DoubtParameter,
}

// pointerIn returns a path in a target as a JSON Pointer. The pointer ends before the first
// step that is neither a name nor an index.
func pointerIn(t *target, p Path) string { return t.At.Join(jsonpath.Fixed(p.steps())).Pointer() }

// appendTargets appends the targets in an object for rules about VMs, or about
// whole objects.
func (e *evaluation) appendTargets(targets []target, v any, isWhole bool) []target {
	if isWhole {
		return vmtarget.AppendObjects(targets, v, &e.budget.Meter)
	}
	before := len(targets)
	if e.given.partial {
		targets = vmtarget.AppendForm(targets, v, &e.budget.Meter)
	} else {
		targets = vmtarget.Append(targets, v, &e.budget.Meter)
	}
	if e.given.find != nil {
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
	return doubtError{DoubtParameter, fmt.Errorf("the template's parameter %s is not filled in", name)}
}

// expand replaces the VMs of targets by what KubeVirt makes of them.
func (e *evaluation) expand(targets []target) {
	for i := range targets {
		if t := &targets[i]; t.Open != 0 && t.Nothing == "" {
			*t = e.expanded(t)
		}
	}
}

// expanded returns a target with its VM expanded, as far as what the VM names is known.
func (e *evaluation) expanded(t *target) target {
	done := *t
	plain, err := value.Plain(t.VM, len(t.VMAt), &e.budget.Meter)
	if err != nil {
		done.Refusal = fmt.Errorf("the VM cannot be read: %w", err)
		return done
	}
	vm, _ := plain.(map[string]any)
	it, preference, missing := findSafely(e.given.find, vm)
	work, kept := e.budget.Left()
	b := instancetype.Meter{Work: work, Kept: kept}
	expanded, err := b.ExpandNamed(vm, it, preference)
	_ = e.budget.Spend(work-b.Work, kept-b.Kept)
	switch {
	case err != nil:
		done.WhyOpen = cmp.Or(missing, err).Error()
		return done
	case len(expanded.Conflicts) > 0:
		done.Refusal = refusal(expanded.Conflicts)
		return done
	}
	origins := make(map[string]string, len(expanded.Set))
	for _, o := range expanded.Set {
		origins[o.Pointer] = o.From
	}
	done = t.Expanded(expanded.VM, origins)
	if expanded.Unknown != nil {
		done.Open, done.WhyOpen = vmfields.ByPreference|vmfields.ByTopology, cmp.Or(missing, expanded.Unknown).Error()
	}
	return done
}

// findSafely recovers if the caller's function panics, so that it does not stop the program.
func findSafely(find findFunc, vm map[string]any) (instancetype, preference map[string]any, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			instancetype, preference, err = nil, nil, fmt.Errorf("what the VM names cannot be found: the search panics: %s", value.Shortened(fmt.Sprint(failure)))
		}
	}()
	return find(vm)
}

// refusal returns an error that lists the conflicts for which KubeVirt refuses a VM.
func refusal(conflicts []instancetype.Conflict) error {
	const listed = 10
	text := "KubeVirt refuses the VM"
	separator := ": "
	for _, c := range conflicts[:min(len(conflicts), listed)] {
		text += separator + c.Field + ": " + c.Message
		separator = "; "
	}
	if more := len(conflicts) - listed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return doubtError{DoubtInstancetype, errors.New(text)}
}
