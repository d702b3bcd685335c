package review

import (
	"cmp"
	"context"
	"fmt"

	"github.com/vmrules/vmrules"
)

// A templateName is the namespace and the name of a template.
type templateName struct{ namespace, name string }

func (p templateName) String() string { return join(p.namespace, p.name) }

// A templateError is why the annotation of a template cannot be used.
type templateError struct{ error }

func (e templateError) Unwrap() error { return e.error }

// sourceOf returns where the rules of the VM in an object come from. It names a template only if
// they come from there.
func (r *Reviewer) sourceOf(object map[string]any, namespace string) vmrules.Source {
	s := r.naming(object, namespace)
	switch {
	case s.From != vmrules.SourceTemplate:
		s.Namespace, s.Name = "", ""
	case s.Name == "":
		return vmrules.Source{}
	}
	return s
}

// naming returns the same with the template that the VM names, wherever its rules come from. It has
// no Namespace if it is named by half, and no Name if no option says where that is looked for.
func (r *Reviewer) naming(object map[string]any, namespace string) vmrules.Source {
	s := vmrules.SourceOf(object)
	s.Field = "" // a VM may name the same template elsewhere
	if len(r.namespacesOf(s, namespace)) == 0 {
		s.Name = ""
	}
	return s
}

// namespacesOf returns where the template is that a VM names: in the first of these that has it.
func (r *Reviewer) namespacesOf(s vmrules.Source, namespace string) []string {
	switch {
	case s.Namespace != "":
		return []string{s.Namespace}
	case r.NamespaceFallback:
		return append([]string{namespace}, r.TemplateNamespaces...)
	}
	return r.TemplateNamespaces
}

// A missingError says that a template does not exist.
type missingError struct{ templateName }

func (e missingError) Error() string {
	return fmt.Sprintf("the template %s, which the VM names, does not exist, so that its rules are not known", e.templateName)
}

// rules returns the rules for a VM, and the template that they are of; nil for rules of its own. If
// they cannot be used, the error is a *vmrules.ParseError, in a templateError if they are those of
// the template. Otherwise, it is a missingError, or says why the template cannot be read. A name by
// half may be of something else, so that there are no rules if there is no such template.
func (r *Reviewer) rules(ctx context.Context, q *Request, s vmrules.Source, p pace) (rules vmrules.Rules, template map[string]any, err error) {
	switch s.From {
	case "":
		return rules, nil, nil
	case vmrules.SourceTemplate:
	default:
		rules, err = ownRules(ctx, q, p)
		return rules, nil, err
	}
	for _, namespace := range r.namespacesOf(s, q.Namespace) {
		if template, err = r.template(ctx, templateName{namespace, s.Name}); template != nil || err != nil {
			break
		}
	}
	switch {
	case err != nil:
		return rules, nil, err
	case template == nil && s.Namespace == "":
		return rules, nil, nil
	case template == nil:
		return rules, nil, missingError{templateName{s.Namespace, s.Name}}
	}
	q.weight += lengthOfRules(template)
	if failed := p.do(ctx, q.weight, func() { rules, err = r.cache.rulesOf(template, p.parse) }); failed != nil {
		return vmrules.Rules{}, template, failed
	}
	if err != nil {
		return vmrules.Rules{}, template, templateError{err}
	}
	return rules, template, nil
}

func ownRules(ctx context.Context, q *Request, p pace) (rules vmrules.Rules, err error) {
	failed := p.do(ctx, q.weight, func() { rules, err = vmrules.RulesFor(q.Object, nil, p.parse...) })
	return rules, cmp.Or(failed, err)
}

// template returns a template of either kind; nil if there is none.
func (r *Reviewer) template(ctx context.Context, p templateName) (map[string]any, error) {
	for _, kind := range templateKinds {
		template, err := r.get(ctx, kind, p.namespace, p.name)
		if template != nil || err != nil {
			return template, err
		}
	}
	return nil, nil
}

// lengthOfRules returns how many bytes of rules a template has.
func lengthOfRules(template map[string]any) (n int) {
	spec, _ := template["spec"].(map[string]any)
	objects, _ := template["objects"].([]any)
	count := func(v any) {
		o, _ := v.(map[string]any)
		n += len(TextAt(o, "metadata", "annotations", vmrules.Annotation)) + len(TextAt(o, "metadata", "annotations", vmrules.OldAnnotation))
	}
	count(template)
	count(spec["virtualMachine"])
	for _, o := range objects {
		count(o)
	}
	return n
}
