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

// A reference is an instance type or preference as a VM names it. The zero reference is to nothing.
type reference struct {
	kind, name       string // the name is "" if it is in a volume
	revision         string // from the VM's spec, which always counts
	revisionInStatus string // which counts if it is of the object with the name
}

// A finding is an object, or why there is none.
type finding struct {
	object  map[string]any
	missing error
}

func (j *judging) referencesIn(vm map[string]any) (it, preference reference) {
	named, preferred := instancetype.NamesOf(vm)
	return j.referenceTo(vm, named, "instancetype"), j.referenceTo(vm, preferred, "preference")
}

// referenceTo returns a reference. A user cannot write the status of a VM by an update. In any other
// object, a user could.
func (j *judging) referenceTo(vm map[string]any, n *instancetype.Named, class string) (r reference) {
	if n == nil {
		return r
	}
	r = reference{kind: n.Kind, name: n.Name, revision: TextAt(vm, "spec", class, "revisionName")}
	if j.q.Operation == "UPDATE" && j.q.Kind.Kind == VMKind.Kind {
		r.revisionInStatus = TextAt(vm, "status", class+"Ref", "controllerRevisionRef", "name")
	}
	return r
}

// findInstancetype finds what a VM names. The error says what was not found. It is for
// vmrules.WithInstancetypes.
func (j *judging) findInstancetype(vm map[string]any) (it, preference map[string]any, err error) {
	named, preferred := j.referencesIn(vm)
	j.outside(func(ctx context.Context) {
		j.failed = cmp.Or(j.failed, j.read(ctx, named), j.read(ctx, preferred))
	})
	n, p := j.known[named], j.known[preferred]
	if n.missing != nil && p.missing != nil {
		return nil, nil, fmt.Errorf("%w, and %w", n.missing, p.missing)
	}
	return n.object, p.object, cmp.Or(n.missing, p.missing)
}

// lacks reports whether a doubt may come from an object that the VM names and that was not found, or that a function
// of the caller looked for. If all were found, KubeVirt cannot use one.
func (j *judging) lacks(d vmrules.Doubt) bool {
	named, preferred := j.referencesIn(partOf(j.q.Object, vmPlaces[j.q.Kind.GroupKind()]...))
	return len(j.known) == 0 || j.known[named].missing != nil || d == vmrules.DoubtPreference && j.known[preferred].missing != nil
}

func (j *judging) read(ctx context.Context, r reference) error {
	if _, done := j.known[r]; done || r == (reference{}) {
		return nil
	}
	object, missing, err := j.object(ctx, r)
	if object != nil {
		missing = nil
	}
	j.known[r] = finding{object, missing}
	return err
}

// object returns an object as it was when the VM first used it or, if the VM does not say
// which revision that is, as it is now; and what to say if it is not there.
func (j *judging) object(ctx context.Context, r reference) (object map[string]any, missing, err error) {
	kind, name, namespace := Shorten(r.kind, MaxName), Shorten(r.name, MaxName), ""
	isNamespaced, isKnown := instancetype.IsNamespaced(r.kind)
	if isNamespaced {
		namespace = j.q.Namespace
	}
	switch {
	case !isKnown:
		return nil, fmt.Errorf("%s is not a kind of instance types or preferences", kind), nil
	case r.name == "":
		return nil, fmt.Errorf("the name of the %s is in a volume, which is not read", kind), nil
	case r.revision != "":
		missing = fmt.Errorf("the ControllerRevision %s of the %s %s was not found in the namespace %s", Shorten(r.revision, MaxName), kind, name, j.q.Namespace)
		object, err = j.inRevision(ctx, r, r.revision, "")
		return object, missing, err
	case r.revisionInStatus != "":
		object, err = j.inRevision(ctx, r, r.revisionInStatus, r.name)
	}
	if object == nil && err == nil {
		object, err = present(j.get(ctx, schema.GroupKind{Group: GroupInstancetype, Kind: r.kind}, namespace, r.name, false))
	}
	return object, fmt.Errorf("the %s %s was not found", kind, join(namespace, name)), err
}

// RevisionKind is the kind of revisions of instance types and preferences.
var RevisionKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}

// inRevision returns the object inside a ControllerRevision; nil if there is no revision, or if it has the label
// of an object with another name than the one that is given. KubeVirt does not compare the name inside with that
// of the VM, so the object gets the latter.
func (j *judging) inRevision(ctx context.Context, r reference, name, label string) (map[string]any, error) {
	revision, err := present(j.get(ctx, RevisionKind.GroupKind(), j.q.Namespace, name, false))
	if revision == nil || label != "" && TextAt(revision, "metadata", "labels", RevisionLabel) != label {
		return nil, err
	}
	data, _ := revision["data"].(map[string]any)
	kind, _ := data["kind"].(string)
	if kind == "" || isPreference(kind) == isPreference(r.kind) {
		kind = r.kind
	}
	spec := data["spec"]
	if text, ok := spec.(string); ok { // base64, as KubeVirt wrote it in v1alpha1
		raw, wrong := base64.StdEncoding.DecodeString(text)
		if spec, err = vmrules.ParseObject(raw); cmp.Or(wrong, err) != nil {
			spec = nil
		}
	}
	return map[string]any{
		"apiVersion": GroupInstancetype + "/v1beta1",
		"kind":       kind,
		"metadata":   map[string]any{"name": r.name},
		"spec":       spec,
	}, nil
}

func isPreference(kind string) bool { return strings.HasSuffix(kind, "Preference") }
