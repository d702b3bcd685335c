package reports

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/vmrules/vmrules/admission/internal/review"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Priorities: a user who changes a VM does not wait for the VMs of a template that has changed. The usual
// priority is 0, or handler.LowPriority for what is there at the start.
var (
	usual    *int
	ofOthers = new(handler.LowPriority)
	ofReport = new(handler.LowPriority - 1) // which may be the controller's own write
)

// add adds VMs that wait to be judged.
func (c *Controller) add(q queue, priority *int, vms ...metav1.PartialObjectMetadata) {
	for i := range vms {
		_, template, _ := c.naming(&vms[i])
		c.backlog.Add(client.ObjectKeyFromObject(&vms[i]), template, time.Now())
		enqueue(q, priority, client.ObjectKeyFromObject(&vms[i]))
	}
}

func enqueue(q queue, priority *int, vm types.NamespacedName) {
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

// onVM handles events about VMs. Only the metadata is known: a change of the status is judged too, since it
// may name a revision, but later.
func (c *Controller) onVM() handler.EventHandler {
	return handle(func(_ context.Context, old, vm client.Object, q queue) {
		priority := usual
		if old != nil && old.GetGeneration() == vm.GetGeneration() && maps.Equal(old.GetLabels(), vm.GetLabels()) && maps.Equal(old.GetAnnotations(), vm.GetAnnotations()) {
			priority = ofOthers
		}
		c.add(q, priority, *vm.(*metav1.PartialObjectMetadata))
	})
}

// onReport handles events about Reports: one that somebody else has changed or deleted is written again.
func (c *Controller) onReport() handler.EventHandler {
	h := handle(func(_ context.Context, old, report client.Object, q queue) {
		version, _ := c.wrote.Load(report.GetName())
		if old == nil {
			c.wrote.Delete(report.GetName())
		} else if version == report.GetResourceVersion() {
			return
		}
		for _, vm := range ownerOf(report) {
			enqueue(q, ofReport, types.NamespacedName{Namespace: report.GetNamespace(), Name: vm})
		}
	})
	h.CreateFunc = nil
	return h
}

// onTemplate handles events about templates.
func (c *Controller) onTemplate() handler.EventHandler {
	return c.on(func(o client.Object) client.ListOption { return client.MatchingFields{byTemplate: o.GetName()} }, func(o, vm client.Object) bool {
		namespaces, _, _ := c.naming(vm)
		return slices.Contains(namespaces, o.GetNamespace())
	})
}

// onOther handles events about instance types, preferences and revisions. Which of them a VM names is not in
// its metadata: they concern the VM that owns them, or all VMs with rules that may name them.
func (c *Controller) onOther() handler.EventHandler {
	return c.on(func(o client.Object) client.ListOption { return client.InNamespace(o.GetNamespace()) }, func(o, vm client.Object) bool {
		_, _, hasRules := c.naming(vm)
		owners := ownerOf(o)
		return hasRules && (len(owners) == 0 || slices.Contains(owners, vm.GetName()))
	})
}

// on returns a handler for what VMs are judged by: where lists VMs, and concerns chooses among them. Until a
// VM is judged, all of them wait anyway.
func (c *Controller) on(where func(o client.Object) client.ListOption, concerns func(o, vm client.Object) bool) handler.EventHandler {
	return handle(func(ctx context.Context, old, o client.Object, q queue) {
		if !c.hasBegun.Load() || old != nil && old.GetResourceVersion() == o.GetResourceVersion() {
			return
		}
		list := listOf(review.VMKind)
		if err := c.vms.List(ctx, list, where(o), client.UnsafeDisableDeepCopy); err != nil {
			log.FromContext(ctx).Error(err, "Could not find the VMs to judge again")
		}
		for _, vm := range list.Items {
			if concerns(o, &vm) {
				c.add(q, ofOthers, vm)
			}
		}
	})
}

// retry is how often a kind is looked for that the cluster does not have.
const retry = 10 * time.Second

// once waits until a cluster has a kind in one of some versions, and returns it.
func once(ctx context.Context, mapper meta.RESTMapper, versions ...schema.GroupVersionKind) (found schema.GroupVersionKind, err error) {
	said := false
	err = wait.PollUntilContextCancel(ctx, retry, true, func(context.Context) (bool, error) {
		for _, found = range versions {
			if _, err := mapper.RESTMapping(found.GroupKind(), found.Version); err == nil {
				return true, nil
			}
		}
		if !said {
			log.FromContext(ctx).Info("Waiting for a kind that the cluster does not have", "kind", found.GroupKind().String())
		}
		said = true
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
