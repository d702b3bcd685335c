// Package reports keeps a Report of openreports.io for each VM of a cluster that has rules.
package reports

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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
	leads    func() bool // whether this replica judges

	started  time.Time
	hasRead  atomic.Bool // the metadata of all VMs and Reports
	hasBegun atomic.Bool // to judge
	wrote    sync.Map    // the name of a Report: the resourceVersion that was written last
}

func newController(r *review.Reviewer, perSecond float64, vms, reports client.Reader, live client.Client) *Controller {
	return &Controller{
		reviewer: r, vms: vms, reports: reports, live: live,
		limiter: rate.NewLimiter(rate.Limit(perSecond), 1), backlog: backlog.New(), started: time.Now(),
	}
}

// Reconcile judges a VM when it is its turn, and writes its Report if that has changed.
func (c *Controller) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	for !c.leads() {
		select {
		case <-ctx.Done():
			return reconcile.Result{}, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	c.hasBegun.Store(true)
	entry := c.backlog.Begin(req.NamespacedName)
	news, err := c.judge(ctx, req.NamespacedName)
	c.announce(ctx, c.backlog.End(req.NamespacedName, entry, err != nil, news...))
	return reconcile.Result{}, err
}

// judge judges a VM, and returns what is new for its template. A VM that has no rules by its metadata is not
// read.
func (c *Controller) judge(ctx context.Context, key types.NamespacedName) ([]backlog.News, error) {
	known := listOf(reportKind) // its Reports, and those of an earlier VM of its name
	err := c.reports.List(ctx, known, client.InNamespace(key.Namespace), client.MatchingFields{byVM: key.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, err
	}
	metadata := metadataOf(review.VMKind)
	err = client.IgnoreNotFound(c.vms.Get(ctx, key, metadata, client.UnsafeDisableDeepCopy))
	if _, _, hasRules := c.naming(metadata); err != nil || !hasRules {
		return nil, cmp.Or(err, c.remove(ctx, known.Items, ""))
	}
	if err := c.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	var vm unstructured.Unstructured
	vm.SetGroupVersionKind(review.VMKind)
	switch err := c.live.Get(ctx, key, &vm); {
	case apierrors.IsNotFound(err):
		return nil, c.remove(ctx, known.Items, "")
	case err != nil || vm.GetDeletionTimestamp() != nil: // its Report goes with it
		return nil, err
	}
	standing, err := c.reviewer.Judge(ctx, vm.Object)
	if err != nil {
		return nil, err
	}
	made := &v1alpha1.Report{}
	report := openreports.New(vm.Object, standing.Policy, standing.Report, standing.Err, time.Now())
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(report, made, true)
	if err := cmp.Or(err, c.remove(ctx, known.Items, made.Name)); err != nil || report == nil {
		return nil, err
	}
	exists := slices.ContainsFunc(known.Items, func(r metav1.PartialObjectMetadata) bool { return r.Name == made.Name })
	return c.keep(ctx, made, standing.Template, exists)
}

func (c *Controller) naming(vm client.Object) (namespaces []string, name string, hasRules bool) {
	return c.reviewer.Naming(review.VM{Namespace: vm.GetNamespace(), Labels: vm.GetLabels(), Annotations: vm.GetAnnotations()})
}

var reportKind = schema.FromAPIVersionAndKind(openreports.APIVersion, openreports.Kind)

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

// The fields by which metadata is found in a cache.
const (
	byTemplate = "template" // of a VM: the name of the template that it has its rules from
	byVM       = "vm"       // of a Report: the name of the VM that owns it
)

// templateOf is the index byTemplate.
func (c *Controller) templateOf(vm client.Object) []string {
	_, name, _ := c.naming(vm)
	return slices.DeleteFunc([]string{name}, func(name string) bool { return name == "" })
}

// ownerOf is the index byVM. It is also for what else VMs own.
func ownerOf(o client.Object) (names []string) {
	for _, owner := range o.GetOwnerReferences() {
		if schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind() == review.VMKind.GroupKind() {
			names = append(names, owner.Name)
		}
	}
	return names
}
