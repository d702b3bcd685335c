package instancetypes

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/instancetype"
)

// A Lookup finds what VMs name in a Set, and keeps what it found. It is not safe for
// concurrent use.
type Lookup struct {
	set       *Set
	namespace string // of VMs that have none of their own

	// Found and NotFound name the objects that the VMs name, each once.
	Found, NotFound []string
}

// For returns a Lookup for the VMs in an object of a kind and namespace.
func (s *Set) For(kind, namespace string) *Lookup {
	l := &Lookup{set: s}
	if kind == "VirtualMachinePool" { // it makes VMs in its own namespace
		l.namespace = namespace
	}
	return l
}

// Option returns the option to judge VMs as KubeVirt expands them.
func (l *Lookup) Option() vmrules.ValidateOption { return vmrules.WithInstancetypes(l.Find) }

// Find returns the instance type and the preference that a VM names; nil for one that the VM
// does not name or the Set does not hold, which is an error.
func (l *Lookup) Find(vm map[string]any) (given, preferred map[string]any, err error) {
	named, preference := instancetype.NamesOf(vm)
	namespace := cmp.Or(manifest.TextAt(vm, "metadata", "namespace"), l.namespace)
	given, err = l.find(named, namespace)
	preferred, other := l.find(preference, namespace)
	return given, preferred, cmp.Or(err, other)
}

func (l *Lookup) find(n *instancetype.Named, namespace string) (map[string]any, error) {
	if n == nil {
		return nil, nil
	}
	if n.Name == "" {
		add(&l.NotFound, n.String())
		return nil, nil
	}
	k := key{kind: n.Kind, name: n.Name}
	if namespaced, _ := instancetype.IsNamespaced(n.Kind); namespaced {
		k.namespace = namespace
	}
	known := l.set.entries[k]
	switch {
	case known == nil:
		add(&l.NotFound, k.String())
		return nil, fmt.Errorf("the %s was not found", k)
	case known.err != nil:
		return nil, known.err
	}
	add(&l.Found, k.String())
	return known.object, nil
}

func add(to *[]string, name string) {
	if !slices.Contains(*to, name) {
		*to = append(*to, name)
	}
}
