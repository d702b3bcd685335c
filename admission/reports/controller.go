// Package reports keeps a Report of openreports.io for each VM of a cluster that has rules.
package reports

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmrules/vmrules/admission/internal/backlog"
	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/openreports"
)

// A keeper keeps Reports. All its state is in the cluster, so that another replica, or the next start,
// goes on where it ends.
type keeper struct {
	reviewer *review.Reviewer
	vms      client.Reader // metadata
	reports  client.Reader // metadata of those by vmrules, with the index byVM
	live     client.Client
	limiter  *rate.Limiter
	backlog  *backlog.Backlog
	leads    func() bool // whether this replica validates

	started  time.Time
	hasRead  atomic.Bool // the metadata of all VMs and Reports
	hasBegun atomic.Bool // to validate
	wrote    sync.Map    // the name of a Report: the resourceVersion that was written last
}

// Reconcile validates a VM when it is its turn, and writes its Report if that has changed.
func (c *keeper) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	isLeading := func(context.Context) (bool, error) { return c.leads(), nil }
	if err := wait.PollUntilContextCancel(ctx, time.Second, true, isLeading); err != nil {
		return reconcile.Result{}, err
	}
	c.hasBegun.Store(true)
	since, failed := c.backlog.Begin(req.NamespacedName), true // unless judge returns
	defer func() {
		if failed {
			c.backlog.Add(req.NamespacedName, since)
		}
	}()
	err := c.judge(ctx, req.NamespacedName)
	failed = err != nil
	return reconcile.Result{}, err
}

// judge validates a VM, unless its metadata says that it has no rules.
func (c *keeper) judge(ctx context.Context, key types.NamespacedName) error {
	metadata := metadataOf(review.VMKind)
	if err := client.IgnoreNotFound(c.vms.Get(ctx, key, metadata, client.UnsafeDisableDeepCopy)); err != nil {
		return err
	}
	known, err := c.reportsOf(ctx, key, metadata.UID)
	if err != nil {
		return err
	}
	if _, _, hasRules := c.reviewer.Naming(metadata); !hasRules {
		return c.remove(ctx, known, "")
	}
	if err := c.limiter.Wait(ctx); err != nil {
		return err
	}
	var vm unstructured.Unstructured
	vm.SetGroupVersionKind(review.VMKind)
	switch err := c.live.Get(ctx, key, &vm); {
	case client.IgnoreNotFound(err) != nil:
		return err
	case err != nil || vm.GetDeletionTimestamp() != nil: // its Report goes first: later, nobody may know whose it was
		return c.remove(ctx, known, "")
	}
	validation, err := c.reviewer.Judge(ctx, vm.Object)
	if err != nil {
		return err
	}
	made := &unstructured.Unstructured{Object: openreports.New(vm.Object, *validation)}
	if err := c.remove(ctx, known, made.GetName()); err != nil || made.Object == nil {
		return err
	}
	return c.keep(ctx, made, hasName(known, made.GetName()))
}

// reportsOf returns the Reports that say that a VM of a name owns them, which may have been an earlier one, and the
// Report that is named after the VM.
func (c *keeper) reportsOf(ctx context.Context, vm types.NamespacedName, uid types.UID) ([]metav1.PartialObjectMetadata, error) {
	owned, own := listOf(reportKind), metadataOf(reportKind)
	err := c.reports.List(ctx, owned, client.InNamespace(vm.Namespace), client.MatchingFields{byVM: vm.Name}, client.UnsafeDisableDeepCopy)
	vm.Name = openreports.Source + "-" + string(uid)
	if err != nil || hasName(owned.Items, vm.Name) {
		return owned.Items, err
	}
	if err = c.reports.Get(ctx, vm, own, client.UnsafeDisableDeepCopy); err == nil {
		owned.Items = append(owned.Items, *own)
	}
	return owned.Items, client.IgnoreNotFound(err)
}

func hasName(all []metav1.PartialObjectMetadata, name string) bool {
	return slices.ContainsFunc(all, func(o metav1.PartialObjectMetadata) bool { return o.Name == name })
}

var reportKind = schema.FromAPIVersionAndKind(openreports.APIVersion, openreports.Kind)

func metadataOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	version, name := kind.ToAPIVersionAndKind()
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: name}}
}

func listOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadataList {
	version, name := kind.ToAPIVersionAndKind()
	return &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: name + "List"}}
}

const byVM = "vm" // the field by which a cache finds Reports

// ownerOf returns the name of the VM that owns something: of a Report, the field byVM.
func ownerOf(o client.Object) (names []string) {
	for _, owner := range o.GetOwnerReferences() {
		if schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind() == review.VMKind.GroupKind() {
			names = append(names, owner.Name)
		}
	}
	return names
}

// remove deletes Reports, apart from one with a name.
func (c *keeper) remove(ctx context.Context, all []metav1.PartialObjectMetadata, kept string) error {
	for _, r := range all {
		if r.Name == kept {
			continue
		}
		var old unstructured.Unstructured
		old.SetGroupVersionKind(reportKind)
		old.SetNamespace(r.Namespace)
		old.SetName(r.Name)
		if err := client.IgnoreNotFound(c.live.Delete(ctx, &old, client.Preconditions{UID: &r.UID})); err != nil {
			return err
		}
		writes.WithLabelValues("delete").Inc()
	}
	return nil
}

// keep writes the Report of a VM unless the cluster has it as it is.
func (c *keeper) keep(ctx context.Context, made *unstructured.Unstructured, exists bool) error {
	if !exists { // or the cache is late
		if err := c.live.Create(ctx, made); !apierrors.IsAlreadyExists(err) {
			return c.written("create", made, err)
		}
	}
	old := &unstructured.Unstructured{}
	old.SetGroupVersionKind(reportKind)
	if err := c.live.Get(ctx, client.ObjectKeyFromObject(made), old); err != nil {
		return err
	}
	keepTimes(made, old)
	merged := old.DeepCopy()
	merged.SetLabels(labels.Merge(old.GetLabels(), made.GetLabels()))
	merged.SetAnnotations(labels.Merge(old.GetAnnotations(), made.GetAnnotations()))
	merged.SetOwnerReferences(made.GetOwnerReferences())
	for _, field := range []string{"source", "scope", "summary", "results"} {
		merged.Object[field] = made.Object[field]
	}
	if equality.Semantic.DeepEqual(old, merged) {
		return nil
	}
	return c.written("update", merged, c.live.Update(ctx, merged))
}

// written counts a write unless it failed, and remembers what it has made, so that the event about it is
// not taken for a change by others.
func (c *keeper) written(operation string, r *unstructured.Unstructured, err error) error {
	if err == nil {
		writes.WithLabelValues(operation).Inc()
		c.wrote.Store(r.GetName(), r.GetResourceVersion())
	}
	return err
}

// keepTimes gives results that are the same as before the timestamps that they had.
func keepTimes(made, old *unstructured.Unstructured) {
	results, _ := made.Object["results"].([]any)
	before, _ := old.Object["results"].([]any)
	for _, r := range results {
		r := r.(map[string]any)
		for _, b := range before {
			b, isResult := b.(map[string]any)
			if !isResult || review.TextAt(b, "rule") != review.TextAt(r, "rule") {
				continue
			}
			then, now := b["timestamp"], maps.Clone(b)
			if now["timestamp"] = r["timestamp"]; then != nil && equality.Semantic.DeepEqual(now, r) {
				r["timestamp"] = then
			}
		}
	}
}
