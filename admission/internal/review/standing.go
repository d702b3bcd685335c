package review

import (
	"cmp"
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/openreports"
)

// Judge says how a VM of the cluster stands by its rules. If it takes long, it waits in the lane for reviews that do.
// An error says that the cluster cannot be asked, or that there was no time.
func (r *Reviewer) Judge(ctx context.Context, vm map[string]any) (*openreports.Validation, error) {
	// No user waits, so reviews go first.
	q := &Request{Operation: "UPDATE", Kind: VMKind, Namespace: TextAt(vm, "metadata", "namespace"), Size: quickSize, Object: vm}
	v, err := r.standing(ctx, q, r.quick)
	if v != nil || err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, slowTime, errLate)
	defer cancel()
	failed := r.lane.do(ctx, q.Namespace, 0, func() { v, err = r.standing(ctx, q, r.slow) })
	return v, cmp.Or(failed, err)
}

// standing validates at a pace; nil if that is too quick.
func (r *Reviewer) standing(ctx context.Context, q *Request, p pace) (*openreports.Validation, error) {
	j := &judging{Reviewer: r, q: q, pace: p}
	if err := j.run(ctx); err != nil || p.isTooQuickFor(j.report) {
		return nil, err
	}
	policy := cmp.Or(j.report.Targets()[0].Template, openreports.OwnPolicy) // of the only target of a VM
	return &openreports.Validation{Policy: policy, Template: j.template.Object, Report: j.report, Time: time.Now()}, nil
}

// Naming returns the name of the template from which a VM has its rules, and the namespaces where that is
// looked for; none if it has rules of its own, or none. It returns false if it needs no report.
func (r *Reviewer) Naming(vm metav1.Object) (namespaces []string, name string, hasRules bool) {
	var named vmrules.TemplateRef
	metadata := map[string]any{"namespace": vm.GetNamespace(), "labels": vm.GetLabels(), "annotations": vm.GetAnnotations()}
	object := map[string]any{"kind": VMKind.Kind, "metadata": metadata}
	report := vmrules.ValidateOwn(object, r.kept, vmrules.WithTemplates(func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		named = ref
		return nil, nil
	}))
	c := report.Targets()[0].Coverage
	return r.namespacesOf(named), named.Name, c != vmrules.CoverageExempt && c != vmrules.CoverageNoRules
}
