package reports

import (
	"context"
	"fmt"
	"strings"

	"github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
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
		switch err := c.live.Delete(ctx, old, client.Preconditions{UID: &r.UID}); {
		case err == nil:
			writes.WithLabelValues("delete").Inc()
		case !apierrors.IsNotFound(err):
			return err
		}
	}
	return nil
}

// keep writes the Report of a VM unless the cluster has it as it is, and returns what is new in it. The cache
// that says whether it exists may be late.
func (c *Controller) keep(ctx context.Context, made *v1alpha1.Report, template map[string]any, exists bool) ([]backlog.News, error) {
	if !exists {
		if err := c.live.Create(ctx, made); !apierrors.IsAlreadyExists(err) {
			return nil, c.written("create", made, err)
		}
	}
	old := &v1alpha1.Report{}
	if err := c.live.Get(ctx, client.ObjectKeyFromObject(made), old); err != nil {
		return nil, err
	}
	keepTimes(made.Results, old.Results)
	merged := old.DeepCopy()
	merged.Labels, merged.Annotations = labels.Merge(old.Labels, made.Labels), labels.Merge(old.Annotations, made.Annotations)
	merged.OwnerReferences, merged.Source, merged.Scope = made.OwnerReferences, made.Source, made.Scope
	merged.Summary, merged.Results = made.Summary, made.Results
	if equality.Semantic.DeepEqual(old, merged) {
		return nil, nil
	}
	if err := c.written("update", merged, c.live.Update(ctx, merged)); err != nil {
		return nil, err
	}
	return newsIn(old, merged, template), nil
}

// written counts a write unless it failed, and remembers what it has made, so that the event about it is
// not taken for a change by others.
func (c *Controller) written(operation string, r *v1alpha1.Report, err error) error {
	if err == nil {
		writes.WithLabelValues(operation).Inc()
		c.wrote.Store(r.Name, r.ResourceVersion)
	}
	return err
}

// keepTimes gives results that are the same as before the timestamps that they had.
func keepTimes(results, before []v1alpha1.ReportResult) {
	for i := range results {
		for _, b := range before {
			then := b.Timestamp
			b.Timestamp = results[i].Timestamp
			if b.Rule == results[i].Rule && equality.Semantic.DeepEqual(b, results[i]) {
				results[i].Timestamp = then
				break
			}
		}
	}
}

// newsIn returns the rules of a template that a VM no longer satisfies, or by which it is no longer judged.
func newsIn(old, made *v1alpha1.Report, template map[string]any) (all []backlog.News) {
	policy := made.Annotations[openreports.PolicyAnnotation]
	if template == nil || old.Annotations[openreports.PolicyAnnotation] != policy {
		return nil
	}
	isWrong := func(result v1alpha1.Result) bool { return result == openreports.Fail || result == openreports.Error }
	before := map[string]v1alpha1.Result{}
	for _, r := range old.Results {
		before[r.Rule] = r.Result
	}
	for _, r := range made.Results {
		if isWrong(r.Result) && !isWrong(before[r.Rule]) && !isWrong(before[""]) {
			all = append(all, backlog.News{Policy: policy, Rule: r.Rule, Result: string(r.Result), Template: template, VMs: 1})
		}
	}
	return all
}

// maxEvents limits the events of one change.
const maxEvents = 20

var plural = map[bool]string{true: "s"}

// announce writes an event for each rule that has news. The recorder of a manager would take those about
// two rules for repetitions of one.
func (c *Controller) announce(ctx context.Context, all []backlog.News) {
	for _, n := range all[:min(len(all), maxEvents)] {
		about := unstructured.Unstructured{Object: n.Template}
		reason, note := "VMsFail", "no longer satisfy rule "+n.Rule
		if n.Result == openreports.Error {
			reason, note = "VMsUndecided", strings.TrimSuffix("can no longer be judged by rule "+n.Rule, " by rule ")
		}
		if n.VMs == 1 {
			note = strings.Replace(note, "satisfy", "satisfies", 1)
		}
		err := c.live.Create(ctx, &eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{GenerateName: about.GetName() + "-", Namespace: about.GetNamespace()},
			EventTime:  metav1.NowMicro(), ReportingController: controllerName, ReportingInstance: controllerName,
			Type: corev1.EventTypeWarning, Action: "Judge", Reason: reason, Note: fmt.Sprintf("%d VM%s %s", n.VMs, plural[n.VMs > 1], note),
			Regarding: corev1.ObjectReference{
				APIVersion: about.GetAPIVersion(), Kind: about.GetKind(), Namespace: about.GetNamespace(), Name: about.GetName(),
				UID: about.GetUID(), ResourceVersion: about.GetResourceVersion(),
			},
		})
		if err != nil {
			log.FromContext(ctx).Error(err, "Could not write an event", "template", n.Policy, "rule", n.Rule)
		}
	}
}
