package reports

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
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

	"github.com/vmrules/vmrules/admission/internal/backlog"
	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/openreports"
)

const controllerName = "vmrules-reports"

// Settings say how Reports are kept.
type Settings struct {
	Rate      float64 // VMs that are judged in a second
	Namespace string  // of the lease; "" is that of the pod
}

// scheme has what a Controller writes.
var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, eventsv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // two types of one name
		}
	}
	return s
}()

// A runner is a Controller with what it is run by. It ends with the manager, and the manager does not end with
// it, so that reviews go on whatever becomes of Reports.
type runner struct {
	*Controller
	manager            manager.Manager
	reports, revisions cache.Cache
	lock               resourcelock.Interface
	elector            atomic.Pointer[leaderelection.LeaderElector]
}

// Add has a manager keep Reports. The Reviewer has to read from the manager's cache.
func Add(m manager.Manager, kube *rest.Config, r *review.Reviewer, s Settings) error {
	kube = rest.CopyConfig(kube)
	kube.QPS, kube.Burst = float32(5*s.Rate+10), int(10*s.Rate+20) // apart from those of reviews
	live, err := client.New(kube, client.Options{Scheme: scheme, Mapper: m.GetRESTMapper(), HTTPClient: m.GetHTTPClient()})
	if err != nil {
		return err
	}
	run := &runner{manager: m, Controller: newController(r, s, m.GetCache(), nil, live)}
	run.leads = func() bool {
		e := run.elector.Load()
		return e != nil && e.IsLeader()
	}
	ofRevisions, err1 := labels.NewRequirement(review.RevisionLabel, selection.Exists, nil)
	byUs, err2 := labels.NewRequirement(openreports.ManagedByLabel, selection.Equals, []string{openreports.Source})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for to, selected := range map[*cache.Cache]*labels.Requirement{&run.revisions: ofRevisions, &run.reports: byUs} {
		*to, err = cache.New(kube, cache.Options{
			Scheme: m.GetScheme(), Mapper: m.GetRESTMapper(), HTTPClient: m.GetHTTPClient(),
			DefaultLabelSelector: labels.NewSelector().Add(*selected), DefaultTransform: Strip,
		})
		if err != nil {
			return err
		}
	}
	run.Controller.reports = run.reports
	run.lock, err = ctrlelection.NewResourceLock(kube, m, ctrlelection.Options{
		LeaderElection: true, LeaderElectionID: controllerName, LeaderElectionNamespace: s.Namespace, RenewDeadline: renewal,
	})
	if err != nil {
		return err
	}
	current.Store(run.Controller)
	return m.Add(run)
}

func newController(r *review.Reviewer, s Settings, vms, reports client.Reader, live client.Client) *Controller {
	return &Controller{
		reviewer: r, vms: vms, reports: reports, live: live, backlog: backlog.New(), started: time.Now(),
		limiter: rate.NewLimiter(rate.Limit(s.Rate), 1),
	}
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. The election is that of elect, because a
// manager that is no longer elected ends.
func (*runner) NeedLeaderElection() bool { return false }

// Start keeps Reports until the context ends. It never returns an error, which would end the manager.
func (r *runner) Start(ctx context.Context) error {
	ctx = log.IntoContext(ctx, r.manager.GetLogger().WithName(controllerName))
	if err := r.run(ctx); err != nil && ctx.Err() == nil {
		log.FromContext(ctx).Error(err, "No Reports are kept")
		<-ctx.Done()
	}
	return nil
}

func (r *runner) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.elect(ctx) })
	group.Go(func() error { return r.control(ctx) })
	return group.Wait()
}

// The times of the election are those of controller-runtime.
const (
	lease   = 15 * time.Second
	renewal = 10 * time.Second
	period  = 2 * time.Second
)

// elect stands for election until the context ends.
func (r *runner) elect(ctx context.Context) error {
	for ctx.Err() == nil {
		e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: r.lock, LeaseDuration: lease, RenewDeadline: renewal, RetryPeriod: period, ReleaseOnCancel: true, Name: controllerName,
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

// control watches, and judges while it leads.
func (r *runner) control(ctx context.Context) error {
	mapper := r.manager.GetRESTMapper()
	for _, kind := range []schema.GroupVersionKind{vmKind, reportKind} {
		if _, err := once(ctx, mapper, kind); err != nil {
			return err
		}
	}
	vms := r.manager.GetCache()
	if err := errors.Join(
		vms.IndexField(ctx, metadataOf(vmKind), byTemplate, r.templateOf),
		r.reports.IndexField(ctx, metadataOf(reportKind), byVM, ownerOf),
	); err != nil {
		return err
	}
	c, err := controller.NewUnmanaged(controllerName, controller.Options{
		Reconciler: r, MaxConcurrentReconciles: 4, CacheSyncTimeout: math.MaxInt64, Logger: log.FromContext(ctx),
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		c.Watch(source.Kind[client.Object](vms, metadataOf(vmKind), r.onVM())),
		c.Watch(source.Kind[client.Object](r.reports, metadataOf(reportKind), r.onReport())),
		c.Watch(source.Kind[client.Object](r.revisions, metadataOf(revisionKind), r.on(r.ofRevision))),
	)
	for _, versions := range review.Watched() {
		switch versions[0].Group {
		case vmKind.Group:
		case review.GroupInstancetype:
			err = errors.Join(err, c.Watch(optional(vms, mapper, r.on(r.inReach), versions...)))
		default:
			err = errors.Join(err, c.Watch(optional(vms, mapper, r.on(r.ofTemplate), versions...)))
		}
	}
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.reports.Start(ctx) })
	group.Go(func() error { return r.revisions.Start(ctx) })
	group.Go(func() error { return c.Start(ctx) })
	group.Go(func() error {
		_, err1 := vms.GetInformer(ctx, metadataOf(vmKind))
		_, err2 := r.reports.GetInformer(ctx, metadataOf(reportKind))
		r.hasRead.Store(err1 == nil && err2 == nil)
		return nil
	})
	return group.Wait()
}

var revisionKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}

// Strip is for caches: it leaves out what vmrules does not read of metadata, which is most of it.
func Strip(o any) (any, error) {
	m, ok := o.(*metav1.PartialObjectMetadata)
	if !ok {
		return cache.TransformStripManagedFields()(o)
	}
	m.ManagedFields = nil
	for name := range m.Annotations {
		if !review.ReadsAnnotation(name) && name != openreports.PolicyAnnotation {
			delete(m.Annotations, name)
		}
	}
	return m, nil
}
