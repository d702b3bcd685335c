package admission

import (
	"context"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmrules/vmrules"
)

// deletion decides whether a template may be deleted: not if it has rules and a VM refers to
// it.
func (r *Reviewer) deletion(ctx context.Context, q *request) *decision {
	if q.old == nil {
		return exempt()
	}
	var rules vmrules.Rules
	var err error
	// The cache is for templates of the reader: anyone who reaches the port can send others.
	if failed := r.slots.do(ctx, func() { rules, err = vmrules.RulesFor(nil, q.old, r.parse...) }); failed != nil {
		return failure(failed)
	}
	if rules.Len() == 0 && err == nil {
		return exempt()
	}
	template := place{q.namespace, (&unstructured.Unstructured{Object: q.old}).GetName()}
	vm, err := r.userOf(ctx, template)
	switch {
	case err != nil:
		return failure(err)
	case vm == "":
		return &decision{outcome: outcomeAllowed}
	}
	text := fmt.Sprintf("the template %s has rules, and the VM %s refers to it: delete the VM first, or remove its labels and annotations %s", template, vm, vmrules.TemplateLabel)
	return &decision{outcome: outcomeRefused, status: statusOf(http.StatusForbidden, metav1.StatusReasonForbidden, text)}
}

// userOf returns the first VM that refers to a template; "" if there is none. It asks for the
// VMs with the template's label first, because few VMs refer to it by annotations.
func (r *Reviewer) userOf(ctx context.Context, template place) (string, error) {
	everything := client.MatchingLabelsSelector{Selector: labels.Everything()}
	options := []client.ListOption{everything}
	if byLabel, err := labels.ValidatedSelectorFromSet(labels.Set{vmrules.TemplateLabel: template.name}); err == nil {
		options = []client.ListOption{client.MatchingLabelsSelector{Selector: byLabel}, everything}
	}
	for _, o := range options {
		var list metav1.PartialObjectMetadataList
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: groupKubeVirt, Version: "v1", Kind: "VirtualMachineList"})
		err := r.reader.List(ctx, &list, o)
		if meta.IsNoMatchError(err) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("listing the VMs of the template %s: %w", template, err)
		}
		for i := range list.Items {
			if vm := &list.Items[i]; r.refersTo(vm, template) {
				return join(vm.Namespace, vm.Name), nil
			}
		}
	}
	return "", nil
}

// refersTo reports whether a VM refers to a template.
func (r *Reviewer) refersTo(vm *metav1.PartialObjectMetadata, template place) bool {
	return r.templateOf(map[string]any{
		"labels": asAny(vm.Labels), "annotations": asAny(vm.Annotations),
	}, vm.Namespace) == template
}

func asAny(texts map[string]string) map[string]any {
	all := make(map[string]any, len(texts))
	for k, v := range texts {
		all[k] = v
	}
	return all
}
