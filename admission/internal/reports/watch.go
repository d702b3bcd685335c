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
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Who changes a VM waits for its Report, and comes before the VMs of a template that has changed.
const (
	ofVM = -iota
	ofOthers
	ofReport // perhaps the controller's own write
)

// add adds VMs to the queue.
func (c *Controller) add(q queue, priority int, vms ...metav1.PartialObjectMetadata) {
	now := time.Now()
	for i := range vms {
		_, template, _ := c.naming(&vms[i])
		key := types.NamespacedName{Namespace: vms[i].Namespace, Name: vms[i].Name}
		c.backlog.Add(key, template, now)
		enqueue(q, priority, key)
	}
}

func enqueue(q queue, priority int, vm types.NamespacedName) {
	req := reconcile.Request{NamespacedName: vm}
	if p, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		p.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, req)
		return
	}
	q.Add(req)
}

// onVM handles events about VMs. Of a VM, only the metadata is known: a change of its status is judged
// too, because a revision may be there, but later.
func (c *Controller) onVM() handler.EventHandler {
	add := func(q queue, priority int, o client.Object) {
		if vm, ok := o.(*metav1.PartialObjectMetadata); ok {
			c.add(q, priority, *vm)
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { add(q, ofOthers, e.Object) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { add(q, ofVM, e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			priority := ofOthers
			if e.ObjectNew.GetGeneration() != e.ObjectOld.GetGeneration() || !sameNames(e.ObjectOld, e.ObjectNew) {
				priority = ofVM
			}
			add(q, priority, e.ObjectNew)
		},
	}
}

// sameNames reports whether the metadata that vmrules reads has not changed.
func sameNames(old, vm client.Object) bool {
	return maps.Equal(old.GetLabels(), vm.GetLabels()) && maps.Equal(old.GetAnnotations(), vm.GetAnnotations())
}

// onReport handles events about Reports: one that somebody else has changed or deleted is written again.
func (c *Controller) onReport() handler.EventHandler {
	restore := func(q queue, report client.Object) {
		for _, vm := range ownerOf(report) {
			enqueue(q, ofReport, types.NamespacedName{Namespace: report.GetNamespace(), Name: vm})
		}
	}
	return handler.Funcs{
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) {
			c.wrote.Delete(e.Object.GetName())
			restore(q, e.Object)
		},
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			if version, ok := c.wrote.Load(e.ObjectNew.GetName()); !ok || version != e.ObjectNew.GetResourceVersion() {
				restore(q, e.ObjectNew)
			}
		},
	}
}

// on returns a handler for what VMs are judged by. While nothing has been judged, all VMs wait anyway.
func (c *Controller) on(vmsOf func(ctx context.Context, o client.Object) ([]metav1.PartialObjectMetadata, error)) handler.EventHandler {
	changed := func(ctx context.Context, o client.Object, q queue) {
		if !c.hasBegun.Load() {
			return
		}
		vms, err := vmsOf(ctx, o)
		if err != nil { // only if there is no such index
			log.FromContext(ctx).Error(err, "Could not find the VMs to judge again")
		}
		c.add(q, ofOthers, vms...)
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { changed(ctx, e.Object, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { changed(ctx, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectNew.GetResourceVersion() != e.ObjectOld.GetResourceVersion() {
				changed(ctx, e.ObjectNew, q)
			}
		},
	}
}

// ofTemplate returns the VMs that have their rules from a template.
func (c *Controller) ofTemplate(ctx context.Context, template client.Object) ([]metav1.PartialObjectMetadata, error) {
	list := listOf(vmKind)
	err := c.vms.List(ctx, list, client.MatchingFields{byTemplate: template.GetName()}, client.UnsafeDisableDeepCopy)
	return slices.DeleteFunc(list.Items, func(vm metav1.PartialObjectMetadata) bool {
		namespaces, _, _ := c.naming(&vm)
		return !slices.Contains(namespaces, template.GetNamespace())
	}), err
}

// inReach returns the VMs with rules that may name an instance type or a preference. Which one a VM names is
// not in its metadata.
func (c *Controller) inReach(ctx context.Context, o client.Object) ([]metav1.PartialObjectMetadata, error) {
	list := listOf(vmKind)
	err := c.vms.List(ctx, list, client.InNamespace(o.GetNamespace()), client.UnsafeDisableDeepCopy)
	return slices.DeleteFunc(list.Items, func(vm metav1.PartialObjectMetadata) bool {
		_, _, hasRules := c.naming(&vm)
		return !hasRules
	}), err
}

// ofRevision returns the VM that owns a ControllerRevision, or the VMs that may name it.
func (c *Controller) ofRevision(ctx context.Context, revision client.Object) ([]metav1.PartialObjectMetadata, error) {
	vms, err := c.inReach(ctx, revision)
	if owners := ownerOf(revision); len(owners) > 0 {
		vms = slices.DeleteFunc(vms, func(vm metav1.PartialObjectMetadata) bool { return !slices.Contains(owners, vm.Name) })
	}
	return vms, err
}

// retry is how often a kind is looked for that the cluster does not have.
const retry = 10 * time.Second

// once waits until a cluster has a kind in one of some versions, and returns it.
func once(ctx context.Context, mapper meta.RESTMapper, versions ...schema.GroupVersionKind) (found schema.GroupVersionKind, err error) {
	said := false
	err = wait.PollUntilContextCancel(ctx, retry, true, func(context.Context) (bool, error) {
		for _, kind := range versions {
			if _, err := mapper.RESTMapping(kind.GroupKind(), kind.Version); err == nil {
				found = kind
				return true, nil
			}
		}
		if !said {
			log.FromContext(ctx).Info("Waiting for a kind that the cluster does not have", "kind", versions[0].GroupKind().String())
			said = true
		}
		return false, nil
	})
	return found, err
}

// optional is a source of events about a kind that the cluster may not have, or not yet. A Controller does not
// wait for it to begin.
func optional(c cache.Cache, mapper meta.RESTMapper, h handler.EventHandler, versions ...schema.GroupVersionKind) source.Source {
	return source.Func(func(ctx context.Context, q queue) error {
		go func() {
			kind, err := once(ctx, mapper, versions...)
			if err != nil {
				return // the context has ended
			}
			o := &unstructured.Unstructured{}
			o.SetGroupVersionKind(kind)
			if err := source.Kind[client.Object](c, o, h).Start(ctx, q); err != nil {
				log.FromContext(ctx).Error(err, "Could not watch", "kind", kind)
			}
		}()
		return nil
	})
}
