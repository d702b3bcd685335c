package command

import (
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/instancetype"
)

// levels has, for each preferred topology with which KubeVirt counts only one field of the CPU
// as vCPUs, that field.
var levels = map[string]string{
	"sockets":       "sockets",
	"cores":         "cores",
	"threads":       "threads",
	"preferSockets": "sockets",
	"preferCores":   "cores",
	"preferThreads": "threads",
}

// rulesFrom returns the requirements of a preference as rules, and notes about those that rules
// cannot say. It returns an error if KubeVirt cannot use the preference.
func rulesFrom(preference map[string]any) ([]vmrules.Rule, []note, error) {
	spec := objectIn(preference, "spec")
	required := objectIn(spec, "requirements")
	if _, err := instancetype.Expand(instancetypes.PlainVM, nil, preference); err != nil {
		return nil, nil, err
	}
	f := rulesFor{}
	if memory := objectIn(required, "memory")["guest"]; memory != nil {
		f.memory(memory)
	}
	if guest := objectIn(required, "cpu")["guest"]; guest != nil {
		topology, ok := objectIn(spec, "cpu")["preferredCPUTopology"].(string)
		if !ok {
			topology = "sockets"
		}
		f.cpu(guest, topology)
	}
	if architecture, ok := required["architecture"].(string); ok {
		f.architecture(architecture)
	}
	if f.rules == nil && f.notes == nil {
		f.note("the preference requires nothing")
	}
	return f.rules, f.notes, nil
}

// A rulesFor holds rules that say what a preference requires.
type rulesFor struct {
	rules []vmrules.Rule
	notes []note
}

func (f *rulesFor) note(format string, args ...any) {
	f.notes = append(f.notes, note{text: fmt.Sprintf(format, args...)})
}

func (f *rulesFor) memory(guest any) {
	r, ok := f.least(requirements[0].path, "memory", guest)
	if !ok {
		return
	}
	r.Message = fmt.Sprintf("This guest needs %v or more of memory.", guest)
	if isEnough("0", r) {
		f.note("requirements.memory: every VM has %v, but a rule would also require that the VM sets its memory", guest)
		return
	}
	f.rules = append(f.rules, r)
}

func (f *rulesFor) cpu(guest any, topology string) {
	i := slices.IndexFunc(requirements, func(q requirement) bool { return q.topology != "" && q.topology == levels[topology] })
	if i < 0 {
		f.note("requirements.cpu: with the topology %q, KubeVirt does not count sockets, cores or threads alone, "+
			"but a rule judges one field", topology)
		return
	}
	q := requirements[i]
	if r, ok := f.least(q.path, q.topology, guest); ok {
		r.Message = fmt.Sprintf("This guest needs %v or more %s.", guest, q.topology)
		f.rules = append(f.rules, r)
	}
}

// least returns a rule that requires a least amount.
func (f *rulesFor) least(path vmrules.Path, of string, amount any) (vmrules.Rule, bool) {
	min, ok := f.literal(amount)
	return vmrules.Rule{Kind: vmrules.KindInteger, Name: "minimal-required-" + of, Path: path, Min: min}, ok
}

func (f *rulesFor) architecture(name string) {
	if only, ok := f.literal(name); ok {
		f.rules = append(f.rules, vmrules.Rule{
			Kind: vmrules.KindEnum, Name: "required-architecture", Path: architecturePath, Values: []vmrules.Argument{only},
			Message: fmt.Sprintf("This guest needs the architecture %q.", name),
		})
	}
}

// literal returns an argument, unless a rule would read it as a path.
func (f *rulesFor) literal(v any) (vmrules.Argument, bool) {
	a, err := vmrules.NewArgument(v)
	if _, isLiteral := a.Literal(); err == nil && isLiteral {
		return a, true
	}
	f.note("requirements: %q cannot be an argument of a rule", fmt.Sprint(v))
	return a, false
}

// objectIn returns an object in another; nil if it is missing.
func objectIn(object map[string]any, name string) map[string]any {
	in, _ := object[name].(map[string]any)
	return in
}
