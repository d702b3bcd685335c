// Package instancetypes keeps the instance types and preferences that were read, and finds
// those that a VM names.
package instancetypes

import (
	"cmp"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/instancetype"
)

// A Set holds instance types and preferences. Once all are added, it is safe for concurrent
// use. The zero Set is empty.
type Set struct {
	entries map[key]*entry
	// Warnings says what is wrong with objects in the Set, in the order in which they
	// were added.
	Warnings []*manifest.Error
}

// A key identifies an object in a cluster. The namespace is "" for a cluster-wide kind.
type key struct{ kind, namespace, name string }

type entry struct {
	object map[string]any
	at     token.Position
	err    error // that another object has the same key
}

func errorAt(at token.Position, format string, args ...any) *manifest.Error {
	return &manifest.Error{File: at.Filename, Line: at.Line, Column: min(at.Line, 1), Message: fmt.Sprintf(format, args...)}
}

// Group is the API group of the objects that a Set holds.
const Group = "instancetype.kubevirt.io"

// Holds reports whether a Set holds objects of a kind.
func Holds(kind string) bool {
	_, known := instancetype.IsNamespaced(kind)
	return known
}

// IsMember reports whether a Set holds an object: an instance type or a preference.
func IsMember(object map[string]any) bool {
	version := manifest.TextAt(object, "apiVersion")
	return Holds(manifest.TextAt(object, "kind")) && (version == "" || strings.HasPrefix(version, Group+"/"))
}

// AddObject is Add for an object in a file.
func (s *Set) AddObject(o manifest.Object) error {
	if !Holds(o.Kind) {
		return nil
	}
	return s.Add(o.Content(), token.Position{Filename: o.File.Name, Line: o.Line})
}

// Add adds an object if it is an instance type or a preference. The line of its place is 0 if that is not
// known. Add returns an error if the Set already holds the object with another spec. VMs that name it are then
// not expanded, because it is not known which of the two is meant. The error is a *manifest.Error.
func (s *Set) Add(object map[string]any, at token.Position) error {
	if !IsMember(object) {
		return nil
	}
	k := key{manifest.TextAt(object, "kind"), "", manifest.TextAt(object, "metadata", "name")}
	if namespaced, _ := instancetype.IsNamespaced(k.kind); namespaced {
		k.namespace = manifest.TextAt(object, "metadata", "namespace")
	}
	if s.entries == nil {
		s.entries = map[key]*entry{}
	}
	known := s.entries[k]
	switch {
	case known == nil:
		s.entries[k] = &entry{object: object, at: at}
		if warning := warningAbout(k, object, at); warning != nil {
			s.Warnings = append(s.Warnings, warning)
		}
		return nil
	case reflect.DeepEqual(known.object["spec"], object["spec"]):
		return nil
	}
	known.err = fmt.Errorf("the %s at %s and at %s have different specs", k, known.at, at)
	return errorAt(at, "the %s has another spec than at %s: keep one of the two", k, known.at)
}

// warningAbout returns that no VM can use an object, or that the object has unknown fields; nil for neither.
func warningAbout(k key, object map[string]any, at token.Position) *manifest.Error {
	if k.name == "" {
		return errorAt(at, "the %s has no metadata.name: add one, by which VMs can name it", k.kind)
	}
	given, preferred := object, map[string]any(nil)
	if strings.HasSuffix(k.kind, "Preference") {
		given, preferred = nil, object
	}
	expanded, err := instancetype.Expand(plainVM, given, preferred)
	switch {
	case err != nil:
		return errorAt(at, "the %s cannot be used: %v", k, err)
	case len(expanded.Ignored) > 0:
		return errorAt(at, "the %s has unknown fields, which have no effect: correct or remove %s", k, output.Short(strings.Join(expanded.Ignored, ", ")))
	}
	return nil
}

// plainVM is a VM that any instance type or preference without mistakes can expand.
var plainVM = map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
	"domain": map[string]any{"cpu": map[string]any{}},
}}}}

func (k key) String() string {
	return k.kind + " " + manifest.FullName(k.namespace, k.name)
}

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

// Option returns the option to validate VMs as KubeVirt expands them.
func (l *Lookup) Option() vmrules.ValidateOption { return vmrules.WithInstancetypes(l.Find) }

// Find returns the instance type and the preference that a VM names; nil for one that the VM
// does not name or the Set does not hold, which is an error.
func (l *Lookup) Find(vm map[string]any) (given, preferred map[string]any, err error) {
	named, preference := instancetype.NamesOf(vm)
	given, err = l.find(named)
	preferred, other := l.find(preference)
	return given, preferred, cmp.Or(err, other)
}

func (l *Lookup) find(n *instancetype.Named) (map[string]any, error) {
	if n == nil {
		return nil, nil
	}
	if n.Name == "" {
		add(&l.NotFound, n.String())
		return nil, nil
	}
	k := key{kind: n.Kind, name: n.Name}
	if namespaced, _ := instancetype.IsNamespaced(n.Kind); namespaced {
		k.namespace = cmp.Or(n.Namespace, l.namespace)
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
