package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Cluster is what a Reviewer reads. It is safe for concurrent use.
type Cluster interface {
	// Get returns an object, which nobody changes; nil if it does not exist. The error is
	// ErrNoKind if the cluster does not have the kind in this version, and a DeniedError if it
	// may not be read. If isCached, what a cache does not have counts as missing, without a request.
	Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string, isCached bool) (map[string]any, error)

	// VMs returns the VMs with a value of vmrules.TemplateLabel, or all VMs if the value is "". Nobody
	// changes them.
	VMs(ctx context.Context, label string) ([]metav1.PartialObjectMetadata, error)
}

// ErrNoKind says that a cluster does not have a kind.
var ErrNoKind = errors.New("the cluster does not have the kind")

// A DeniedError is an error because there is no right to read a kind.
type DeniedError struct{ Err error }

func (e DeniedError) Error() string { return e.Err.Error() }
func (e DeniedError) Unwrap() error { return e.Err }

// versions lists the versions of the groups that are read. The first that the cluster serves
// counts.
var versions = map[string][]string{
	groupOpenShiftTemplate: {"v1"},
	groupKubeVirtTemplate:  {"v1beta1", "v1alpha1", "v1"},
	GroupInstancetype:      {"v1beta1", "v1"},
	groupKubeVirt:          {"v1"},
	"apps":                 {"v1"},
}

// Kinds returns the kinds that a Reviewer reads, each in the versions that it tries in turn. Of VMs, it
// reads the metadata.
func Kinds() (all [][]schema.GroupVersionKind) {
	kinds := slices.Clip(templateKinds)
	for _, name := range []string{"Instancetype", "ClusterInstancetype", "Preference", "ClusterPreference"} {
		kinds = append(kinds, schema.GroupKind{Group: GroupInstancetype, Kind: "VirtualMachine" + name})
	}
	kinds = append(kinds, RevisionKind.GroupKind(), VMKind.GroupKind())
	for _, kind := range kinds {
		var inVersions []schema.GroupVersionKind
		for _, version := range versions[kind.Group] {
			inVersions = append(inVersions, kind.WithVersion(version))
		}
		all = append(all, inVersions)
	}
	return all
}

// Absence is how long a kind that the cluster does not have is not asked for again. Each
// question is a request for the API server's list of kinds.
const Absence = 30 * time.Second

// get returns an object; nil if it does not exist. The errors are those of a Cluster.
func (r *Reviewer) get(ctx context.Context, kind schema.GroupKind, namespace, name string, isCached bool) (map[string]any, error) {
	// A user writes both, and a request for any other name would fail.
	if len(content.IsDNS1123Subdomain(name)) > 0 || namespace != "" && len(content.IsDNS1123Label(namespace)) > 0 {
		return nil, nil
	}
	for _, version := range versions[kind.Group] {
		gvk := kind.WithVersion(version)
		if until, ok := r.absent.Load(gvk); ok && time.Now().Before(until.(time.Time)) {
			continue
		}
		object, err := r.cluster.Get(ctx, gvk, namespace, name, isCached)
		switch {
		case err == nil:
			return object, nil
		case errors.Is(err, ErrNoKind):
			r.absent.Store(gvk, time.Now().Add(Absence))
		default:
			return nil, fmt.Errorf("reading the %s %s: %w", kind.Kind, join(namespace, name), err)
		}
	}
	return nil, ErrNoKind
}

// present returns nil for an object whose kind is not there, or may not be read.
func present(object map[string]any, err error) (map[string]any, error) {
	if errors.As(err, &DeniedError{}) || errors.Is(err, ErrNoKind) {
		return nil, nil
	}
	return object, err
}

// join returns a namespace and a name as people write them.
func join(namespace, name string) string { return strings.TrimPrefix(namespace+"/"+name, "/") }

// TextAt returns the text at a place in an object; "" if there is none.
func TextAt(object map[string]any, path ...string) string {
	last := len(path) - 1
	text, _ := partOf(object, path[:last]...)[path[last]].(string)
	return text
}
