package reports

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlelection "sigs.k8s.io/controller-runtime/pkg/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/vmrules/vmrules/admission/internal/backlog"
	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/openreports"
)

const controllerName = "vmrules-reports"

// A runner runs a keeper in a manager. Whatever becomes of it, the manager goes on with its reviews.
type runner struct {
	*keeper
	manager            manager.Manager
	reports, revisions cache.Cache
	lock               resourcelock.Interface
	elector            atomic.Pointer[leaderelection.LeaderElector]
}

// Add implements admission.Reports. The Reviewer reads from the cache of the manager. An error is one of
// controller-runtime or client-go, and has no type of its own.
func (s Settings) Add(m manager.Manager, kube *rest.Config, reviewer *review.Reviewer) error {
	perSecond := cmp.Or(s.Rate, usualRate)
	kube = rest.CopyConfig(kube)
	kube.QPS, kube.Burst = float32(5*perSecond+10), int(5*perSecond+10) // apart from those of reviews
	live, err1 := client.New(kube, client.Options{Mapper: m.GetRESTMapper(), HTTPClient: m.GetHTTPClient()})
	selected := func(selector string) (cache.Cache, error) {
		parsed, err := labels.Parse(selector)
		o := cache.Options{Mapper: m.GetRESTMapper(), HTTPClient: m.GetHTTPClient(), DefaultLabelSelector: parsed, DefaultTransform: review.Strip}
		c, err2 := cache.New(kube, o)
		return c, errors.Join(err, err2)
	}
	ofUs, err2 := selected(openreports.ManagedByLabel + "=" + openreports.Source)
	revisions, err3 := selected(review.RevisionLabel)
	lock, err4 := ctrlelection.NewResourceLock(kube, m, ctrlelection.Options{
		LeaderElection: true, LeaderElectionID: controllerName, LeaderElectionNamespace: s.LeaseNamespace, RenewDeadline: renewal,
	})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	r := &runner{manager: m, reports: ofUs, revisions: revisions, lock: lock, keeper: &keeper{
		reviewer: reviewer, vms: m.GetCache(), reports: ofUs, live: live,
		limiter: rate.NewLimiter(rate.Limit(perSecond), 1), backlog: backlog.New(), started: time.Now(),
	}}
	r.leads = func() bool {
		e := r.elector.Load()
		return e != nil && e.IsLeader()
	}
	current.Store(r.keeper)
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

// control watches what Reports depend on, and validates VMs. It waits as long as a kind or a right is missing.
func (r *runner) control(ctx context.Context) error {
	mapper, vms := r.manager.GetRESTMapper(), r.manager.GetCache()
	for _, kind := range []schema.GroupVersionKind{review.VMKind, reportKind} {
		if _, err := once(ctx, mapper, kind); err != nil {
			return err
		}
	}
	c, err := controller.NewUnmanaged(controllerName, controller.Options{
		Reconciler: r, CacheSyncTimeout: math.MaxInt64, Logger: log.FromContext(ctx),
		MaxConcurrentReconciles: 1 + int(r.limiter.Limit()/5), // each may wait 200 ms for the API server
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		r.reports.IndexField(ctx, metadataOf(reportKind), byVM, ownerOf),
		c.Watch(source.Kind[client.Object](vms, metadataOf(review.VMKind), r.onVM())),
		c.Watch(source.Kind[client.Object](r.reports, metadataOf(reportKind), r.onReport())),
		c.Watch(source.Kind[client.Object](r.revisions, metadataOf(review.RevisionKind), r.onBasis(false))),
	)
	for _, versions := range review.Kinds() {
		if versions[0] != review.VMKind && versions[0] != review.RevisionKind {
			h := r.onBasis(versions[0].Group != review.GroupInstancetype)
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

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Priorities: a user who changes a VM does not wait for the VMs of a template that has changed.
var (
	usual    *int // 0, or handler.LowPriority for what is there at the start
	ofOthers = ptr.To(handler.LowPriority)
	ofReport = ptr.To(handler.LowPriority - 1) // which may be the controller's own write
)

// add adds a VM to the queue. Nobody waits for what the controller may have written itself.
func (c *keeper) add(q queue, priority *int, namespace, name string) {
	vm := types.NamespacedName{Namespace: namespace, Name: name}
	if priority != ofReport {
		c.backlog.Add(vm, time.Now())
	}
	q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{Priority: priority}, reconcile.Request{NamespacedName: vm})
}

// handle returns a handler that calls a function with an object and, after an update, what it was.
func handle(f func(ctx context.Context, old, o client.Object, q queue)) handler.Funcs {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { f(ctx, nil, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { f(ctx, e.ObjectOld, e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { f(ctx, nil, e.Object, q) },
	}
}

// onVM handles events about VMs. Only the metadata is known: a change of the status is validated too, since it
// may name a revision, but later.
func (c *keeper) onVM() handler.EventHandler {
	return handle(func(_ context.Context, old, vm client.Object, q queue) {
		priority := usual
		if old != nil && old.GetGeneration() == vm.GetGeneration() && maps.Equal(old.GetLabels(), vm.GetLabels()) && maps.Equal(old.GetAnnotations(), vm.GetAnnotations()) {
			priority = ofOthers
		}
		c.add(q, priority, vm.GetNamespace(), vm.GetName())
	})
}

// onReport handles events about Reports: one that somebody else has changed or deleted is written again.
func (c *keeper) onReport() handler.EventHandler {
	h := handle(func(_ context.Context, old, report client.Object, q queue) {
		version, _ := c.wrote.Load(report.GetName())
		owners := ownerOf(report)
		if old == nil {
			c.wrote.Delete(report.GetName())
		} else if version == report.GetResourceVersion() {
			return
		} else if was := ownerOf(old); !slices.Equal(was, owners) {
			owners = append(owners, was...)
		}
		for _, vm := range owners {
			c.add(q, ofReport, report.GetNamespace(), vm)
		}
	})
	h.CreateFunc = nil
	return h
}

// onBasis handles events about what VMs are validated by. A template concerns the VMs that name it. Which instance
// type, preference or revision a VM names is not in its metadata: it concerns the VM that owns it, or
// all VMs with rules that could name it. Until a VM is validated, all of them wait anyway.
func (c *keeper) onBasis(isTemplate bool) handler.EventHandler {
	return handle(func(ctx context.Context, old, o client.Object, q queue) {
		if !c.hasBegun.Load() || old != nil && old.GetResourceVersion() == o.GetResourceVersion() {
			return
		}
		list, within := listOf(review.VMKind), client.InNamespace(o.GetNamespace())
		if isTemplate {
			within = ""
		}
		_ = c.vms.List(ctx, list, within, client.UnsafeDisableDeepCopy) // in memory
		owners := ownerOf(o)
		for i := range list.Items {
			vm := &list.Items[i]
			namespaces, name, hasRules := c.reviewer.Naming(vm)
			if isTemplate && name == o.GetName() && slices.Contains(namespaces, o.GetNamespace()) ||
				!isTemplate && hasRules && (owners == nil || slices.Contains(owners, vm.Name)) {
				c.add(q, ofOthers, vm.Namespace, vm.Name)
			}
		}
	})
}

// retry is how often a kind is looked for that the cluster does not have: when it is found again, the Reviewer
// no longer takes it for absent.
const retry = review.Absence + time.Second

// once waits until a cluster has a kind in one of some versions, and returns it.
func once(ctx context.Context, mapper meta.RESTMapper, versions ...schema.GroupVersionKind) (found schema.GroupVersionKind, err error) {
	isMissing := false
	err = wait.PollUntilContextCancel(ctx, retry, true, func(context.Context) (bool, error) {
		wasMissing := isMissing
		for _, found = range versions {
			if _, err := mapper.RESTMapping(found.GroupKind(), found.Version); err == nil {
				isMissing = false
				return !wasMissing, nil
			}
		}
		if isMissing = true; !wasMissing {
			log.FromContext(ctx).Info("Waiting for a kind that the cluster does not have", "kind", found.GroupKind().String())
		}
		return false, nil
	})
	return found, err
}

// optional is a source of events about a kind that the cluster may not have yet. A controller does not wait
// for it to begin.
func optional(c cache.Cache, mapper meta.RESTMapper, h handler.EventHandler, versions []schema.GroupVersionKind) source.Source {
	return source.Func(func(ctx context.Context, q queue) error {
		go func() {
			if kind, err := once(ctx, mapper, versions...); err == nil {
				o := &unstructured.Unstructured{}
				o.SetGroupVersionKind(kind)
				_ = source.Kind[client.Object](c, o, h).Start(ctx, q) // an error would be about its arguments
			}
		}()
		return nil
	})
}
