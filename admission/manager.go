package admission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
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

	"github.com/vmrules/vmrules/admission/internal/review"
)

// Path is where a manager of NewManager serves reviews.
const Path = "/validate"

// NewManager returns a manager whose WebhookServer serves reviews at Path. It reads templates,
// instance types and preferences, and the metadata of VMs if templates are protected, from the
// cache of the manager. What is not there, such as a template that was created just before its VM,
// and ControllerRevisions, of which a cluster has many, it reads from the API server.
//
// The manager is ready when the server listens, and the cache has read everything that the API server has
// and grants the right to read. At least one kind of templates has to be granted; other kinds that are not count
// as missing, which the log says once, and /readyz/ with the kind. Until the manager is ready, reviews
// read from the API server. When it is told to stop, it still
// decides about what it has been asked.
//
// With WithReports, it also keeps reports. Replicas elect the one that writes them, whatever the
// options say about LeaderElection: reviews do not depend on it.
//
// An error is one of controller-runtime or, if options are wrong, that of New, which has no type of its
// own.
func NewManager(kube *rest.Config, o manager.Options, opts ...Option) (manager.Manager, error) {
	kube = rest.CopyConfig(kube)
	if kube.QPS == 0 {
		kube.QPS, kube.Burst = 100, 200 // a review may read several objects
	}
	if o.Cache.DefaultTransform == nil {
		o.Cache.DefaultTransform = review.Strip
	}
	m, err := manager.New(kube, o)
	if err != nil {
		return nil, err
	}
	live, err := client.NewWithWatch(kube, client.Options{HTTPClient: m.GetHTTPClient(), Scheme: m.GetScheme(), Mapper: m.GetRESTMapper()})
	if err != nil {
		return nil, err
	}
	reader := &cachedReader{cache: m.GetCache(), live: live}
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
			err = errors.Join(err, m.AddReadyzCheck(kind.String(), reader.checkOf(versions, r.cluster)))
		}
	}
	if r.reports != nil {
		err = errors.Join(err, r.reports.Add(m, kube, r.reviewer))
	}
	return m, err
}

// A cachedReader reads from a cache what the cache has read, and asks the API server for anything
// else. It never waits for the cache. It is safe for concurrent use.
type cachedReader struct {
	cache   cache.Cache
	live    client.WithWatch
	watched sync.Map // of schema.GroupVersionKind: those that may be watched
}

func (r *cachedReader) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	err := r.known(ctx, key, into, opts...)
	if !apierrors.IsNotFound(err) {
		return err
	}
	if got := r.live.Get(ctx, key, into, opts...); !apierrors.IsForbidden(got) {
		return got
	}
	return err // the cache has read all of them
}

// known is Get, except that what the cache does not have is not found.
func (r *cachedReader) known(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	reader, err := r.readerOf(ctx, into.GetObjectKind().GroupVersionKind())
	if err == nil {
		err = reader.Get(ctx, key, into, opts...)
	}
	return err
}

func (r *cachedReader) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	reader, err := r.readerOf(ctx, review.VMKind)
	if err == nil {
		err = reader.List(ctx, into, opts...)
	}
	return err
}

// isCached reports whether a kind is watched. A cluster has many ControllerRevisions.
func isCached(kind schema.GroupVersionKind) bool { return kind.Group != "apps" }

func (r *cachedReader) readerOf(ctx context.Context, kind schema.GroupVersionKind) (client.Reader, error) {
	if !isCached(kind) {
		return r.live, nil
	}
	switch err := r.has(ctx, kind); {
	case err == nil:
		return r.cache, nil
	case meta.IsNoMatchError(err):
		return nil, err
	}
	return r.live, nil
}

// has returns why the objects of a kind, or the metadata of all VMs, cannot be read, or are not in the cache
// yet; nil if they are. It has the cache begin to read them, if that is allowed: a cache that is not allowed
// to would try again and again.
func (r *cachedReader) has(ctx context.Context, kind schema.GroupVersionKind) error {
	if _, ok := r.watched.Load(kind); !ok {
		if err := r.canRead(ctx, kind); err != nil {
			return err
		}
		r.watched.Store(kind, true)
	}
	if !isCached(kind) {
		return nil
	}
	var o client.Object = &unstructured.Unstructured{}
	if kind == review.VMKind {
		o = &metav1.PartialObjectMetadata{}
	}
	o.GetObjectKind().SetGroupVersionKind(kind)
	informer, err := r.cache.GetInformer(ctx, o, cache.BlockUntilSynced(false))
	if err == nil && !informer.HasSynced() {
		err = errors.New("the cache has not read it yet")
	}
	return err
}

// canRead reads objects of a kind as a Reviewer and the cache do. The error of an API server says which
// right is missing, and is a review.DeniedError if there is none to read any: a cache would go on without news.
// What a cache lists and watches need not be got.
func (r *cachedReader) canRead(ctx context.Context, kind schema.GroupVersionKind) error {
	got := r.canGet(ctx, kind)
	if !isCached(kind) || got != nil && !errors.As(got, &review.DeniedError{}) {
		return got
	}
	var some metav1.PartialObjectMetadataList
	some.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	err := r.live.List(ctx, &some, client.Limit(1))
	if apierrors.IsForbidden(err) {
		return cmp.Or(got, err)
	}
	if err != nil {
		return err
	}
	news, err := r.live.Watch(ctx, &some)
	if err == nil {
		news.Stop()
	}
	return err
}

// canGet gets an object of a kind; none of VMs, of which the metadata is listed.
func (r *cachedReader) canGet(ctx context.Context, kind schema.GroupVersionKind) error {
	if kind == review.VMKind {
		return nil
	}
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	err := r.live.Get(ctx, client.ObjectKey{Namespace: "default", Name: "any"}, o)
	if apierrors.IsForbidden(err) {
		return review.DeniedError{Err: err}
	}
	return client.IgnoreNotFound(err)
}

// checkOf returns a check that has the cache read the objects of a kind, and fails until it has. Once it has
// succeeded, it fails only if it is asked for alone, and so it does about a kind whose objects count as missing.
func (r *cachedReader) checkOf(versions []schema.GroupVersionKind, c *cluster) healthz.Checker {
	var isReady atomic.Bool
	kind := versions[0].GroupKind()
	return func(req *http.Request) error {
		isAlone := strings.Trim(req.URL.Path, "/") != ""
		if isReady.Load() && !isAlone {
			return nil
		}
		err := ofFirst(versions, func(v schema.GroupVersionKind) error { return r.has(req.Context(), v) })
		switch {
		case r.countsAsMissing(req.Context(), kind, err):
			c.say(req.Context(), kind, err)
		case err != nil:
			err = fmt.Errorf("%s: %w", kind, err)
			log.Log.WithName("admission").Info("Not ready", "reason", err.Error())
			return err
		}
		isReady.Store(true)
		if err != nil && isAlone {
			return fmt.Errorf("objects of %s count as missing: %w", kind, err)
		}
		return nil
	}
}

// countsAsMissing reports whether reviews go on without a kind, as why it cannot be read says: without one that
// the cluster does not have, and without one that may not be read, unless it is the last kind of templates.
func (r *cachedReader) countsAsMissing(ctx context.Context, kind schema.GroupKind, why error) bool {
	if !errors.As(why, &review.DeniedError{}) {
		return meta.IsNoMatchError(why)
	}
	return !review.IsTemplate(kind) || slices.ContainsFunc(review.Kinds(), func(versions []schema.GroupVersionKind) bool {
		other := versions[0].GroupKind()
		return other != kind && review.IsTemplate(other) && ofFirst(versions, func(v schema.GroupVersionKind) error { return r.canRead(ctx, v) }) == nil
	})
}

// ofFirst returns what a function says of the first version that the cluster has.
func ofFirst(versions []schema.GroupVersionKind, f func(schema.GroupVersionKind) error) (err error) {
	for _, v := range versions {
		if err = f(v); !meta.IsNoMatchError(err) {
			break
		}
	}
	return err
}
