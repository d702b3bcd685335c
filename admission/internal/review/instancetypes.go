package review

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/instancetype"
)

// RevisionLabel is the label of a ControllerRevision with the name of the object inside.
const RevisionLabel = "instancetype.kubevirt.io/object-name"

// A lookup has the instance types and preferences that the VMs of a request name.
type lookup struct {
	*finder
	namespace string
	hasStatus bool                         // the API server keeps the status of the VMs
	known     map[reference]map[string]any // nil for one that does not exist
}

// newLookup returns a lookup for a request. A user cannot write the status of a VM by an
// update. In any other object, a user could.
func newLookup(f *finder, q *Request) *lookup {
	isUpdatedVM := q.Operation == "UPDATE" && q.Kind.Kind == "VirtualMachine"
	return &lookup{f, q.Namespace, isUpdatedVM, map[reference]map[string]any{}}
}

// A reference is an instance type or preference as a VM names it.
type reference struct {
	kind, name       string // the name is "" if it is in a volume
	revision         string // from the VM's spec, which always counts
	revisionInStatus string // which counts if it is of the object with the name
}

// referencesIn returns what a VM names; nil for what it does not name.
func (l *lookup) referencesIn(vm map[string]any) (it, preference *reference) {
	named, preferred := instancetype.NamesOf(vm)
	return l.referenceTo(vm, named, "instancetype"), l.referenceTo(vm, preferred, "preference")
}

func (l *lookup) referenceTo(vm map[string]any, n *instancetype.Named, class string) *reference {
	if n == nil {
		return nil
	}
	r := &reference{kind: n.Kind, name: n.Name, revision: TextAt(vm, "spec", class, "revisionName")}
	if l.hasStatus {
		r.revisionInStatus = TextAt(vm, "status", class+"Ref", "controllerRevisionRef", "name")
	}
	return r
}

// read reads what a VM names.
func (l *lookup) read(ctx context.Context, vm map[string]any) error {
	it, preference := l.referencesIn(vm)
	for _, r := range []*reference{it, preference} {
		if r == nil {
			continue
		}
		if _, done := l.known[*r]; done {
			continue
		}
		object, err := l.object(ctx, *r)
		if err != nil {
			return err
		}
		l.known[*r] = object
	}
	return nil
}

// object returns an object as it was when the VM first used it or, if the VM does not say
// which revision that is, as it is now.
func (l *lookup) object(ctx context.Context, r reference) (map[string]any, error) {
	namespaced, known := instancetype.IsNamespaced(r.kind)
	if !known || r.name == "" {
		return nil, nil
	}
	if r.revision != "" {
		revision, err := l.get(ctx, RevisionKind.GroupKind(), l.namespace, r.revision)
		return l.inRevision(r, revision), err
	}
	if r.revisionInStatus != "" {
		revision, err := l.get(ctx, RevisionKind.GroupKind(), l.namespace, r.revisionInStatus)
		if err != nil {
			return nil, err
		}
		if TextAt(revision, "metadata", "labels", RevisionLabel) == r.name {
			return l.inRevision(r, revision), nil
		}
	}
	namespace := ""
	if namespaced {
		namespace = l.namespace
	}
	return l.get(ctx, schema.GroupKind{Group: GroupInstancetype, Kind: r.kind}, namespace, r.name)
}

// RevisionKind is the kind of revisions of instance types and preferences.
var RevisionKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}

// inRevision returns the object inside a ControllerRevision; nil if there is no revision.
// KubeVirt does not compare the name inside with that of the VM, so the object gets the
// latter.
func (l *lookup) inRevision(r reference, revision map[string]any) map[string]any {
	if revision == nil {
		return nil
	}
	data, _ := revision["data"].(map[string]any)
	kind, _ := data["kind"].(string)
	if kind == "" || isPreference(kind) == isPreference(r.kind) {
		kind = r.kind
	}
	spec := data["spec"]
	if text, ok := spec.(string); ok { // as KubeVirt wrote it in v1alpha1
		spec = decoded(text)
	}
	return map[string]any{
		"apiVersion": GroupInstancetype + "/v1beta1",
		"kind":       kind,
		"metadata":   map[string]any{"name": r.name},
		"spec":       spec,
	}
}

func isPreference(kind string) bool { return strings.HasSuffix(kind, "Preference") }

// decoded returns the object in a text of base64; nil if there is none.
func decoded(text string) any {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	object, err := vmrules.ParseObject(raw)
	if err != nil {
		return nil
	}
	return object
}

// find returns what a VM names, of what was read. The error says what was not found first. It is
// for vmrules.WithInstancetypes.
func (l *lookup) find(vm map[string]any) (it, preference map[string]any, err error) {
	named, preferred := l.referencesIn(vm)
	it, noIt := l.found(named)
	preference, noPreference := l.found(preferred)
	return it, preference, cmp.Or(noIt, noPreference)
}

// found returns an object that was read. The error says what was not found.
func (l *lookup) found(r *reference) (map[string]any, error) {
	if r == nil {
		return nil, nil
	}
	namespaced, isKnown := instancetype.IsNamespaced(r.kind)
	namespace := ""
	if namespaced {
		namespace = l.namespace
	}
	name := Shorten(r.name, MaxName)
	switch {
	case l.known[*r] != nil:
		return l.known[*r], nil
	case !isKnown:
		return nil, fmt.Errorf("%s is not a kind of instance types or preferences", Shorten(r.kind, MaxName))
	case r.name == "":
		return nil, fmt.Errorf("the name of the %s is in a volume, which is not read", r.kind)
	case r.revision != "":
		return nil, fmt.Errorf("the ControllerRevision %s of the %s %s was not found in the namespace %s", Shorten(r.revision, MaxName), r.kind, name, l.namespace)
	}
	return nil, fmt.Errorf("the %s %s was not found", r.kind, join(namespace, name))
}

// lacks reports whether a doubt about a VM may come from an object that was not found. If all
// were found, the VM conflicts with its instance type, or KubeVirt cannot use an object.
func (l *lookup) lacks(vm map[string]any, d vmrules.Doubt) bool {
	named, preferred := l.referencesIn(vm)
	_, noIt := l.found(named)
	_, noPreference := l.found(preferred)
	return noIt != nil || d == vmrules.DoubtPreference && noPreference != nil
}
