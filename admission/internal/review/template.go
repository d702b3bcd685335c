package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
)

// deletion decides whether a template may be deleted: not if it has rules and a VM refers to
// it. It returns nil if the pace is too quick.
func (r *Reviewer) deletion(ctx context.Context, q *Request, p pace) *Decision {
	if q.Old == nil {
		return exempt()
	}
	var rules vmrules.Rules
	var err error
	// The cache is for templates of the reader: anyone who reaches the port can send others.
	if failed := p.do(ctx, q.weight, func() { rules, err = vmrules.RulesFor(nil, q.Old, p.parse...) }); failed != nil {
		return failure(failed)
	}
	switch {
	case p.cannotRead(err):
		return nil
	case err == nil && rules.Len() == 0:
		return exempt()
	}
	template := templateName{q.Namespace, TextAt(q.Old, "metadata", "name")}
	vm, err := r.userOf(ctx, template)
	switch {
	case err != nil:
		return failure(err)
	case vm == "":
		return &Decision{Outcome: Allowed}
	}
	return refused(fmt.Errorf("the template %s has rules, and the VM %s refers to it: delete the VM first, or remove its labels and annotations %s", template, vm, vmrules.TemplateLabel), nil)
}

// userOf returns the first VM that refers to a template; "" if there is none. It asks for the
// VMs with the template's label first, because few VMs refer to it by annotations.
func (r *Reviewer) userOf(ctx context.Context, template templateName) (string, error) {
	for _, label := range []string{template.name, ""} {
		vms, err := r.cluster.VMs(ctx, label)
		if err != nil {
			return "", fmt.Errorf("listing the VMs of the template %s: %w", template, err)
		}
		for _, vm := range vms {
			s := r.naming(vm.object(), vm.Namespace)
			if s.Name == template.name && slices.Contains(r.namespacesOf(s, vm.Namespace), template.namespace) {
				return join(vm.Namespace, vm.Name), nil
			}
		}
	}
	return "", nil
}

// object returns the VM as far as it names a template.
func (vm *VM) object() map[string]any {
	metadata := map[string]any{"labels": asAny(vm.Labels), "annotations": asAny(vm.Annotations)}
	return map[string]any{"kind": VMKind.Kind, "metadata": metadata}
}

func asAny(texts map[string]string) map[string]any {
	all := make(map[string]any, len(texts))
	for k, v := range texts {
		all[k] = v
	}
	return all
}
