// Package reports keeps a Report of openreports.io for each VM of a cluster that has rules.
package reports

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmrules/vmrules/admission/internal/backlog"
	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/openreports"
)

// A Controller keeps Reports. All its state is in the cluster, so that another replica, or the next start,
// goes on where it ends.
type Controller struct {
	reviewer *review.Reviewer
	vms      client.Reader // metadata, with the index byTemplate
	reports  client.Reader // metadata of those by vmrules, with the index byVM
	live     client.Client
	limiter  *rate.Limiter
	backlog  *backlog.Backlog
	leads    func() bool

	started  time.Time
	hasBegun atomic.Bool // to judge
	hasRead  atomic.Bool // the metadata of all VMs and Reports
	wrote    sync.Map    // the name of a Report: the resourceVersion that was written last
}

// Reconcile judges a VM when it is its turn, and writes its Report if that has changed.
func (c *Controller) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	if err := c.lead(ctx); err != nil {
		return reconcile.Result{}, err
	}
	c.hasBegun.Store(true)
	entry := c.backlog.Begin(req.NamespacedName)
	news, err := c.judge(ctx, req.NamespacedName)
	c.announce(ctx, c.backlog.End(req.NamespacedName, entry, err != nil, news...))
	return reconcile.Result{}, err
}

// lead waits until this replica is the one that judges.
func (c *Controller) lead(ctx context.Context) error {
	for !c.leads() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

// judge judges a VM, and returns what its template's users should know. A VM whose metadata says that it has no
// rules is not read.
func (c *Controller) judge(ctx context.Context, key types.NamespacedName) ([]backlog.News, error) {
	known, err := c.reportsOf(ctx, key)
	if err != nil {
		return nil, err
	}
	if hasRules, err := c.hasRules(ctx, key); err != nil || !hasRules {
		return nil, firstOf(err, c.remove(ctx, known, ""))
	}
	if err := c.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	var vm unstructured.Unstructured
	vm.SetGroupVersionKind(vmKind)
	switch err := c.live.Get(ctx, key, &vm); {
	case apierrors.IsNotFound(err):
		return nil, c.remove(ctx, known, "")
	case err != nil:
		return nil, err
	case vm.GetDeletionTimestamp() != nil: // its Report goes with it
		return nil, nil
	}
	standing, err := c.reviewer.Judge(ctx, vm.Object)
	if err != nil {
		return nil, err
	}
	report := openreports.New(vm.Object, standing.Policy, standing.Report, standing.Err)
	name := nameOf(report)
	if err := c.remove(ctx, known, name); err != nil || report == nil {
		return nil, err
	}
	isKnown := false
	for _, r := range known {
		isKnown = isKnown || r.Name == name
	}
	return c.keep(ctx, report, standing.Template, isKnown)
}

// hasRules reports whether a VM may have rules, by its metadata.
func (c *Controller) hasRules(ctx context.Context, key types.NamespacedName) (bool, error) {
	vm := metadataOf(vmKind)
	if err := c.vms.Get(ctx, key, vm, client.UnsafeDisableDeepCopy); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	_, _, hasRules := c.naming(vm)
	return hasRules, nil
}

func (c *Controller) naming(vm client.Object) (namespaces []string, name string, hasRules bool) {
	return c.reviewer.Naming(review.VM{Namespace: vm.GetNamespace(), Name: vm.GetName(), Labels: vm.GetLabels(), Annotations: vm.GetAnnotations()})
}

// reportsOf returns the Reports that belong to a VM, or to an earlier one of the same name.
func (c *Controller) reportsOf(ctx context.Context, key types.NamespacedName) ([]metav1.PartialObjectMetadata, error) {
	list := listOf(reportKind)
	err := c.reports.List(ctx, list, client.InNamespace(key.Namespace), client.MatchingFields{byVM: key.Name}, client.UnsafeDisableDeepCopy)
	return list.Items, err
}

var (
	vmKind     = schema.GroupVersionKind{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachine"}
	reportKind = schema.FromAPIVersionAndKind(openreports.APIVersion, openreports.Kind)
)

func metadataOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(kind)
	return o
}

func listOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	return list
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// The fields by which metadata is found in a cache.
const (
	byTemplate = "template" // of a VM: the name of the template that it has its rules from
	byVM       = "vm"       // of a Report: the name of the VM that owns it
)

// templateOf is the index byTemplate.
func (c *Controller) templateOf(vm client.Object) []string {
	if _, name, _ := c.naming(vm); name != "" {
		return []string{name}
	}
	return nil
}

// ownerOf is the index byVM.
func ownerOf(report client.Object) []string {
	for _, o := range report.GetOwnerReferences() {
		if version, err := schema.ParseGroupVersion(o.APIVersion); err == nil && version.Group == vmKind.Group && o.Kind == vmKind.Kind {
			return []string{o.Name}
		}
	}
	return nil
}
