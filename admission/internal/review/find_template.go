package review

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/vmrules/vmrules"
)

// namespacesOf returns where the template is that a VM names: in the first of these that has it.
func (r *Reviewer) namespacesOf(ref vmrules.TemplateRef) []string {
	switch {
	case ref.Namespace != "":
		return []string{ref.Namespace}
	case r.NamespaceFallback:
		return append([]string{ref.VMNamespace}, r.TemplateNamespaces...)
	}
	return r.TemplateNamespaces
}

// findTemplate finds the template that the VM names, once. It is for vmrules.WithTemplates.
func (j *judging) findTemplate(ref vmrules.TemplateRef) (*vmrules.Template, error) {
	if j.template.Object == nil {
		ref.VMNamespace = cmp.Or(j.q.Namespace, ref.VMNamespace) // a pool may say another, in which its VMs are not
		err := errors.New("the review has ended")
		j.outside(func(ctx context.Context) {
			j.template.Object, j.template.Namespace, err = j.templateIn(ctx, j.namespacesOf(ref), ref.Name)
			j.weight += lengthOfRules(j.template.Object)
		})
		if err != nil || j.template.Object == nil {
			j.failed = cmp.Or(j.failed, err)
			return nil, err
		}
	}
	return &j.template, nil
}

// templateIn returns the first template of a name, of either kind, in some namespaces, and where it is; nil if
// there is none. It asks caches first: otherwise each VM of a template of one kind would cost a request for
// one of the other, which is not there.
func (r *Reviewer) templateIn(ctx context.Context, namespaces []string, name string) (map[string]any, string, error) {
	for _, isCached := range []bool{true, false} {
		for _, namespace := range namespaces {
			if template, err := r.templateAt(ctx, namespace, name, isCached); template != nil || err != nil {
				return template, namespace, err
			}
		}
	}
	return nil, "", nil
}

// templateAt returns a template of either kind; nil if there is none. A kind that may not be read, while
// the other can be, has none.
func (r *Reviewer) templateAt(ctx context.Context, namespace, name string, isCached bool) (map[string]any, error) {
	var denied error
	canRead := false
	for _, kind := range templateKinds {
		template, err := r.get(ctx, kind, namespace, name, isCached)
		switch {
		case errors.As(err, &DeniedError{}):
			denied = cmp.Or(denied, err)
		case errors.Is(err, ErrNoKind):
		case template != nil || err != nil:
			return template, err
		default:
			canRead = true
		}
	}
	if canRead {
		denied = nil
	}
	return nil, denied
}

func lengthOfRules(template map[string]any) (n int) {
	objects, _ := template["objects"].([]any)
	for _, o := range append(slices.Clip(objects), partOf(template, "spec", "virtualMachine"), template) {
		o, _ := o.(map[string]any)
		n += len(TextAt(o, "metadata", "annotations", vmrules.Annotation)) + len(TextAt(o, "metadata", "annotations", vmrules.OldAnnotation))
	}
	return n
}
