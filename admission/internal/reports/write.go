package reports

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/vmrules/vmrules/admission/internal/backlog"
	"github.com/vmrules/vmrules/openreports"
)

// remove deletes Reports, apart from one with a name.
func (c *Controller) remove(ctx context.Context, all []metav1.PartialObjectMetadata, kept string) error {
	for _, r := range all {
		if r.Name == kept {
			continue
		}
		old := &v1alpha1.Report{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}}
		err := c.live.Delete(ctx, old, client.Preconditions{UID: &r.UID})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		writes.WithLabelValues("delete").Inc()
	}
	return nil
}

// keep writes the Report of a VM unless the cluster has it as it is, and returns what is new in it.
func (c *Controller) keep(ctx context.Context, report, template map[string]any, exists bool) ([]backlog.News, error) {
	if !exists {
		made, err := typed(report, nil)
		if err == nil {
			err = c.live.Create(ctx, made)
		}
		if err == nil {
			c.written("create", made)
		}
		if !apierrors.IsAlreadyExists(err) {
			return nil, err
		}
	}
	metadata, _ := report["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	old := &v1alpha1.Report{}
	if err := c.live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: nameOf(report)}, old); err != nil {
		return nil, err // not found: the cache was late, and the next attempt is right
	}
	made, err := typed(report, old)
	if err != nil {
		return nil, err
	}
	merged := old.DeepCopy()
	merged.Labels, merged.Annotations = merge(old.Labels, made.Labels), merge(old.Annotations, made.Annotations)
	merged.OwnerReferences, merged.Source, merged.Scope = made.OwnerReferences, made.Source, made.Scope
	merged.Summary, merged.Results = made.Summary, made.Results
	if equality.Semantic.DeepEqual(old, merged) {
		return nil, nil
	}
	if err := c.live.Update(ctx, merged); err != nil {
		return nil, err
	}
	c.written("update", merged)
	return newsIn(old, made, template), nil
}

// written counts a write, and remembers what it has made, so that the event about it is not taken for
// a change by others.
func (c *Controller) written(operation string, r *v1alpha1.Report) {
	writes.WithLabelValues(operation).Inc()
	c.wrote.Store(r.Name, r.ResourceVersion)
}

// typed returns a Report with the timestamps that follow from an old one; nil if there is none.
func typed(report map[string]any, old *v1alpha1.Report) (*v1alpha1.Report, error) {
	var before map[string]any
	if old != nil {
		var err error
		if before, err = runtime.DefaultUnstructuredConverter.ToUnstructured(old); err != nil {
			return nil, err
		}
	}
	openreports.Stamp(report, before, time.Now())
	made := &v1alpha1.Report{}
	return made, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(report, made, true)
}

func merge(old, made map[string]string) map[string]string {
	all := maps.Clone(old)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, made)
	return all
}

func nameOf(report map[string]any) string {
	name, _, _ := unstructured.NestedString(report, "metadata", "name")
	return name
}

// newsIn returns the rules of a template that a VM no longer satisfies, or by which it is no longer judged.
func newsIn(old, made *v1alpha1.Report, template map[string]any) (all []backlog.News) {
	policy := made.Annotations[openreports.PolicyAnnotation]
	if template == nil || old.Annotations[openreports.PolicyAnnotation] != policy {
		return nil
	}
	before := map[string]string{}
	for _, r := range old.Results {
		before[r.Rule] = string(r.Result)
	}
	isWrong := map[string]bool{openreports.Fail: true, openreports.Error: true}
	for _, r := range made.Results {
		if isWrong[string(r.Result)] && !isWrong[before[r.Rule]] && !isWrong[before[""]] {
			all = append(all, backlog.News{Policy: policy, Rule: r.Rule, Result: string(r.Result), Template: template, VMs: 1})
		}
	}
	return all
}

// maxEvents limits the events of one change.
const maxEvents = 20

// announce writes an event for each rule that has news. The recorder of a manager would take those about
// two rules for repetitions of one.
func (c *Controller) announce(ctx context.Context, all []backlog.News) {
	for i, n := range all {
		if i == maxEvents {
			return
		}
		about := unstructured.Unstructured{Object: n.Template}
		event := &eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{GenerateName: about.GetName() + ".", Namespace: about.GetNamespace()},
			EventTime:  metav1.NowMicro(), ReportingController: controllerName, ReportingInstance: controllerName,
			Type: corev1.EventTypeWarning, Action: "Judge", Reason: "VMsFail", Note: noteOf(n),
			Regarding: corev1.ObjectReference{
				APIVersion: about.GetAPIVersion(), Kind: about.GetKind(), Namespace: about.GetNamespace(), Name: about.GetName(),
				UID: about.GetUID(), ResourceVersion: about.GetResourceVersion(),
			},
		}
		if n.Result == openreports.Error {
			event.Reason = "VMsUndecided"
		}
		if err := c.live.Create(ctx, event); err != nil {
			log.FromContext(ctx).Error(err, "Could not write an event", "note", event.Note)
		}
	}
}

func noteOf(n backlog.News) string {
	what, by := "no longer satisfy", " rule "+n.Rule
	switch {
	case n.Result == openreports.Error && n.Rule == "":
		what, by = "can no longer be judged", ""
	case n.Result == openreports.Error:
		what = "can no longer be judged by"
	case n.VMs == 1:
		what = "no longer satisfies"
	}
	if n.VMs == 1 {
		return fmt.Sprintf("1 VM %s%s", what, by)
	}
	return fmt.Sprintf("%d VMs %s%s", n.VMs, what, by)
}
