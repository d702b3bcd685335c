package instancetype

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/expand"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Named is an instance type or a preference as a VM names it.
type Named struct {
	// Kind is the kind of the object, such as "VirtualMachineClusterInstancetype", which is
	// also what a VM means that names no kind. A kind that KubeVirt does not know is as the
	// VM writes it.
	Kind string
	// Name is "" if the VM does not give it: with Inferred, KubeVirt finds the name in a
	// volume of the VM.
	Name     string
	Inferred bool
	// Namespace is that of the VM, if the kind has namespaces. It is "" if the VM does not
	// give it.
	Namespace string
}

// NamesOf returns the instance type and the preference that a VirtualMachine names; nil for
// what it does not name.
func NamesOf(vm map[string]any) (instancetype, preference *Named) {
	return instancetypes.namedIn(vm), preferences.namedIn(vm)
}

func (c *class) namedIn(vm map[string]any) *Named {
	v := value.At(vm, "spec", c.name)
	if v == nil {
		return nil
	}
	n := &Named{
		Kind:     c.kindNamed(value.StringAt(v, "kind")),
		Name:     value.StringAt(v, "name"),
		Inferred: value.StringAt(v, "inferFromVolume") != "",
	}
	if n.Kind == c.kinds[0] {
		n.Namespace = value.StringAt(vm, "metadata", "namespace")
	}
	return n
}

// kindNamed returns the kind that a VM means by a text. KubeVirt also takes the names of
// resources, and does not distinguish upper and lower case.
func (c *class) kindNamed(text string) string {
	if text == "" {
		return c.kinds[1]
	}
	for _, kind := range c.kinds {
		if lower := strings.ToLower(text); lower == strings.ToLower(kind) || lower == strings.ToLower(kind)+"s" {
			return kind
		}
	}
	return text
}

// IsNamespaced reports whether the objects of a kind have a namespace. It returns false for known
// if the kind is not one of an instance type or a preference.
func IsNamespaced(kind string) (namespaced, known bool) {
	for _, c := range []*class{instancetypes, preferences} {
		if slices.Contains(c.kinds, kind) {
			return kind == c.kinds[0], true
		}
	}
	return false, false
}

// String returns the kind and the name, as messages show them.
func (n *Named) String() string {
	if n == nil {
		return "nothing"
	}
	text := strings.TrimSpace(n.Kind + " " + value.OneLine(value.Shortened(n.Name)))
	if n.Name == "" && n.Inferred {
		text += " that a volume names"
	}
	if n.Namespace != "" {
		text += " in the namespace " + value.OneLine(value.Shortened(n.Namespace))
	}
	return text
}

// Fits returns an error, which has no type of its own, if an object is not the one that is named, by its
// kind, its name and its namespace. What the object does not say fits. So does any name if KubeVirt finds the
// name in a volume, and any namespace if the VM gives none or the kind has none. No object fits
// nil.
func (n *Named) Fits(object map[string]any) error {
	if n == nil {
		return errors.New("the VM names nothing")
	}
	given := Named{
		Kind: value.StringAt(object, "kind"), Name: value.StringAt(object, "metadata", "name"),
		Namespace: value.StringAt(object, "metadata", "namespace"),
	}
	isInferred := n.Name == "" && n.Inferred
	switch {
	case given.Kind != "" && given.Kind != n.Kind,
		given.Name != "" && given.Name != n.Name && !isInferred,
		given.Namespace != "" && given.Namespace != n.Namespace && n.Namespace != "":
		return fmt.Errorf("the VM names the %s, and the %s is given", n, &given)
	}
	return nil
}

func init() { expand.Named = expandNamed }

// expandNamed is Expand, paid for from a Meter, for objects that may be missing, or may not be
// those that the VM names. Objects that the VM does not name do not count.
//
// If the instance type that the VM names is not known, there is an error, because it comes
// before the preference. If only the preference is not known, unknown says why, and the VM
// lacks what the preference may set. That includes cpu.sockets, cpu.cores and cpu.threads
// where they depend on it, although the instance type sets them.
func expandNamed(m *meter.Meter, vm, instancetype, preference map[string]any) (expanded *Expansion, unknown, err error) {
	named, preferred := NamesOf(vm)
	err, unknown = named.isKnown(instancetype), preferred.isKnown(preference)
	switch {
	case err != nil && unknown != nil:
		return nil, nil, fmt.Errorf("%w, and %w", err, unknown)
	case err != nil:
		return nil, nil, err
	}
	if named == nil {
		instancetype = nil
	}
	if preferred == nil || unknown != nil {
		preference = nil
	}
	expanded, err = expandFrom(m, vm, instancetype, preference)
	if err == nil && unknown != nil {
		expanded.dropTopology()
	}
	return expanded, unknown, err
}

// isKnown returns why an object is not the one that is named; nil if it is, or if none is
// named.
func (n *Named) isKnown(object map[string]any) error {
	switch {
	case n == nil:
		return nil
	case object == nil:
		return fmt.Errorf("the %s is not given", n)
	}
	return n.Fits(object)
}

// dropTopology removes the sockets, cores and threads that the instance type has set, unless
// there is one vCPU, because another preference might split the vCPUs in another way.
func (e *Expansion) dropTopology() {
	cpu, _ := value.At(e.VM, "spec", "template", "spec", "domain", "cpu").(map[string]any)
	if cpu["sockets"] == int64(1) { // without a preference, all vCPUs are sockets
		return
	}
	e.Origins = slices.DeleteFunc(e.Origins, func(o Origin) bool {
		name, ok := strings.CutPrefix(o.Pointer, "/spec/template/spec/domain/cpu/")
		isSplit := ok && (name == "sockets" || name == "cores" || name == "threads")
		if isSplit {
			delete(cpu, name)
		}
		return isSplit
	})
}
