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

// A reference is an instance type or preference as a VM names it.
type reference struct {
	kind, name       string // the name is "" if it is in a volume
	revision         string // from the VM's spec, which always counts
	revisionInStatus string // which counts if it is of the object with the name
}

// referencesIn returns what a VM names; nil for what it does not name.
func (j *judging) referencesIn(vm map[string]any) (it, preference *reference) {
	named, preferred := instancetype.NamesOf(vm)
	return j.referenceTo(vm, named, "instancetype"), j.referenceTo(vm, preferred, "preference")
}

// referenceTo returns a reference. A user cannot write the status of a VM by an update. In any other
// object, a user could.
func (j *judging) referenceTo(vm map[string]any, n *instancetype.Named, class string) *reference {
	if n == nil {
		return nil
	}
	r := &reference{kind: n.Kind, name: n.Name, revision: TextAt(vm, "spec", class, "revisionName")}
	if j.q.Operation == "UPDATE" && j.q.Kind.Kind == VMKind.Kind {
		r.revisionInStatus = TextAt(vm, "status", class+"Ref", "controllerRevisionRef", "name")
	}
	return r
}

// findInstancetype finds what a VM names. The error says what was not found first. It is for
// vmrules.WithInstancetypes.
func (j *judging) findInstancetype(vm map[string]any) (it, preference map[string]any, err error) {
	named, preferred := j.referencesIn(vm)
	j.outside(func(ctx context.Context) {
		j.failed = cmp.Or(j.failed, j.read(ctx, named), j.read(ctx, preferred))
	})
	it, noIt := j.found(named)
	preference, noPreference := j.found(preferred)
	return it, preference, cmp.Or(noIt, noPreference)
}

// read reads what a VM names, unless that was read.
func (j *judging) read(ctx context.Context, r *reference) (err error) {
	if r == nil {
		return nil
	}
	if _, done := j.known[*r]; !done {
		j.known[*r], err = j.object(ctx, *r)
	}
	return err
}

// object returns an object as it was when the VM first used it or, if the VM does not say
// which revision that is, as it is now.
func (j *judging) object(ctx context.Context, r reference) (map[string]any, error) {
	namespaced, known := instancetype.IsNamespaced(r.kind)
	if !known || r.name == "" {
		return nil, nil
	}
	if r.revision != "" {
		revision, err := present(j.get(ctx, RevisionKind.GroupKind(), j.q.Namespace, r.revision))
		return j.inRevision(r, revision), err
	}
	if r.revisionInStatus != "" {
		revision, err := present(j.get(ctx, RevisionKind.GroupKind(), j.q.Namespace, r.revisionInStatus))
		if err != nil {
			return nil, err
		}
		if TextAt(revision, "metadata", "labels", RevisionLabel) == r.name {
			return j.inRevision(r, revision), nil
		}
	}
	namespace := ""
	if namespaced {
		namespace = j.q.Namespace
	}
	return present(j.get(ctx, schema.GroupKind{Group: GroupInstancetype, Kind: r.kind}, namespace, r.name))
}

// RevisionKind is the kind of revisions of instance types and preferences.
var RevisionKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}

// inRevision returns the object inside a ControllerRevision; nil if there is no revision.
// KubeVirt does not compare the name inside with that of the VM, so the object gets the
// latter.
func (j *judging) inRevision(r reference, revision map[string]any) map[string]any {
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

// found returns an object that was read. The error says what was not found.
func (j *judging) found(r *reference) (map[string]any, error) {
	if r == nil {
		return nil, nil
	}
	namespaced, isKnown := instancetype.IsNamespaced(r.kind)
	namespace := ""
	if namespaced {
		namespace = j.q.Namespace
	}
	name := Shorten(r.name, MaxName)
	switch {
	case j.known[*r] != nil:
		return j.known[*r], nil
	case !isKnown:
		return nil, fmt.Errorf("%s is not a kind of instance types or preferences", Shorten(r.kind, MaxName))
	case r.name == "":
		return nil, fmt.Errorf("the name of the %s is in a volume, which is not read", r.kind)
	case r.revision != "":
		return nil, fmt.Errorf("the ControllerRevision %s of the %s %s was not found in the namespace %s", Shorten(r.revision, MaxName), r.kind, name, j.q.Namespace)
	}
	return nil, fmt.Errorf("the %s %s was not found", r.kind, join(namespace, name))
}

// lacks reports whether a doubt may come from an object that the VM names and that was not found. If all were
// found, KubeVirt cannot use one.
func (j *judging) lacks(d vmrules.Doubt) bool {
	named, preferred := j.referencesIn(j.q.vmIn(j.q.Object))
	_, noIt := j.found(named)
	_, noPreference := j.found(preferred)
	return noIt != nil || d == vmrules.DoubtPreference && noPreference != nil
}
