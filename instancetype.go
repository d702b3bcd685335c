package vmrules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// WithInstancetype gives the instance type and the preference that the VMs of the call name.
// Either may be nil. A VM that names one of them is judged as KubeVirt expands it, which
// package instancetype does. The Origin of a violation says which object its value comes from.
//
// If the objects conflict with the VM, KubeVirt refuses it, and each rule is Undecided. If an
// object has another name or kind than the one that the VM names, or cannot be used, it does
// not count: rules about the fields that it may set are then Undecided, as without the option.
// So are rules about what a preference sets, if the VM names an instance type that is not
// given.
func WithInstancetype(instancetype, preference map[string]any) ValidateOption {
	return WithInstancetypes(func(map[string]any) (map[string]any, map[string]any, error) {
		return instancetype, preference, nil
	})
}

// WithInstancetypes is WithInstancetype with a function that finds the objects for each VM
// that names one. It returns nil for an object that does not exist, or that the VM does not
// name; an error counts as if it had found none. It must not change the VM.
func WithInstancetypes(find func(vm map[string]any) (instancetype, preference map[string]any, err error)) ValidateOption {
	return validateOption(func(s *settings) { s.find = find })
}

type findInstancetypes = func(vm map[string]any) (instancetype, preference map[string]any, err error)

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
	lacking := func(why error) target {
		open := *t
		open.Lacking = why.Error()
		return open
	}
	vm, err := e.plainVM(t)
	if err != nil {
		return lacking(err)
	}
	g, err := e.given(vm)
	if err != nil {
		return lacking(err)
	}
	budget := instancetype.Budget{}
	budget.Work, budget.Kept = e.budget.Left()
	expanded, err := budget.Expand(vm, g.instancetype, g.preference)
	e.charge(&budget)
	switch {
	case err != nil:
		return lacking(err)
	case len(expanded.Conflicts) > 0:
		refused := *t
		refused.Refusal = refusal(expanded.Conflicts)
		return refused
	}
	origins := make(map[string]string, len(expanded.Set))
	for _, o := range expanded.Set {
		origins[o.Pointer] = o.From
	}
	done := t.Expanded(expanded.VM, origins, 0)
	if g.lacksPreference != nil {
		done.Others = vmfields.ByPreference | openTopology(expanded.VM, origins)
		done.Lacking = g.lacksPreference.Error()
	}
	return done
}

// plainVM returns the VM of a target in the form that callers and package instancetype take.
func (e *evaluation) plainVM(t *target) (map[string]any, error) {
	if vm, ok := t.VM.(map[string]any); ok {
		return vm, nil
	}
	plain, err := value.Plain(t.VM, len(t.VMAt), &e.budget.Meter)
	if err != nil {
		return nil, fmt.Errorf("the VM cannot be read: %w", err)
	}
	vm, _ := plain.(map[string]any)
	return vm, nil
}

// given are the objects that a VM names, as far as they are known.
type given struct {
	instancetype, preference map[string]any
	lacksPreference          error // why the preference is not known; nil if it is, or if the VM names none
}

// given finds the objects that a VM names. Without the instance type, nothing can be said
// about what the preference sets, because the instance type comes first. That is an error.
func (e *evaluation) given(vm map[string]any) (given, error) {
	instancetypeNamed, preferenceNamed := instancetype.NamesOf(vm)
	it, preference, err := e.find(vm)
	if err != nil {
		return given{}, fmt.Errorf("what the VM names cannot be found: %w", err)
	}
	g := given{instancetype: it, preference: preference, lacksPreference: lacks(preferenceNamed, preference)}
	if preferenceNamed == nil || g.lacksPreference != nil {
		g.preference = nil
	}
	if instancetypeNamed == nil {
		g.instancetype = nil
	}
	err = lacks(instancetypeNamed, it)
	if err != nil && g.lacksPreference != nil {
		err = fmt.Errorf("%w, and %w", err, g.lacksPreference)
	}
	return g, err
}

// lacks returns why an object is not the one that a VM names; nil if it is, or if the VM names
// none.
func lacks(named *instancetype.Named, object map[string]any) error {
	if named == nil {
		return nil
	}
	if object == nil {
		return fmt.Errorf("the %s is not given", named)
	}
	return named.Fits(object)
}

// charge takes from the budget what expanding a VM has spent.
func (e *evaluation) charge(left *instancetype.Budget) {
	work, kept := e.budget.Left()
	_ = e.budget.Spend(work-left.Work, kept-left.Kept)
}

// openTopology removes the sockets, cores and threads that an instance type has set, since
// another preference might split the vCPUs in another way. It returns who may set them then.
func openTopology(vm map[string]any, origins map[string]string) jsonpath.Setters {
	cpu, _ := value.At(vm, "spec", "template", "spec", "domain", "cpu").(map[string]any)
	if cpu["sockets"] == int64(1) { // without a preference, all vCPUs are sockets
		return 0
	}
	var open jsonpath.Setters
	for _, name := range []string{"sockets", "cores", "threads"} {
		if origins["/spec/template/spec/domain/cpu/"+name] != "" {
			delete(cpu, name)
			open = vmfields.ByTopology
		}
	}
	return open
}

// refusal returns an error that lists the conflicts for which KubeVirt refuses a VM.
func refusal(conflicts []instancetype.Conflict) error {
	var all []string
	for i, c := range conflicts {
		if i == maxListed {
			all = append(all, fmt.Sprintf("and %d more", len(conflicts)-maxListed))
			break
		}
		all = append(all, c.Field+": "+c.Message)
	}
	return doubtful{DoubtInstancetype, errors.New("KubeVirt refuses the VM: " + strings.Join(all, "; "))}
}
