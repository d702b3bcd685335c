package admission

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// versions lists the versions of the groups that are read. The first that the cluster serves
// counts.
var versions = map[string][]string{
	groupOpenShiftTemplate: {"v1"},
	groupKubeVirtTemplate:  {"v1beta1", "v1alpha1", "v1"},
	groupInstancetype:      {"v1beta1", "v1"},
	"apps":                 {"v1"},
}

// absence is how long a kind that the cluster does not have is not asked for again. Each
// question is a request for the API server's list of kinds.
const absence = 30 * time.Second

// A finder reads objects of a cluster. It is safe for concurrent use.
type finder struct {
	reader client.Reader
	absent sync.Map // of schema.GroupVersionKind: time.Time until which it counts as absent
}

// get returns an object; nil if it does not exist, or if the cluster does not have its kind.
// Any other failure is an error.
func (f *finder) get(ctx context.Context, kind schema.GroupKind, namespace, name string) (map[string]any, error) {
	if !canExist(namespace, name) {
		return nil, nil
	}
	for _, version := range versions[kind.Group] {
		gvk := kind.WithVersion(version)
		if f.isAbsent(gvk) {
			continue
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(gvk)
		err := f.reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, object)
		switch {
		case err == nil:
			return object.Object, nil
		case meta.IsNoMatchError(err):
			f.absent.Store(gvk, time.Now().Add(absence))
		case apierrors.IsNotFound(err):
			return nil, nil
		default:
			return nil, fmt.Errorf("reading the %s %s: %w", kind.Kind, join(namespace, name), err)
		}
	}
	return nil, nil
}

func (f *finder) isAbsent(gvk schema.GroupVersionKind) bool {
	until, ok := f.absent.Load(gvk)
	return ok && time.Now().Before(until.(time.Time))
}

// canExist reports whether an object can have a namespace and a name. A user writes both, and
// a request for any other name would fail.
func canExist(namespace, name string) bool {
	return len(validation.IsDNS1123Subdomain(name)) == 0 &&
		(namespace == "" || len(validation.IsDNS1123Label(namespace)) == 0)
}

// join returns a namespace and a name as people write them.
func join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
