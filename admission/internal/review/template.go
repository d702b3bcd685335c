package review

import (
	"context"
	"fmt"
	"maps"
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
	if failed := p.do(ctx, q.Size, func() { rules, err = vmrules.RulesFor(nil, q.Old, p.parse...) }); failed != nil {
		return failure(failed)
	}
	switch {
	case p.cannotRead(err):
		return nil
	case err == nil && rules.Len() == 0:
		return exempt()
	}
	name := TextAt(q.Old, "metadata", "name")
	vm, err := r.userOf(ctx, q.Namespace, name)
	switch {
	case err != nil:
		return failure(err)
	case vm == "":
		return &Decision{Outcome: Allowed}
	}
	return refused(fmt.Errorf("the template %s has rules, and the VM %s refers to it: delete the VM first, or remove its labels and annotations %s", join(q.Namespace, name), vm, vmrules.TemplateLabel), nil)
}

// userOf returns the first VM that refers to a template; "" if there is none. It asks for the
// VMs with the template's label first, because few VMs refer to it by annotations.
func (r *Reviewer) userOf(ctx context.Context, namespace, name string) (string, error) {
	for _, label := range []string{name, ""} {
		vms, err := r.cluster.VMs(ctx, label)
		if err != nil {
			return "", fmt.Errorf("listing the VMs of the template %s: %w", join(namespace, name), err)
		}
		for _, vm := range vms {
			vm.Annotations = maps.Clone(vm.Annotations) // without rules of its own
			delete(vm.Annotations, vmrules.Annotation)
			delete(vm.Annotations, vmrules.SkipAnnotation)
			namespaces, named, _ := r.Naming(&vm)
			if named == name && slices.Contains(namespaces, namespace) {
				return join(vm.Namespace, vm.Name), nil
			}
		}
	}
	return "", nil
}
