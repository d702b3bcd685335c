package admission

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
)

// A cluster is what a reader of controller-runtime reads. Nobody changes what it returns, so a cache need not
// copy it: that would take more than a review.
type cluster struct {
	reader client.Reader
	said   sync.Map // of schema.GroupKind: those that say has named
}

// say writes to the log, once, that objects of a kind count as missing.
func (c *cluster) say(ctx context.Context, kind schema.GroupKind, why error) {
	if _, isSaid := c.said.LoadOrStore(kind, true); !isSaid {
		log.FromContext(ctx).Info("Objects of a kind count as missing", "kind", kind.String(), "reason", why.Error())
	}
}

func (c *cluster) Get(
	ctx context.Context, kind schema.GroupVersionKind, namespace, name string, isCached bool,
) (map[string]any, error) {
	read := c.reader.Get
	if isCached {
		r, ok := c.reader.(*cachedReader)
		if !ok {
			return nil, nil
		}
		read = r.known
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	err := read(ctx, client.ObjectKey{Namespace: namespace, Name: name}, object, client.UnsafeDisableDeepCopy)
	switch {
	case err == nil:
		return object.Object, nil
	case meta.IsNoMatchError(err):
		return nil, review.ErrNoKind
	case apierrors.IsForbidden(err):
		c.say(ctx, kind.GroupKind(), err)
		return nil, review.DeniedError{Err: err}
	}
	return nil, client.IgnoreNotFound(err)
}

func (c *cluster) VMs(ctx context.Context, label string) (vms []metav1.PartialObjectMetadata, err error) {
	selector := labels.Everything()
	if label != "" {
		selector, err = labels.ValidatedSelectorFromSet(labels.Set{vmrules.TemplateLabel: label})
	}
	if err != nil {
		return nil, nil // no VM can have this label
	}
	var list metav1.PartialObjectMetadataList
	list.SetGroupVersionKind(review.VMKind.GroupVersion().WithKind(review.VMKind.Kind + "List"))
	err = c.reader.List(ctx, &list, client.MatchingLabelsSelector{Selector: selector}, client.UnsafeDisableDeepCopy)
	if meta.IsNoMatchError(err) {
		return nil, nil // so there are none
	}
	return list.Items, err
}
