package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/vmrules/vmrules/admission/internal/reports"
	"github.com/vmrules/vmrules/admission/internal/review"
)

// Path is where a manager of NewManager serves reviews.
const Path = "/validate"

// NewManager returns a manager whose WebhookServer serves reviews at Path. It reads templates,
// instance types and preferences, and the metadata of VMs if templates are protected, from the
// cache of the manager. What is not there, such as a template that was created just before its VM,
// and ControllerRevisions, of which a cluster has many, it reads from the API server.
//
// The manager is ready when the server listens, the API server grants all rights to read, and the cache
// has read everything. Until then, reviews read from the API server. When it is told to stop, it still
// decides about what it has been asked.
//
// With WithReports, it also keeps reports. Replicas elect the one that writes them, whatever the
// options say about LeaderElection: reviews do not depend on it.
func NewManager(kube *rest.Config, o manager.Options, opts ...Option) (manager.Manager, error) {
	kube = rest.CopyConfig(kube)
	if kube.QPS == 0 {
		kube.QPS, kube.Burst = 100, 200 // a review may read several objects
	}
	if o.Cache.DefaultTransform == nil {
		o.Cache.DefaultTransform = reports.Strip
	}
	m, err := manager.New(kube, o)
	if err != nil {
		return nil, err
	}
	live, err := client.NewWithWatch(kube, client.Options{HTTPClient: m.GetHTTPClient(), Scheme: m.GetScheme(), Mapper: m.GetRESTMapper()})
	if err != nil {
		return nil, err
	}
	reader := cachedReader{m.GetCache(), live}
	r, err := New(reader, opts...)
	if err != nil {
		return nil, err
	}
	server := m.GetWebhookServer() // the call has the manager start it
	handler := &lastingHandler{Handler: r}
	server.Register(Path, handler)
	err = errors.Join(m.Add(handler), m.AddHealthzCheck("alive", healthz.Ping), m.AddReadyzCheck("serving", server.StartedChecker()))
	for _, versions := range review.Kinds() {
		if kind := versions[0].GroupKind(); kind != review.VMKind.GroupKind() || r.reviewer.ProtectTemplates || r.reports != nil {
			err = errors.Join(err, m.AddReadyzCheck(kind.String(), reader.checkOf(versions)))
		}
	}
	if r.reports != nil {
		err = errors.Join(err, reports.Add(m, kube, r.reviewer, r.reports.Rate, r.reports.LeaseNamespace))
	}
	return m, err
}

// A cachedReader reads from a cache what the cache has read, and asks the API server for anything
// else. It never waits for the cache. It is safe for concurrent use.
type cachedReader struct {
	cache cache.Cache
	live  client.WithWatch
}

func (r cachedReader) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	reader, err := r.readerOf(ctx, into.GetObjectKind().GroupVersionKind())
	if err == nil {
		err = reader.Get(ctx, key, into, opts...)
	}
	if apierrors.IsNotFound(err) {
		err = r.live.Get(ctx, key, into, opts...)
	}
	return err
}

func (r cachedReader) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	reader, err := r.readerOf(ctx, review.VMKind)
	if err == nil {
		err = reader.List(ctx, into, opts...)
	}
	return err
}

// isCached reports whether a kind is watched. A cluster has many ControllerRevisions.
func isCached(kind schema.GroupVersionKind) bool { return kind.Group != "apps" }

func (r cachedReader) readerOf(ctx context.Context, kind schema.GroupVersionKind) (client.Reader, error) {
	if !isCached(kind) {
		return r.live, nil
	}
	synced, err := r.hasSynced(ctx, kind)
	if synced {
		return r.cache, nil
	}
	return r.live, err
}

// hasSynced reports whether the cache has read all objects of a kind, or the metadata of all VMs.
// It has the cache begin to.
func (r cachedReader) hasSynced(ctx context.Context, kind schema.GroupVersionKind) (bool, error) {
	var o client.Object = &unstructured.Unstructured{}
	if kind == review.VMKind {
		o = &metav1.PartialObjectMetadata{}
	}
	o.GetObjectKind().SetGroupVersionKind(kind)
	informer, err := r.cache.GetInformer(ctx, o, cache.BlockUntilSynced(false))
	return err == nil && informer.HasSynced(), err
}

// checkOf returns a check that has the cache read the objects of a kind, in the first version that
// the cluster has, and fails until it has. It succeeds if the cluster has none.
func (r cachedReader) checkOf(versions []schema.GroupVersionKind) healthz.Checker {
	var succeeded atomic.Bool
	return func(req *http.Request) error {
		for _, kind := range versions {
			if succeeded.Load() {
				return nil
			}
			err := r.has(req.Context(), kind)
			if err == nil {
				break
			}
			if !meta.IsNoMatchError(err) {
				log.Log.WithName("admission").Info("Not ready", "reason", err.Error())
				return err
			}
		}
		succeeded.Store(true)
		return nil
	}
}

// has returns why the objects of a kind cannot be read, or are not in the cache yet; nil if they are.
func (r cachedReader) has(ctx context.Context, kind schema.GroupVersionKind) error {
	synced, err := true, error(nil)
	if isCached(kind) {
		synced, err = r.hasSynced(ctx, kind)
	}
	if err == nil {
		err = r.canRead(ctx, kind)
	}
	if err == nil && !synced {
		err = errors.New("the cache has not read it yet")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", kind.GroupKind(), err)
	}
	return nil
}

// canRead reads objects of a kind as a Reviewer and the cache do. The error of an API server says which
// right is missing; a cache would go on without news.
func (r cachedReader) canRead(ctx context.Context, kind schema.GroupVersionKind) error {
	if kind != review.VMKind { // of which the metadata is listed
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(kind)
		if err := r.live.Get(ctx, client.ObjectKey{Namespace: "default", Name: "any"}, o); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	if !isCached(kind) {
		return nil
	}
	var some metav1.PartialObjectMetadataList
	some.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := r.live.List(ctx, &some, client.Limit(1)); err != nil {
		return err
	}
	news, err := r.live.Watch(ctx, &some)
	if err == nil {
		news.Stop()
	}
	return err
}
