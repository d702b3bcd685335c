package review

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/openreports"
)

// A Standing says how a VM of the cluster stands by its rules.
type Standing struct {
	Policy   string          // where the rules come from, as in package openreports
	Template map[string]any  // with the rules; nil if they are not those of a template
	Report   *vmrules.Report // valid and without results if there are no rules; nil if there is an Err
	Err      error           // why the rules are not known
}

var errTooMuch = errors.New("it takes too much to be done at once")

// Judge judges a VM as it is in the cluster. If it takes long, it waits in the lane for reviews that do.
// An error says that the cluster cannot be asked, or that there was no time.
func (r *Reviewer) Judge(ctx context.Context, vm map[string]any) (Standing, error) {
	// No user waits, so reviews go first.
	q := &Request{Operation: "UPDATE", Kind: VMKind, Namespace: TextAt(vm, "metadata", "namespace"), Size: quickSize, Object: vm}
	s, err := r.standing(ctx, q, r.quick)
	if !errors.Is(err, errTooMuch) {
		return s, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, slowTime, errLate)
	defer cancel()
	if failed := r.lane.do(ctx, q.Namespace, 0, func() { s, err = r.standing(ctx, q, r.slow) }); failed != nil {
		return Standing{}, failed
	}
	return s, err
}

// standing judges at a pace. The error is errTooMuch if that is too quick.
func (r *Reviewer) standing(ctx context.Context, q *Request, p pace) (s Standing, err error) {
	q.weight = q.Size // rules adds to it
	source := r.sourceOf(q.Object, q.Namespace)
	rules, template, err := r.rules(ctx, q, source, p)
	s = Standing{Policy: openreports.OwnPolicy, Template: template}
	if source.From == vmrules.SourceTemplate {
		s.Policy = openreports.TemplatePolicy(cmp.Or(TextAt(template, "metadata", "namespace"), source.Namespace), source.Name)
	}
	var broken *vmrules.ParseError
	switch missing := (missingError{}); {
	case p.cannotRead(err):
		return s, errTooMuch
	case errors.As(err, &missing):
		s.Err = openreports.Missing(missing.namespace, missing.name)
		return s, nil
	case errors.As(err, &broken):
		for i := 0; i < len(broken.Problems) && template == nil; i++ {
			broken.Problems[i].Source = "" // the VM, which the Report is about
		}
		s.Err = broken
		return s, nil
	}
	found := newLookup(&r.finder, q)
	if err := cmp.Or(err, found.read(ctx, q.Object)); err != nil {
		return s, err
	}
	err = p.do(ctx, q.weight, func() {
		s.Report = vmrules.Validate(rules, q.Object, append(slices.Clip(p.validate), vmrules.WithInstancetypes(found.find))...)
	})
	if err == nil && p.cannotJudge(s.Report) {
		err = errTooMuch
	}
	return s, err
}

// Naming returns the name of the template from which a VM has its rules, and the namespaces where that is
// looked for; none if it has rules of its own, or none. It returns false if it has no rules.
func (r *Reviewer) Naming(vm VM) (namespaces []string, name string, hasRules bool) {
	s := r.sourceOf(vm.object(), vm.Namespace)
	if s.From != vmrules.SourceTemplate {
		return nil, "", s.From != "" && s.From != vmrules.SourceExempt
	}
	return r.namespacesOf(s, vm.Namespace), s.Name, true
}
