package vmrules

import (
	"errors"
	"fmt"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// WithInstancetype gives the instance type and the preference that the VMs of the call name.
// Either may be nil. A VM that names one of them is judged as KubeVirt expands it, which
// package instancetype does. The Origin of a violation says which object its value comes from.
//
// If the objects conflict with the VM, KubeVirt refuses it, and each rule is Undecided. If an
// object has another name, kind or namespace than the one that the VM names, or cannot be
// used, it does not count: rules about the fields that it may set are then Undecided. So are
// rules about what a preference sets if the instance type is not given. A VM that leaves a
// name to a volume (inferFromVolume) takes any object.
func WithInstancetype(instancetype, preference map[string]any) ValidateOption {
	return WithInstancetypes(func(map[string]any) (map[string]any, map[string]any, error) {
		return instancetype, preference, nil
	})
}

// WithInstancetypes is WithInstancetype with a function that finds the objects for each VM
// that names one. It returns nil for an object that does not exist; an error counts as if it
// had found none, and so does a panic. It must not change the VM.
func WithInstancetypes(find func(vm map[string]any) (instancetype, preference map[string]any, err error)) ValidateOption {
	return validateOption(func(s *settings) { s.find = find })
}

// A findFunc is what WithInstancetypes takes.
type findFunc func(vm map[string]any) (instancetype, preference map[string]any, err error)

// expand replaces the VMs of targets by what KubeVirt makes of them.
func (e *evaluation) expand(targets []target) {
	for i := range targets {
		if t := &targets[i]; t.Others != 0 && t.Nothing == "" {
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
	it, preference, err := findSafely(e.find, vm)
	if err != nil {
		done.Lacking = "what the VM names cannot be found: " + err.Error()
		return done
	}
	work, kept := e.budget.Left()
	b := instancetype.Meter{Work: work, Kept: kept}
	expanded, err := b.ExpandNamed(vm, it, preference)
	_ = e.budget.Spend(work-b.Work, kept-b.Kept)
	switch {
	case err != nil:
		done.Lacking = err.Error()
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
		done.Others, done.Lacking = vmfields.ByPreference|vmfields.ByTopology, expanded.Unknown.Error()
	}
	return done
}

// findSafely recovers if the caller's function panics, so that it does not stop the program.
func findSafely(find findFunc, vm map[string]any) (instancetype, preference map[string]any, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			instancetype, preference, err = nil, nil, fmt.Errorf("the search panics: %s", value.Shortened(fmt.Sprint(failure)))
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
	return doubtful{DoubtInstancetype, errors.New(text)}
}
