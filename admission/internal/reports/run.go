package reports

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	"golang.org/x/sync/errgroup"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlelection "sigs.k8s.io/controller-runtime/pkg/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/openreports"
)

const controllerName = "vmrules-reports"

// A runner runs a Controller in a manager. Whatever becomes of it, the manager goes on with its reviews.
type runner struct {
	*Controller
	manager            manager.Manager
	reports, revisions cache.Cache
	lock               resourcelock.Interface
	elector            atomic.Pointer[leaderelection.LeaderElector]
}

// Add has a manager keep Reports, and judge so many VMs in a second. The lease is in a namespace; "" is that of
// the pod. The Reviewer reads from the cache of the manager.
func Add(m manager.Manager, kube *rest.Config, reviewer *review.Reviewer, perSecond float64, namespace string) error {
	kube = rest.CopyConfig(kube)
	kube.QPS, kube.Burst = float32(5*perSecond+10), int(5*perSecond+10) // apart from those of reviews
	scheme := runtime.NewScheme()
	utilruntime.Must(v1alpha1.Install(scheme))
	utilruntime.Must(eventsv1.AddToScheme(scheme))
	live, err1 := client.New(kube, client.Options{Scheme: scheme, Mapper: m.GetRESTMapper(), HTTPClient: m.GetHTTPClient()})
	selected := func(selector string) (cache.Cache, error) {
		parsed, err := labels.Parse(selector)
		if err != nil {
			return nil, err
		}
		return cache.New(kube, cache.Options{Mapper: m.GetRESTMapper(), HTTPClient: m.GetHTTPClient(), DefaultLabelSelector: parsed, DefaultTransform: Strip})
	}
	ofUs, err2 := selected(openreports.ManagedByLabel + "=" + openreports.Source)
	revisions, err3 := selected(review.RevisionLabel)
	lock, err4 := ctrlelection.NewResourceLock(kube, m, ctrlelection.Options{
		LeaderElection: true, LeaderElectionID: controllerName, LeaderElectionNamespace: namespace, RenewDeadline: renewal,
	})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	r := &runner{Controller: newController(reviewer, perSecond, m.GetCache(), ofUs, live), manager: m, reports: ofUs, revisions: revisions, lock: lock}
	r.leads = func() bool {
		e := r.elector.Load()
		return e != nil && e.IsLeader()
	}
	current.Store(r.Controller)
	return m.Add(r)
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. A manager that is no longer elected ends, so
// the election is that of elect.
func (*runner) NeedLeaderElection() bool { return false }

// Start keeps Reports until the context ends. It never returns an error, which would end the manager.
func (r *runner) Start(ctx context.Context) error {
	ctx = log.IntoContext(ctx, r.manager.GetLogger().WithName(controllerName))
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return r.elect(running) })
	group.Go(func() error { return r.control(running) })
	if err := group.Wait(); err != nil && ctx.Err() == nil {
		log.FromContext(ctx).Error(err, "No Reports are kept")
		<-ctx.Done()
	}
	return nil
}

// renewal is how long a replica that leads may fail to say so, as in controller-runtime.
const renewal = 10 * time.Second

// elect stands for election again and again.
func (r *runner) elect(ctx context.Context) error {
	for ctx.Err() == nil {
		e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: r.lock, LeaseDuration: renewal * 3 / 2, RenewDeadline: renewal, RetryPeriod: renewal / 5, ReleaseOnCancel: true, Name: controllerName,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
		})
		if err != nil {
			return err
		}
		r.elector.Store(e)
		e.Run(ctx)
		r.elector.Store(nil)
	}
	return nil
}

// control watches what Reports depend on, and judges VMs. It waits as long as a kind or a right is missing.
func (r *runner) control(ctx context.Context) error {
	mapper, vms := r.manager.GetRESTMapper(), r.manager.GetCache()
	for _, kind := range []schema.GroupVersionKind{review.VMKind, reportKind} {
		if _, err := once(ctx, mapper, kind); err != nil {
			return err
		}
	}
	c, err := controller.NewUnmanaged(controllerName, controller.Options{
		Reconciler: r, MaxConcurrentReconciles: 4, CacheSyncTimeout: math.MaxInt64, Logger: log.FromContext(ctx),
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		vms.IndexField(ctx, metadataOf(review.VMKind), byTemplate, r.templateOf),
		r.reports.IndexField(ctx, metadataOf(reportKind), byVM, ownerOf),
		c.Watch(source.Kind[client.Object](vms, metadataOf(review.VMKind), r.onVM())),
		c.Watch(source.Kind[client.Object](r.reports, metadataOf(reportKind), r.onReport())),
		c.Watch(source.Kind[client.Object](r.revisions, metadataOf(review.RevisionKind), r.onOther())),
	)
	for _, versions := range review.Watched() {
		h := r.onTemplate()
		if versions[0].Group == review.GroupInstancetype {
			h = r.onOther()
		}
		if versions[0] != review.VMKind {
			err = errors.Join(err, c.Watch(optional(vms, mapper, h, versions)))
		}
	}
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, start := range []func(context.Context) error{r.reports.Start, r.revisions.Start, c.Start} {
		group.Go(func() error { return start(ctx) })
	}
	group.Go(func() error {
		_, err1 := vms.GetInformer(ctx, metadataOf(review.VMKind)) // waits until it is read
		_, err2 := r.reports.GetInformer(ctx, metadataOf(reportKind))
		r.hasRead.Store(err1 == nil && err2 == nil)
		return nil
	})
	return group.Wait()
}

// Strip is a transformation for caches. It leaves out the annotations that vmrules does not read, which may be
// most of the metadata, and managedFields.
func Strip(o any) (any, error) {
	if m, ok := o.(*metav1.PartialObjectMetadata); ok {
		for name := range m.Annotations {
			if !review.ReadsAnnotation(name) && name != openreports.PolicyAnnotation {
				delete(m.Annotations, name)
			}
		}
	}
	return cache.TransformStripManagedFields()(o)
}
