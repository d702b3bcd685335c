package review

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
)

// A source says where the rules of a VM come from. At most one of its fields is set.
type source struct {
	isExempt bool
	own      string // the VM's own annotation
	template place
}

// A place is the namespace and the name of a template; the zero place if there is none.
type place struct{ namespace, name string }

func (p place) String() string { return join(p.namespace, p.name) }

// A templateError is why the annotation of a template cannot be used.
type templateError struct{ error }

func (e templateError) Unwrap() error { return e.error }

// sourceOf returns where the rules of a VM come from.
func (r *Reviewer) sourceOf(vm map[string]any, namespace string) source {
	metadata, _ := vm["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	own := annotations[vmrules.Annotation]
	text, isText := own.(string)
	switch {
	case annotations[vmrules.SkipAnnotation] != nil:
		return source{isExempt: true}
	case isText && strings.TrimSpace(text) != "":
		return source{own: text}
	case !isText && own != nil:
		return source{own: fmt.Sprintf("%T", own)} // reading it is an error
	}
	return source{template: r.templateOf(metadata, namespace)}
}

// templateOf returns the template that a VM in a namespace names in its metadata.
func (r *Reviewer) templateOf(metadata map[string]any, namespace string) place {
	of, name, ok := vmrules.TemplateOf(map[string]any{"metadata": metadata})
	if !ok && r.NamespaceFallback {
		of, name = namespace, cmp.Or(textAt(metadata, "labels", vmrules.TemplateLabel), textAt(metadata, "annotations", vmrules.TemplateLabel))
	}
	if name == "" {
		return place{}
	}
	return place{of, name}
}

// A missingError says that a template does not exist.
type missingError struct{ place }

func (e missingError) Error() string {
	return fmt.Sprintf("the template %s, which the VM names, does not exist, so that its rules are not known", e.place)
}

// rules returns the rules for a VM. If they cannot be used, the error is a
// *vmrules.ParseError, in a templateError if they are those of the template. Otherwise, it is
// a missingError, or says why the template cannot be read.
func (r *Reviewer) rules(ctx context.Context, object map[string]any, s source) (vmrules.Rules, error) {
	if !s.isTemplates() {
		return r.ownRules(ctx, object)
	}
	template, err := r.template(ctx, s.template)
	switch {
	case err != nil:
		return vmrules.Rules{}, err
	case template == nil:
		return vmrules.Rules{}, missingError{s.template}
	}
	var rules vmrules.Rules
	if failed := r.slots.do(ctx, func() { rules, err = r.cache.rulesOf(template) }); failed != nil {
		return vmrules.Rules{}, failed
	}
	if err != nil {
		return vmrules.Rules{}, templateError{err}
	}
	return rules, nil
}

// isTemplates reports whether the rules are those of the template.
func (s source) isTemplates() bool { return s.template != place{} }

func (r *Reviewer) ownRules(ctx context.Context, object map[string]any) (rules vmrules.Rules, err error) {
	failed := r.slots.do(ctx, func() { rules, err = vmrules.RulesFor(object, nil, r.Parse...) })
	return rules, cmp.Or(failed, err)
}

// template returns a template of either kind; nil if there is none.
func (r *Reviewer) template(ctx context.Context, p place) (map[string]any, error) {
	for _, kind := range templateKinds {
		template, err := r.get(ctx, kind, p.namespace, p.name)
		if template != nil || err != nil {
			return template, err
		}
	}
	return nil, nil
}
